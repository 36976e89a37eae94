import { END_STATES, type RowState, TRANSITIONS } from '../../ledger/model/states';
import { type SharedLedger } from '../stand-ins/ledger';
import { Broken } from './broken';
import { checkFirings, checkNotices } from './around-runs';
import { type Stored } from '../service/messages';
import { type Service } from '../service/service';
import { type Fate, type World } from '../world/world';

interface Row {
  id: number;
  campaign: string;
  key: string;
  state: RowState;
  code: string | null;
  run_id: number | null;
  publication_id: string | null;
  publish_id: string | null;
  source: string;
  title: string | null;
  /** What it was accepted as, or was last changed to. */
  status: string;
}

interface EndedRun {
  id: number;
  campaign: string;
  number: number;
}

const ROWS = `select rows.id, rows.campaign, rows.key, rows.state, rows.code, rows.run_id, rows.publication_id, rows.publish_id,
  json_extract(entries."values", '$.source') as source, json_extract(entries."values", '$.title') as title,
  json_extract(entries."values", '$.status') as status
  from rows join entries on entries.snapshot_id = rows.entry_snapshot and entries.position = rows.entry_position`;
const STATES = 'select id, state from rows';
const OPEN_ATTEMPTS = `select attempts.worker_id from attempts join rows on rows.id = attempts.row_id
  join entries on entries.snapshot_id = rows.entry_snapshot and entries.position = rows.entry_position
  where attempts.ended_at is null and json_extract(entries."values", '$.source') = ?`;
const ENDED = "select id, campaign, number from runs where closed_as = 'ended'";
const UNDER_WAY = "select key, state from rows where run_id = ? and state in ('creating', 'processing')";
const OWNED = 'select row_id from publications where publication_id = ?';
const OWNER_OF_SOURCE = `select rows.id from publications join rows on rows.id = publications.row_id
  join entries on entries.snapshot_id = rows.entry_snapshot and entries.position = rows.entry_position
  where publications.publication_id = ? and json_extract(entries."values", '$.source') = ?`;

const UNCONFIRMED_OF_SOURCE = `select rows.id from rows
  join entries on entries.snapshot_id = rows.entry_snapshot and entries.position = rows.entry_position
  where rows.state = 'unconfirmed' and rows.id != ? and json_extract(entries."values", '$.source') = ?`;

const ENDS: ReadonlySet<string> = new Set(END_STATES);

/** Checks what must hold after every step: the promises of docs/explanation/proof.md, by their names there. */
export class Promises {
  private states = new Map<number, RowState>();
  private readonly endedRuns = new Set<number>();
  /** Answers that a process which never died had received. */
  private readonly answered: { id: string; hasDied: () => boolean }[] = [];

  private readonly liesAboutIds: boolean;
  /** Videos whose drafts a person asked to replace with a publication. */
  private readonly replaced = new Set<string>();

  constructor(
    private readonly ledger: SharedLedger,
    private readonly service: Service,
    private readonly world: World,
    /** The process of a worker has ended. */
    private readonly hasDied: (worker: string) => boolean,
  ) {
    this.liesAboutIds = world.campaigns.some(({ rows }) => rows.some(({ fates }) => fates.some(isAboutAnother)));
    service.onStored = (stored) => this.atMostOnce(stored);
  }

  /** A person wants this video's draft to be replaced by a publication. */
  mayReplace(source: string): void {
    this.replaced.add(source);
  }

  /** Called right when a create's first byte is sent. */
  mayLeave(worker: string, source: string): void {
    const open = this.ledger.all<{ worker_id: string }>(OPEN_ATTEMPTS, source);
    if (open.some(({ worker_id }) => worker_id === worker)) return;
    throw new Broken('nothing is sent without a claim', `${worker} sends ${source} without an open attempt of its own`);
  }

  /** A create's answer has arrived. */
  noteAnswer(worker: string, id: string, source: string): void {
    // The id of another's publication says nothing about this create.
    if (!this.service.stored.some((one) => one.id === id && one.source === source)) return;
    this.answered.push({ id, hasDied: () => this.hasDied(worker) });
  }

  /** Called after every write: rows move only as the table of states allows, and no run ends before its rows. */
  check(): void {
    for (const { id, state } of this.ledger.all<{ id: number; state: RowState }>(STATES)) {
      const before = this.states.get(id);
      if (before === state) continue;
      this.states.set(id, state);
      if (before !== undefined && !isReachable(before, state))
        throw new Broken('rows move as the table allows', `row ${id} moved from ${before} to ${state}`);
    }
    for (const run of this.ledger.all<EndedRun>(ENDED)) this.checkEnded(run);
  }

  /** Checked right when it closes: afterwards, a late answer may move one of its rows. */
  private checkEnded({ id, campaign, number }: EndedRun): void {
    if (this.endedRuns.has(id)) return;
    this.endedRuns.add(id);
    const [left] = this.ledger.all<{ key: string; state: RowState }>(UNDER_WAY, id);
    if (left === undefined) return;
    throw new Broken('a run ends with its rows', `${campaign}.${number} has ended, and ${left.key} is ${left.state}`);
  }

  /** Called once nothing happens any more. `isOver`: it ended by itself, with no workflow and no command left. */
  checkEnd(isOver: boolean, heard: ReadonlySet<string>): void {
    for (const row of this.ledger.all<Row>(ROWS)) {
      const name = `${row.campaign} ${row.key}`;
      if (!ENDS.has(row.state) && !this.isLeftForAnother(row))
        throw new Broken('every row ends', `${name} is left ${row.state} (${row.code ?? 'no code'})`);
      this.checkOutcome(row, name);
    }
    for (const { id, hasDied } of this.answered) {
      if (hasDied() || this.ledger.all(OWNED, id).length > 0) continue;
      throw new Broken('no answer is lost', `publication ${id} was answered, but no row has it`);
    }
    for (const stored of this.service.stored) this.checkStored(stored);
    if (this.world.schedule !== undefined) checkFirings(this.ledger, this.world);
    if (this.world.notices !== undefined) checkNotices(this.ledger, this.world, heard);
    if (!isOver) throw new Broken('every run ends', 'workflows or commands are left');
  }

  /** A firing takes some of the rows; the next one takes more. */
  private isLeftForAnother({ state, run_id }: Row): boolean {
    const { take = null } = this.world.schedule ?? {};
    return take !== null && run_id === null && (state === 'planned' || state === 'waiting');
  }

  /** The service answered that it refused it, although it stored it: the answer is trusted (docs/explanation/limits.md). */
  private isDenied(source: string): boolean {
    return this.service.denied.has(source);
  }

  private atMostOnce(stored: Stored): void {
    const { source } = stored;
    if (source?.endsWith('.mp4') !== true)
      throw new Broken('a manifest is read when it is complete', `${source ?? ''} is no row’s video`);
    if (stored.content !== undefined && stored.content !== '1') this.demandAccepted(stored);
    const before = this.service.stored.filter((one) => one !== stored && one.source === source);
    const live = before.filter((one) => this.isLive(one));
    const isReplaced = this.replaced.has(source) && stored.status !== 'draft';
    if (live.length === 0 || (isReplaced && live.every((one) => isDraft(this.service.statusOf(one))))) return;
    throw new Broken('at most one publication per row', `${source} is stored ${before.length + 1} times`);
  }

  private demandAccepted({ source, content }: Stored): never {
    throw new Broken('a file is sent as it was accepted', `versions ${content ?? ''} of ${source ?? ''} were sent`);
  }

  /** It is live, or may become so. */
  private isLive(stored: Stored): boolean {
    const status = this.service.statusOf(stored);
    return status !== 'failed' && !(stored.deleted && isDraft(status));
  }

  /** A draft may be published long after it was stored. */
  private checkStored(stored: Stored): void {
    if (stored.source === null || isDraft(this.service.statusOf(stored)) || !this.isLive(stored)) return;
    const out = this.service.stored.filter((one) => one.source === stored.source && this.isLive(one));
    const published = out.filter((one) => !isDraft(this.service.statusOf(one)));
    if (published.length > 1)
      throw new Broken('at most one publication per row', `${stored.source} is live ${published.length} times`);
  }

  /** Its video came back under a new key, and that row has the publication. */
  private isOfAnother({ id }: Stored, row: Row): boolean {
    return this.ledger.all<{ id: number }>(OWNER_OF_SOURCE, id, row.source).some((owner) => owner.id !== row.id);
  }

  /** Its video came back under a new key, and a person is asked about that row. */
  private isAskedOfAnother(row: Row): boolean {
    return this.ledger.all<{ id: number }>(UNCONFIRMED_OF_SOURCE, row.id, row.source).length > 0;
  }

  private checkOutcome(row: Row, name: string): void {
    const own = this.service.stored.filter(({ source }) => source === row.source);
    const live = own.filter((one) => this.service.statusOf(one) === 'published' && !this.isOfAnother(one, row));
    if (row.publication_id !== null) {
      const named = this.service.stored.find(({ id }) => id === row.publication_id);
      // Nothing certain is known of a service that answers with other creates' ids (docs/explanation/limits.md).
      if (named?.source !== row.source && this.liesAboutIds) return;
      if (named?.source !== row.source)
        throw new Broken(
          'no row takes another’s publication',
          `${name} has ${row.publication_id} of ${named?.source ?? 'somebody else'}`,
        );
      const shown = named.deleted ? row.state : this.service.statusOf(named);
      // The answer to a draft's change may be lost, and the draft published with it.
      const isCertain = row.state === 'drafted' || row.status === 'published';
      if (isCertain && row.code === null && !named.deleted && named.title !== row.title)
        throw new Broken(
          'a publication is as its row shows',
          `${name} is “${row.title ?? ''}”, its publication “${named.title ?? ''}”`,
        );
      if (row.state === 'overdue' && ['published', 'failed'].includes(shown))
        throw new Broken('outcomes are the service’s', `${name} is overdue, its publication ${shown}`);
      if (['published', 'failed'].includes(row.state) && shown !== row.state)
        throw new Broken('outcomes are the service’s', `${name} is ${row.state}, its publication ${shown}`);
      return;
    }
    if (row.publish_id !== null && !own.some(({ id }) => id === row.publish_id))
      throw new Broken(
        'outcomes are the service’s',
        `${name} has the publish id ${row.publish_id} of nothing that is out`,
      );
    const isUnsaid =
      row.publish_id !== null ||
      ['unconfirmed', 'submitted'].includes(row.state) ||
      row.code === 'given-up' ||
      this.isDenied(row.source) ||
      this.isAskedOfAnother(row);
    if (live.length > 0 && !isUnsaid)
      throw new Broken('no outcome is lost', `${name} is ${row.state}, but live as ${live[0]?.id ?? ''}`);
  }
}

function isDraft(status: string): boolean {
  return status === 'draft' || status === 'pending';
}

function isAboutAnother({ answers }: Fate): boolean {
  return answers === 'another-id';
}

/** One write may move a row several times. */
function isReachable(from: RowState, to: RowState): boolean {
  const seen = new Set<string>([from]);
  for (const state of seen) for (const next of Object.keys(TRANSITIONS[state as RowState])) seen.add(next);
  return seen.has(to);
}
