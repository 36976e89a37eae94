import { openLedger } from '../../../ledger/open';
import { type RunRef } from '../../../ledger/model/types';
import { thisHost } from '../../../cli/stack/engine';
import { entry, submission, worker } from '../../ledger/support';
import { HOSTILE_TEXTS } from '../../support/hostile-text';

export const CAMPAIGN = 'hostile';
/** The outcome of a row: each for every hostile text. */
const FATES = [
  ...['published', 'differs', 'failed', 'overdue', 'rejected', 'unconfirmed', 'submitted', 'drafted', 'odd-status'],
  ...['creating', 'never-sent', 'planned'],
] as const;
type Fate = (typeof FATES)[number];

/** Each text in each field of a row; the outcome is only in its key. */
const key = (fate: Fate, text: string): string => `${fate} ${text}`;
export const HOSTILE_KEYS: readonly string[] = FATES.flatMap((fate) => HOSTILE_TEXTS.map((text) => key(fate, text)));
export const UNCONFIRMED_KEYS: readonly string[] = HOSTILE_TEXTS.map((text) => key('unconfirmed', text));

/**
 * A ledger in which every text that a manifest, the service or another person's name could bring holds every hostile text: keys,
 * titles, columns, cells, profiles, ids, statuses, messages, reasons, paths and flags. Rows are in every state, the run is open.
 */
export async function writeHostileLedger(path: string): Promise<void> {
  const ledger = await openLedger({ path }, { host: await thisHost() });
  try {
    await ledger.registerWorker(worker());
    const rows = FATES.flatMap((fate) => HOSTILE_TEXTS.map((text) => ({ fate, text })));
    const manifest = submission(
      rows.map(({ fate, text }, position) =>
        entry(position, key(fate, text), {
          cells: Object.fromEntries(HOSTILE_TEXTS.map((column) => [column, text])),
          values: {
            ...{ title: text, description: text, profileId: text, profileName: text },
            source: `https://media.example/${encodeURIComponent(text)}.mp4?X-Amz-Signature=${encodeURIComponent(text)}`,
            ...(fate === 'submitted' ? { via: 'direct', source: `/videos/${text}.mp4`, sourceKind: 'file' } : {}),
            ...(fate === 'drafted' ? { status: 'draft' } : {}),
          },
        }),
      ),
      { settings: { channelConcurrency: 1000, accountConcurrency: 1000 } },
    );
    const all = HOSTILE_TEXTS.join(' ');
    const run = await begin({
      ...manifest,
      campaign: CAMPAIGN,
      by: all,
      given: [['--columns', all], ['--timezone', all], ['--prune']],
      snapshot: { ...manifest.snapshot, path: `/manifests/${all}.csv`, text: all, columns: HOSTILE_TEXTS },
    });
    for (const { id: channelId } of await ledger.channels(run))
      for (const { id, line } of await ledger.takePage({ run, channelId, limit: 1000, now: Date.now() })) {
        const { fate, text } = rows[line - 2]!;
        await play(id, fate, text, line);
      }
    for (const [index, channel] of (await ledger.channels(run)).entries()) {
      const text = HOSTILE_TEXTS[index % HOSTILE_TEXTS.length]!;
      await ledger.setGate({ scope: `channel:${channel.id}`, kind: 'parked', by: text, reason: text });
    }
    await ledger.setGate({ scope: 'account:default', kind: 'parked', by: all, reason: all });
    await ledger.pause({ run, by: all });
    await ledger.setLive({ run, by: all, settings: [{ name: 'min_gap', shown: all, layer: null }] });
    const cancelled = await begin({
      ...submission([entry(0, 'a'), entry(1, 'b')]),
      campaign: 'cancelled',
      by: all,
    });
    await ledger.cancel({ run: cancelled, by: all });

    async function begin(input: Parameters<typeof ledger.submit>[0]): Promise<RunRef> {
      await ledger.submit(input);
      const begun = {
        campaign: input.campaign,
        workflowId: `campaign/${input.campaign}`,
        workflowRunId: input.campaign,
      };
      const started = await ledger.beginRun(begun);
      if (started === null) throw new Error('no open run');
      await ledger.importSubmissions(started);
      return started;
    }

    async function play(rowId: number, fate: Fate, text: string, at: number): Promise<void> {
      if (fate === 'planned') return;
      const claim = await ledger.claim({ rowId, run, worker: worker().id, now: Date.now() });
      if (!claim.claimed) throw new Error(`${fate}: ${claim.reason}`);
      const publicationId = `${text}${String(at)}`;
      const accepted = () => ledger.record(rowId, 1, { kind: 'accepted', publicationId, status: text, message: text });
      const end = async (state: 'published' | 'failed' | 'overdue', more: object = {}): Promise<void> => {
        await accepted();
        const told = { videoId: text, videoUrl: text, privacy: text, publishedAt: text, message: text, code: text };
        await ledger.recordEnds([{ rowId, publicationId, state, status: text, ...told, ...more }]);
      };
      if (fate === 'published') await end('published');
      else if (fate === 'differs') await end('published', { code: 'not-as-requested' });
      else if (fate === 'failed' || fate === 'overdue') await end(fate);
      else if (fate === 'rejected')
        await ledger.record(rowId, 1, { kind: 'rejected', code: text, message: text, httpStatus: 422, column: text });
      else if (fate === 'unconfirmed') {
        await ledger.record(rowId, 1, { kind: 'unknown', code: 'answer-lost', message: text });
        const candidates = [publicationId, text];
        await ledger.settle(rowId, 1, { kind: 'unconfirmed', code: 'ambiguous', message: text, candidates });
      } else if (fate === 'submitted')
        await ledger.record(rowId, 1, { kind: 'submitted', publishId: text, message: text });
      else if (fate === 'drafted') await ledger.record(rowId, 1, { kind: 'accepted', publicationId, status: 'draft' });
      else if (fate === 'odd-status') {
        await accepted();
        await ledger.noteStatus(rowId, publicationId, text);
      } else if (fate === 'never-sent')
        await ledger.record(rowId, 1, {
          kind: 'never-sent',
          code: text,
          message: text,
          retryAt: Date.now() + 3_600_000,
        });
    }
  } finally {
    await ledger.close();
  }
}
