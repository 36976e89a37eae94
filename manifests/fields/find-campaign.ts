import { campaignOfFile, isCampaignName, suggestCampaignName } from './campaign-name';
import { type ProblemList } from '../problems/problems';
import { type RawRow } from '../raw-row';
import { showValue } from '../text';

interface CampaignInput {
  asked: string | undefined;
  own: string | undefined;
  path: string;
  problems: ProblemList;
}

/** Finds the campaign's name: requested > a result file's > the manifest's > the file's stem. */
export class CampaignFinder {
  readonly #input: CampaignInput;
  /** False after an error in the requested name: then there is nothing to compare rows with. */
  readonly #sound: boolean;
  #name: string | undefined;

  constructor(input: CampaignInput) {
    this.#input = input;
    this.#name = input.asked ?? input.own;
    this.#sound = input.asked === undefined || isCampaignName(input.asked);
    if (!this.#sound) this.#refuse(input.asked ?? '');
  }

  // Rows of a result file belong to its campaign; taking them for another one would publish them again.
  take(row: RawRow): void {
    const cell = this.#sound ? row.result.get('reelay_campaign') : undefined;
    if (cell === undefined) return;
    const { problems } = this.#input;
    const name = cell.text.trim();
    if (!isCampaignName(name)) {
      const message = `“${showValue(name)}” can’t name a campaign.`;
      problems.add({ code: 'campaign-name', at: cell.at, value: name, message });
      row.refused = true;
    } else if (this.#name !== undefined && this.#name !== name) {
      const message = `The row belongs to the campaign “${name}”, not to “${this.#name}”.`;
      problems.add({ code: 'campaign-mixed', at: cell.at, value: name, message });
      row.refused = true;
    } else this.#name = name;
  }

  /** The name, once all rows were seen; empty after an error. */
  finish(): string {
    if (!this.#sound) return '';
    const name = this.#name ?? campaignOfFile(this.#input.path);
    if (name === undefined) {
      const message = 'The file’s name leaves no usable campaign name.';
      const hint = 'Give --campaign NAME, or campaign: NAME in a YAML.';
      this.#input.problems.add({ code: 'campaign-name', at: { line: null, column: 'campaign' }, message, hint });
    }
    return name ?? '';
  }

  #refuse(asked: string): void {
    const better = suggestCampaignName(asked);
    this.#input.problems.add({
      code: 'campaign-name',
      at: { line: null, column: 'campaign' },
      value: asked,
      message: `“${showValue(asked)}” can’t name a campaign.`,
      ...(better === undefined ? {} : { hint: `Use --campaign ${better}.` }),
    });
  }
}
