import { campaignOfFile, isCampaignName, suggestCampaignName } from './campaign-name';
import { type ProblemList } from './problems';
import { type RawRow } from './raw-row';
import { showValue } from './text';

/** The campaign's name: asked for > a result file's > the manifest's > the file's stem. Empty after an error. */
export function findCampaign(input: {
  asked: string | undefined;
  own: string | undefined;
  rows: readonly RawRow[];
  path: string;
  problems: ProblemList;
}): string {
  const { asked, own, path, problems } = input;
  const whole = { line: null, column: 'campaign' };
  if (asked !== undefined && !isCampaignName(asked)) {
    const better = suggestCampaignName(asked);
    const message = `“${showValue(asked)}” can’t name a campaign.`;
    problems.add({
      code: 'campaign-name',
      at: whole,
      value: asked,
      message,
      ...(better === undefined ? {} : { hint: `Use --campaign ${better}.` }),
    });
    return '';
  }
  const recorded = recordedCampaign(input.rows, asked ?? own, problems);
  const name = asked ?? recorded ?? own ?? campaignOfFile(path);
  if (name === undefined) {
    const message = 'The file’s name leaves no usable campaign name.';
    problems.add({
      code: 'campaign-name',
      at: whole,
      message,
      hint: 'Give --campaign NAME, or campaign: NAME in a YAML.',
    });
  }
  return name ?? '';
}

// Rows of a result file belong to its campaign; taking them for another one would publish them again.
function recordedCampaign(
  rows: readonly RawRow[],
  expected: string | undefined,
  problems: ProblemList,
): string | undefined {
  let recorded = expected;
  for (const row of rows) {
    const cell = row.result.get('reelay_campaign');
    if (cell === undefined) continue;
    const name = cell.text.trim();
    if (!isCampaignName(name)) {
      problems.add({
        code: 'campaign-name',
        at: cell.at,
        value: name,
        message: `“${showValue(name)}” can’t name a campaign.`,
      });
      row.refused = true;
    } else if (recorded !== undefined && recorded !== name) {
      const message = `The row belongs to the campaign “${name}”, not to “${recorded}”.`;
      problems.add({ code: 'campaign-mixed', at: cell.at, value: name, message });
      row.refused = true;
    } else recorded = name;
  }
  return recorded;
}
