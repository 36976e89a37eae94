import { type FaultRule } from './faults/fault-rules';
import { type OpenChoices } from './faults/open-choices';
import { SandboxOptionError } from './problem';

interface Behaviour {
  /** Descriptions of what the service does, for lists of the names. */
  about: string;
  open?: Partial<OpenChoices>;
  faults?: readonly (FaultRule | string)[];
}

/** Everything that is shown is shown as it was sent. */
const ECHO: Partial<OpenChoices> = {
  echoTitle: true,
  echoDescription: true,
  echoProfile: true,
  echoCreatedAt: true,
  echoPrivacy: true,
};

/**
 * Ways in which a service may treat what was sent, its list and its answers, by name. They combine freely: choices that
 * are lists add up, and of others the last one counts.
 */
export const BEHAVIOURS = {
  echo: { about: 'shows everything as it was sent', open: ECHO },
  'collapses-titles': { about: 'collapses the whitespace of titles', open: { ...ECHO, titleShown: ['collapsed'] } },
  'lowercases-titles': { about: 'shows titles in lower case', open: { ...ECHO, titleShown: ['lower'] } },
  'encodes-titles': { about: 'shows titles HTML-encoded', open: { ...ECHO, titleShown: ['encoded'] } },
  'decomposes-titles': { about: 'shows titles in Unicode form NFD', open: { ...ECHO, titleShown: ['nfd'] } },
  'truncates-titles': { about: 'cuts titles after 29 characters, with …', open: { ...ECHO, titleMax: 30 } },
  'drops-emoji': { about: 'shows titles without emoji', open: { ...ECHO, titleShown: ['no-emoji'] } },
  'straightens-quotes': {
    about: 'shows straight quotes in titles',
    open: { ...ECHO, titleShown: ['straight-quotes'] },
  },
  'trims-descriptions': { about: 'trims descriptions', open: { ...ECHO, descriptionShown: ['trimmed'] } },
  'truncates-descriptions': {
    about: 'truncates descriptions in the list',
    open: { ...ECHO, descriptionShown: ['truncated'] },
  },
  'crlf-descriptions': { about: 'shows descriptions with CRLF', open: { ...ECHO, descriptionShown: ['crlf'] } },
  'uppercases-privacy': { about: 'shows privacy in upper case', open: { ...ECHO, privacyShown: 'upper' } },
  'private-until-done': {
    about: 'shows privacy as private until a publication is published',
    open: { ...ECHO, privacyShown: 'private-until-done' },
  },
  'uppercases-profiles': { about: 'shows profile ids in upper case', open: { ...ECHO, profileShown: 'upper' } },
  'renames-platforms': { about: 'shows platforms under other names', open: { ...ECHO, platformShown: 'role' } },
  'early-clock': { about: 'shows created_at an hour early', open: { ...ECHO, createdAtShown: 'hour-early' } },
  'late-clock': { about: 'shows created_at an hour late', open: { ...ECHO, createdAtShown: 'hour-late' } },
  'local-times': {
    about: 'shows created_at in local time without a zone',
    open: { ...ECHO, createdAtShown: 'no-zone' },
  },
  'draft-first': { about: 'shows status draft while it ingests', open: { ...ECHO, ingestStatus: 'draft' } },
  'pending-first': { about: 'shows status pending while it ingests', open: { ...ECHO, ingestStatus: 'pending' } },
  'hides-titles': { about: 'shows nothing of what was sent' },
  'no-total': { about: 'lists without a total', open: { ...ECHO, listTotal: false } },
  'short-pages': {
    about: 'lists without a total, 7 entries per page whatever the limit',
    open: { ...ECHO, listTotal: false, pageMax: 7 },
  },
  'second-order': {
    about: 'orders the list by whole seconds, with ties by id',
    open: { ...ECHO, listOrder: 'seconds', pageMax: 20 },
  },
  'lagging-list': { about: 'lists publications 30 s late', open: { ...ECHO, listLagMs: 30_000 } },
  'reused-ids': {
    about: 'answers some creates with the id of another publication',
    open: ECHO,
    faults: ['create share=0.03 -> reuse-id'],
  },
  firewall: {
    about: 'stores some creates and answers 403 by a firewall in front of it',
    open: ECHO,
    faults: ['create share=0.03 times=3 -> status 403 accept body=html'],
  },
  'dead-list': { about: 'never answers a list', open: ECHO, faults: ['list -> status 500'] },
} as const satisfies Record<string, Behaviour>;

export type BehaviourName = keyof typeof BEHAVIOURS;

/** @throws SandboxOptionError listing the existing names */
export function parseBehaviours(texts: readonly string[]): BehaviourName[] {
  const names = texts.flatMap((text) => text.split(',')).map((text) => text.trim());
  for (const name of names) {
    if (Object.hasOwn(BEHAVIOURS, name)) continue;
    throw new SandboxOptionError(
      `Unknown behaviour "${name}". Known behaviours: ${Object.keys(BEHAVIOURS).join(', ')}.`,
    );
  }
  return names as BehaviourName[];
}

/** The choices and faults of several behaviours together. */
export function combine(names: readonly BehaviourName[]): Required<Pick<Behaviour, 'open' | 'faults'>> {
  const open: Partial<OpenChoices> = {};
  const faults: (FaultRule | string)[] = [];
  for (const name of names) {
    const behaviour: Behaviour = BEHAVIOURS[name];
    const { titleShown = [], descriptionShown = [], ...others } = behaviour.open ?? {};
    Object.assign(open, others);
    open.titleShown = [...(open.titleShown ?? []), ...titleShown];
    open.descriptionShown = [...(open.descriptionShown ?? []), ...descriptionShown];
    faults.push(...(behaviour.faults ?? []));
  }
  return { open, faults };
}
