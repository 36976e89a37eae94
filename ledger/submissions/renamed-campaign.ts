import { problem, type SubmissionProblem } from '../model/errors';
import { SOURCE_REPEATED } from '../model/converge';
import { type SubmissionInput } from '../model/submission-types';
import { type Entry } from '../model/types';

/** A file that has at least this share of its rows from one other campaign looks like that campaign's manifest. */
const NEARLY_ALL = 0.8;

/**
 * The rows of a manifest that are refused because another campaign sends their sources. A file without a name of its
 * own for its campaign is named by its file name: a manifest that is renamed (final.csv, final-v2.csv) then looks like
 * a new campaign with the same videos, and advice on each row would lead to publishing all of them twice.
 */
export class RenamedCampaign {
  /** Lines: a row with several platforms has an entry for each. */
  private readonly lines = new Set<number>();
  private readonly problems = new Map<string, SubmissionProblem[]>();

  noteRow({ line, skip }: Entry): void {
    if (!skip) this.lines.add(line);
  }

  /** `campaign`: the other one. */
  note(campaign: string, repeated: SubmissionProblem): void {
    const known = this.problems.get(campaign);
    if (known) known.push(repeated);
    else this.problems.set(campaign, [repeated]);
  }

  /**
   * If nearly all of the manifest's rows are another campaign's: one problem about all of them, and those that it
   * replaces.
   */
  suspected(
    format: SubmissionInput['snapshot']['format'],
  ): { problem: SubmissionProblem; instead: ReadonlySet<SubmissionProblem> } | null {
    for (const [campaign, repeated] of this.problems) {
      const same = new Set(repeated.map(({ line }) => line)).size;
      const all = this.lines.size;
      if (same < 2 || same < all * NEARLY_ALL) continue;
      const allow = format === 'csv' ? '--repeat allow' : 'repeat: allow';
      return {
        problem: problem({ line: null, key: null }, 'error', SOURCE_REPEATED, {
          message: `these are the rows of campaign ${campaign} (${same} of ${all}): the same videos for the same channels`,
          hint: `is this file a newer version of it? Then give --campaign ${campaign}; ${allow} publishes these videos a second time`,
        }),
        instead: new Set(repeated),
      };
    }
    return null;
  }
}
