import { countsAsDone, differences } from '../model/converge';
import { problem, type SubmissionProblem } from '../model/errors';
import { channelLabel } from '../model/labels';
import { sourceIdentity } from '../model/source';
import { type RowState } from '../model/states';
import { type PlanAction } from '../model/submission-types';
import { type Entry, type RowValues } from '../model/types';
import { type FoundRow } from '../rows/row-lookup';
import { type ReplacedRows } from './replaced-rows';

/** The properties by which a row can be recognised as the video of another row. */
type TraitValues = Pick<RowValues, 'source' | 'title' | 'fileSize' | 'fileModifiedMs'>;

/** A row that would get a publication, with only what the check for a renamed key needs. */
interface Candidate extends TraitValues {
  line: number;
  key: string;
  channel: string;
  /** Its channel for people. */
  place: Place;
  /** The campaign has no row for it. */
  isNew: boolean;
  action: PlanAction;
  /** Its position in the plan. */
  at: number;
}

/** A row that may be published, or is, with a video that the manifest has under another key. */
interface Holder {
  key: string;
  /** The manifest still has its key, with another source. */
  kept: boolean;
}

/** A channel for people; accounts may have channels of the same name. */
interface Place {
  account: string;
  label: string;
}

/** A row that was or may have been sent, and is no longer in the manifest. */
interface Gone {
  key: string;
  channel: string;
  place: Place;
}

/** Actions that may give a row a publication that it would not have had otherwise. */
const GETS_PUBLICATION: readonly PlanAction[] = ['create', 'update', 'attempt', 'recreate'];

/** Finds rows that would publish a video that the campaign has under another key, or had in another channel. */
export class RenamedKeys {
  private readonly candidates: Candidate[] = [];
  /** By property: rows that were or may have been sent, and unsent ones; for the latter, those that a candidate replaces. */
  private readonly possiblySent = new Map<string, Holder>();
  private readonly unsent = new Map<string, { id: number; kept: boolean }[]>();
  /** By key or source, whatever the channel: the rows that the manifest no longer has. */
  private readonly gone = new Map<string, Gone>();
  private readonly replacedRows = new Map<number, { kept: boolean }>();

  /**
   * A row that would get a publication may be one that was sent under another key: a new row, but also one that was
   * cancelled, pruned or rejected under this key before it was sent under the other one.
   */
  noteCandidate(
    entry: Entry,
    channel: string,
    found: FoundRow | null,
    { action, at }: Pick<Candidate, 'action' | 'at'>,
  ): void {
    if (!GETS_PUBLICATION.includes(action)) return;
    // An unsent row that keeps its source was compared when it was accepted.
    if (action === 'update' && found?.values.source === entry.values.source) return;
    const { line, key, values } = entry;
    const { source, title, fileSize, fileModifiedMs } = values;
    const file = fileSize === undefined || fileModifiedMs === undefined ? {} : { fileSize, fileModifiedMs };
    const place = placeOf(entry.account, values);
    this.candidates.push({ line, key, channel, place, isNew: found === null, source, title, ...file, action, at });
  }

  /** A row that gets another source releases its old one: another row may take that only if it was not sent. */
  noteMoved(found: FoundRow, entry: Entry): void {
    if (!differences(found.values, entry.values).source) return;
    this.note(found, { ...found.values, title: null }, { kept: true, giveUp: isUnsent(found.state) });
  }

  /** A row that the manifest no longer has. */
  noteVanished(row: FoundRow, giveUp: boolean): void {
    this.note(row, row.values, { kept: false, giveUp });
    const { key, channel } = row;
    for (const trait of channelFree(key, row.values)) {
      if (giveUp) this.noteUnsent(trait, { id: row.id, kept: false });
      else if (wasSent(row) && !isUnsent(row.state))
        this.gone.set(trait, { key, channel, place: placeOf(row.account, row.values) });
    }
  }

  /** What must still be unsent when the submission is accepted, and may not be sent from then on. */
  get replaced(): ReplacedRows {
    const ids = (kept: boolean) => [...this.replacedRows].filter(([, row]) => row.kept === kept).map(([id]) => id);
    return { pruned: ids(false), moved: ids(true) };
  }

  /** Once everything is noted: the candidates that are to be refused. */
  *suspects(): Generator<Candidate & { problem: SubmissionProblem }> {
    if (this.possiblySent.size + this.unsent.size + this.gone.size === 0) return;
    for (const candidate of this.candidates) {
      const { line, key, action } = candidate;
      const own = traits(candidate.channel, candidate);
      const free = candidate.isNew ? channelFree(key, candidate) : [];
      for (const trait of [...own, ...free]) {
        for (const { id, kept } of this.unsent.get(trait) ?? []) this.replacedRows.set(id, { kept });
        // Once is enough: thousands of rows may have the same title.
        this.unsent.delete(trait);
      }
      const old = own.map((trait) => this.possiblySent.get(trait)).find((one) => one !== undefined);
      if (old === undefined || (old.kept && old.key === key)) {
        // The row of another channel that this new row has taken the place of.
        const gone = free
          .map((trait) => this.gone.get(trait))
          .find((one) => one !== undefined && one.channel !== candidate.channel);
        if (gone) yield { ...candidate, problem: channelChanged(candidate, gone) };
        continue;
      }
      const what = action === 'create' ? 'is new' : 'was not published';
      const holder = old.kept
        ? `key ${old.key} was, or is being, sent with the same source or file in this channel, and has another one in the manifest now`
        : `key ${old.key}, which the manifest no longer has, has the same source, file or title in this channel`;
      yield {
        ...candidate,
        problem: problem({ line, key }, 'error', 'rekey-suspected', {
          message: `key ${key} ${what}, but ${holder}`,
          hint: `if it is the same video, give it the key ${old.key}: it is not published again then; if it is another one, --rekey publishes it`,
        }),
      };
    }
  }

  private note(row: FoundRow, values: TraitValues, { kept, giveUp }: { kept: boolean; giveUp: boolean }): void {
    for (const trait of traits(row.channel, values)) {
      if (giveUp) this.noteUnsent(trait, { id: row.id, kept });
      // The service may have stored what it refused, and the claim of a new row looks for it by the source that the row
      // has: no longer the one that was sent.
      else if (wasSent(row) || (kept && row.state === 'rejected')) this.possiblySent.set(trait, { key: row.key, kept });
    }
  }

  private noteUnsent(trait: string, row: { id: number; kept: boolean }): void {
    const rows = this.unsent.get(trait);
    if (rows) rows.push(row);
    else this.unsent.set(trait, [row]);
  }
}

function channelChanged({ line, key, place }: Candidate, gone: Gone): SubmissionProblem {
  const sameLabel = place.label === gone.place.label;
  const named = ({ account, label }: Place) => (sameLabel ? `${label} (account ${account})` : label);
  const [what, under] = gone.key === key ? ['it', ''] : ['its source', ` under key ${gone.key}`];
  return problem({ line, key }, 'error', 'rekey-suspected', {
    message: `key ${key} is new in ${named(place)}, but ${what} was, or is being, sent to ${named(gone.place)}${under}; the manifest no longer has that row`,
    hint: 'if the channel was changed by mistake, change it back; to publish in the other channel as well, keep the old row beside the new one, or use --rekey',
  });
}

function placeOf(account: string, values: RowValues): Place {
  return { account, label: channelLabel(values) };
}

/** What identifies a video in every channel. */
function channelFree(key: string, { source }: Pick<TraitValues, 'source'>): string[] {
  return [`key ${key}`, ...(source === null ? [] : [`source ${sourceIdentity(source)}`])];
}

export function isUnsent(state: RowState): boolean {
  return state === 'planned' || state === 'waiting';
}

/** It was sent, or may have been; an unsent row will be sent. */
function wasSent({ state, sent }: Pick<FoundRow, 'state' | 'sent'>): boolean {
  return countsAsDone(state) || (state === 'cancelled' && sent);
}

function traits(channel: string, values: TraitValues): string[] {
  const found: string[] = [];
  if (values.source !== null) found.push(`${channel} source ${sourceIdentity(values.source)}`);
  if (values.title !== null && values.title !== '') found.push(`${channel} title ${values.title}`);
  // A file that is renamed together with its key keeps its size and its modification time.
  const { fileSize, fileModifiedMs } = values;
  if (fileSize !== undefined && fileModifiedMs !== undefined) {
    found.push(`${channel} file ${String(fileSize)} ${String(fileModifiedMs)}`);
  }
  return found;
}
