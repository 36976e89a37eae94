import { PROBLEM_CODES, type ProblemCodeInfo } from './problem-codes';

/** The page `docs/reference/problem-codes.md`, made from the table of codes. */
export function problemsMarkdown(): string {
  const sections = Object.entries(PROBLEM_CODES).map(([code, info]: [string, ProblemCodeInfo]) => {
    const severity = info.severity === 'error' ? 'Error' : 'Warning';
    const note = info.onlyToSend === true ? ' Counts only if the row is still to be sent.' : '';
    return [
      `## ${code}`,
      `${severity}. ${info.what}${note}`,
      `- Example: ${asCode(info.example)}`,
      `- What to do: ${escapeMarkdown(info.fix)}`,
    ];
  });
  const intro = [
    '# Problem codes',
    'Every problem that a manifest can have, by its stable code, with an example and the fix, for anyone who wants to understand a message of `reelay check`. An error refuses the whole manifest; a warning doesn’t, unless `--strict` is given. A particular problem can be stricter than its code says here. In examples, ⏎ is a line break.',
    'This page is generated from the table in `manifests/problems/problem-codes.ts` by `node scripts/write-generated.js`.',
  ];
  const blocks = [
    ...intro,
    ...sections.map(
      ([title, what, example, fix]) => `${title ?? ''}\n\n${what ?? ''}\n\n${example ?? ''}\n${fix ?? ''}`,
    ),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function asCode(text: string): string {
  return `\`${text.replaceAll('`', '’')}\``;
}

function escapeMarkdown(text: string): string {
  return text.replace(/[_*<>|\\]/g, (character) => `\\${character}`);
}
