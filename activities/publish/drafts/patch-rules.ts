import { checkDescription, checkTitle } from '../../../manifests/checks/text/check-text';
import { ProblemList } from '../../../manifests/problems/problems';
import { type PlatformConfig } from '../../../manifests/types';
import { PATCH_STATUSES, PRIVACIES } from '../../../service/limits';
import { type Publication } from '../../../service/api/publication';

export interface PatchProblem {
  code: string;
  message: string;
  hint: string;
}

/** The alternative to a move that the interface doesn't show (section 3, rule 4). */
export const NO_PUBLISH_HINT =
  'Use status pending (its meaning at the service isn’t documented), or a new publication in its place (--recreate on submit).';

/**
 * The reasons why the interface rules out a change to a publication (sections 3, rule 1, 4.5 and 4.7): first by the new
 * values alone, then by the publication's status.
 */
export function patchProblems(
  patch: Readonly<Record<string, string>>,
  target: { publication: Publication; platform: PlatformConfig | undefined } | null,
): PatchProblem[] {
  const found: PatchProblem[] = [];
  const add = (code: string, message: string, hint: string): number => found.push({ code, message, hint });
  const { title, description, privacy, status } = patch;
  if (status === 'published') {
    add('draft-cannot-be-published', 'the interface shows no move from draft or pending to published', NO_PUBLISH_HINT);
  } else if (status !== undefined && !(PATCH_STATUSES as readonly string[]).includes(status)) {
    add('bad-status', `status “${status}” can’t be set`, `One of: ${PATCH_STATUSES.join(', ')}.`);
  }
  if (privacy !== undefined && !(PRIVACIES as readonly string[]).includes(privacy)) {
    add('bad-privacy', `privacy “${privacy}” is not known`, `One of: ${PRIVACIES.join(', ')}.`);
  }
  if (title?.trim() === '') add('title-missing', 'the title is blank', 'Give some text, or leave the title out.');
  const { publication, platform } = target ?? {};
  if (publication !== undefined && !(PATCH_STATUSES as readonly string[]).includes(publication.status ?? '')) {
    add(
      'publication-immutable',
      `publication ${publication.id} is ${publication.status ?? 'of a status that isn’t shown'}; only drafts and pending ones can be changed`,
      'Change it on the platform by hand.',
    );
  }
  if (platform?.kind === 'short') {
    const fields = Object.keys({
      ...(description === undefined ? {} : { description }),
      ...(privacy === undefined ? {} : { privacy }),
    });
    if (fields.length > 0)
      add('description-not-offered', `${platform.name} (short) takes no ${fields.join(' and no ')}`, 'Leave it out.');
  }
  // Without the publication, the longest title of any platform is the limit.
  const texts = new ProblemList({});
  const cell = (text: string, column: string) => ({ text, at: { line: null, column }, level: 'row' as const });
  const kind = platform?.kind ?? 'short';
  if (title !== undefined) {
    checkTitle({
      cell: cell(title, 'title'),
      problems: texts,
      kind,
      platform: platform?.name ?? 'any platform',
      direct: false,
      limit: platform?.titleLimit,
    });
  }
  if (description !== undefined)
    checkDescription({ cell: cell(description, 'description'), problems: texts, limit: platform?.descriptionLimit });
  for (const problem of texts.finish()) {
    if (problem.severity === 'error') add(problem.code, problem.message, problem.hint);
  }
  return found;
}
