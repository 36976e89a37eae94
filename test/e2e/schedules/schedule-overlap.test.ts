import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { type Firing } from '../../../ledger/model/firing-types';
import { holdCreates } from '../support/hold-creates';
import { writeCampaign } from '../support/manifests';
import { BY_HAND, ScheduleMachine } from '../support/schedule-machine';

jest.setTimeout(600_000);

const machine = ScheduleMachine.forTests();

/** A campaign whose first row of each firing is sent only after some seconds, so that its run is still open. */
async function slow(name: string, rows: number): Promise<string> {
  const path = machine.path(`${name}.csv`);
  await writeCampaign(path, rows, { host: `${name}.example`, profiles: ['Garden'], title: (at) => `${name} ${at}` });
  return path;
}

const ended = (found: readonly Firing[], outcome: string): number =>
  found.filter((one) => one.outcome === outcome).length;

it('while the run of a firing is open, the next ones are skipped, wait for it, or join it, as configured', async () => {
  // Nothing of the run that is joined is accepted before it was.
  const release = holdCreates(
    machine.service,
    [0, 1, 2, 3].map((at) => `join ${at}`),
  );
  // A gap between creates that two intervals fit into.
  const flags = ['--every', '2s', '--take', '2', '--min-gap', '5s', '--catch-up', '1h'];
  await Promise.all(
    (['skip', 'wait', 'join'] as const).map(async (overlap) => {
      const path = await slow(overlap, 4);
      await machine.schedule('create', overlap, path, ...flags, '--overlap', overlap);
    }),
  );
  const skip = await machine.untilFirings(
    'skip',
    (found) => ended(found, 'done') >= 1 && found.some(({ code }) => code === 'running'),
  );
  // Skipped firings are recorded with the one that ran.
  const skipped = skip.find(({ code }) => code === 'running');
  expect([skipped?.outcome, skipped?.reason]).toEqual(['skipped', expect.stringContaining('still under way')]);
  const wait = await machine.untilFirings('wait', (found) => ended(found, 'done') >= 2);
  const times = wait.filter(({ outcome }) => outcome === 'done').map(({ startedAt, endedAt }) => [startedAt, endedAt]);
  // One after the other, never both at once.
  const [second, first] = times;
  expect(Date.parse(second?.[0] ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.[1] ?? '') - 1_000);
  const join = await machine.untilFirings('join', (found) => found.filter(({ run }) => run !== null).length >= 2);
  release();
  const joined = join.filter(({ run }) => run !== null);
  expect(new Set(joined.map(({ run }) => run?.number))).toEqual(new Set([1]));
  for (const name of ['skip', 'wait', 'join']) await machine.schedule('delete', name, '--yes');
  for (const name of ['skip', 'wait', 'join']) {
    const sent = machine.accepted(name);
    expect([name, new Set(sent).size]).toEqual([name, sent.length]);
  }
});

it('a manifest behind a URL is read at each firing; if it no longer exists, the firing is refused', async () => {
  let text: string | null = await readFile(await slow('feed', 1), 'utf8');
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (text === null) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/csv' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/feed.csv?signature=secret`;
  const made = await machine.schedule('create', 'feed', url, ...BY_HAND);
  expect([made.code, JSON.stringify(made.answer).includes('secret')]).toEqual([0, false]);
  const first = await machine.fire('feed');
  expect([first?.outcome, first?.run?.campaign, machine.accepted('feed')]).toEqual(['done', 'feed', ['feed 0']]);
  text = await readFile(await slow('feed', 2), 'utf8');
  const second = await machine.fire('feed');
  expect([second?.outcome, machine.accepted('feed')]).toEqual(['done', ['feed 0', 'feed 1']]);
  // The content that was used is kept by its hash.
  expect(second?.manifestHash).not.toBe(first?.manifestHash);
  text = null;
  const gone = await machine.fire('feed');
  expect([gone?.outcome, gone?.code]).toEqual(['refused', 'manifest-unreadable']);
  expect(gone?.reason).toMatch(/feed\.csv answered 404$/);
  expect(asked.every((path) => path === '/feed.csv?signature=secret')).toBe(true);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
