import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDocument, type Scalar, type YAMLMap } from 'yaml';

/**
 * Builds the image and runs `docker-compose.yml` in a container engine: publishes a campaign, kills a worker and makes it anew under
 * another name, restarts both PostgreSQL servers, takes everything down and up again, and compares the sandbox's publications with the results.
 * `npm run test:containers` needs Docker with Compose and the images that the two files name (pulled, or stand-ins with these names).
 * `REELAY_TEST_BUILD`: options for `docker build`, or `none` where reelay:0.1.0 was built already. Everything it makes has a project of its own and is removed at the end.
 */
const ROWS = 60;
const PROJECT = `reelay-test-${String(process.pid)}`;
const root = join(__dirname, '..', '..');
const COMPOSE = works('docker', 'compose', 'version') ? ['docker', 'compose'] : ['docker-compose'];
const began = Date.now();
const folder = mkdtempSync(join(tmpdir(), 'reelay-containers-'));
const file = join(folder, 'compose.yml');
writeFileSync(file, withoutPorts(readFileSync(join(root, 'docker-compose.yml'), 'utf8')));

/** Other programs of the machine may have the ports; commands run in the containers. Compose 1 doesn't know the name. */
function withoutPorts(text: string): string {
  const document = parseDocument(text, { merge: true });
  document.delete('name');
  for (const { key } of (document.get('services') as YAMLMap<Scalar<string>>).items)
    document.deleteIn(['services', key.value, 'ports']);
  return document.toString();
}

function works(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function run(command: readonly string[], input?: string): string {
  const [program = '', ...args] = command;
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26, timeout: 3_600_000 } as const;
  return execFileSync(program, args, input === undefined ? options : { ...options, input });
}

function compose(args: readonly string[], input?: string): string {
  return run([...COMPOSE, '--project-directory', root, '--file', file, '--project-name', PROJECT, ...args], input);
}

/** A command of reelay beside the ledger, in the first worker that runs. */
function reelay(args: readonly string[], input?: string): string {
  const [worker = ''] = workers();
  return run(['docker', 'exec', '-i', worker, 'node', '/app/dist/cli/main.js', ...args], input);
}

function workers(): string[] {
  return compose(['ps', '-q', 'worker']).trim().split('\n').filter(isRunning);
}

function inspect(id: string, what: string): string {
  return run(['docker', 'inspect', '--format', `{{${what}}}`, id]).trim();
}

function isRunning(id: string): boolean {
  return id !== '' && inspect(id, '.State.Running') === 'true';
}

async function until(what: string, check: () => boolean, seconds = 240): Promise<void> {
  const start = Date.now();
  while (!holds(check)) {
    if (Date.now() - start > seconds * 1_000) throw new Error(`not within ${String(seconds)} s: ${what}`);
    await sleep(2_000);
  }
  note(`${what} after ${String(Math.round((Date.now() - start) / 1_000))} s`);
}

/** While containers come and go, asking them fails. */
function holds(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function note(text: string): void {
  print(`${String(Math.round((Date.now() - began) / 1_000)).padStart(4)} s  ${text}`);
}

function demand(fact: boolean, text: string): void {
  if (!fact) throw new Error(`not so: ${text}`);
  note(text);
}

const healthy = (): string[] => workers().filter((id) => inspect(id, '.State.Health.Status') === 'healthy');

interface Result {
  key: string;
  state: string;
  publication_id: string | null;
}

function results(campaign: string): Result[] {
  return JSON.parse(`[${reelay(['results', campaign, '-o', 'jsonl']).trim().split('\n').join(',')}]`) as Result[];
}

function countOf(campaign: string, state: string): number {
  return results(campaign).filter((row) => row.state === state).length;
}

function csv(name: string): string {
  const lines = Array.from({ length: ROWS }, (_, at) => {
    const id = `${name}-${String(at)}`;
    return `${id},Episode ${id},https://media.campaigns.internal/${id}.mp4,short`;
  });
  return `key,title,source,platform\n${lines.join('\n')}\n`;
}

function submit(campaign: string): void {
  reelay(['submit', '-', '--campaign', campaign, '--no-probe'], csv(campaign));
  note(`submitted ${String(ROWS)} rows as ${campaign}`);
}

async function published(campaign: string): Promise<void> {
  await until(`${campaign}: ${String(ROWS)} published`, () => countOf(campaign, 'published') === ROWS);
}

/** Creates that the sandbox accepted, by title. */
function created(): Map<string, number> {
  const sandbox = compose(['ps', '-q', 'sandbox']).trim();
  const log = run(['docker', 'exec', sandbox, 'cat', '/data/creates.log']).trim().split('\n');
  const counts = new Map<string, number>();
  for (const line of log) {
    const title = /Episode [\w-]+/.exec(line)?.[0] ?? line;
    counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  return counts;
}

async function scene(): Promise<void> {
  const options = (process.env['REELAY_TEST_BUILD'] ?? '').split(' ').filter(Boolean);
  if (options[0] !== 'none') run(['docker', 'build', ...options, '-t', 'reelay:0.1.0', '.']);
  const size = Number(run(['docker', 'image', 'inspect', '--format', '{{.Size}}', 'reelay:0.1.0'])) / 1e6;
  const layers = run(['docker', 'history', '--format', '{{.Size}}', '--human=false', 'reelay:0.1.0'])
    .trim()
    .split('\n');
  note(
    `image built: ${size.toFixed(0)} MB; its own layers ${(layers.slice(0, 9).reduce((sum, one) => sum + Number(one), 0) / 1e6).toFixed(0)} MB`,
  );
  compose(['up', '-d', '--no-build', '--scale', 'worker=2']);
  await until('both workers healthy', () => healthy().length === 2);
  const [first = ''] = healthy();
  demand(run(['docker', 'exec', first, 'id', '-un']).trim() === 'node', 'the image’s user is node');
  const write = spawnSync('docker', ['exec', first, 'sh', '-c', 'touch /app/x || touch /app/dist/x'], {
    stdio: 'ignore',
  });
  demand(write.status !== 0, '/app can’t be written by it');
  demand(inspect(first, '.HostConfig.LogConfig.Config').includes('max-size:20m'), 'logs rotate');

  submit('kill');
  run(['docker', 'kill', first]);
  run(['docker', 'rm', first]);
  compose(['up', '-d', '--no-build', '--scale', 'worker=2']);
  note('a worker was killed and made anew');
  await published('kill');

  submit('database');
  for (const server of ['ledger', 'postgresql'])
    run(['docker', 'restart', '--time', '1', compose(['ps', '-q', server]).trim()]);
  note('the ledger’s PostgreSQL and Temporal’s were restarted');
  await published('database');

  submit('down');
  compose(['down', '--timeout', '60']);
  note('everything was taken down');
  compose(['up', '-d', '--no-build', '--scale', 'worker=2']);
  await until('both workers healthy again', () => healthy().length === 2);
  await published('down');

  const counts = created();
  const twice = [...counts].filter(([, count]) => count > 1);
  demand(
    counts.size === 3 * ROWS && twice.length === 0,
    `${String(counts.size)} publications for ${String(3 * ROWS)} rows, none twice`,
  );
  const temporal = compose(['ps', '-q', 'temporal']).trim();
  run(['docker', 'stop', temporal]);
  await until('workers unhealthy without Temporal', () => healthy().length === 0, 180);
}

async function main(): Promise<void> {
  if (!works('docker', 'info')) {
    print('skipped: no container engine answers to `docker info`\n0 passed, 0 failed, 1 skipped');
    rmSync(folder, { recursive: true });
    return;
  }
  try {
    await scene();
    print('1 passed, 0 failed');
  } catch (error) {
    print(compose(['logs', '--tail', '15']));
    print(`${String(error)}\n0 passed, 1 failed`);
    process.exitCode = 1;
  } finally {
    compose(['down', '--volumes', '--timeout', '5']);
    rmSync(folder, { recursive: true });
  }
}

void main();
