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
    '# Problems of manifests',
    'Every problem that reading a manifest can tell, by its stable code. An error keeps the whole manifest from being sent; a warning doesn’t, unless `--strict` is given. A severity can be stricter on the spot than it is here. In examples, ⏎ stands for a line break.',
    'This page is made from the table in `manifests/problems/problem-codes.ts` by `node scripts/write-generated.js`.',
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
