import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { workflowBundle } from '../support/workflow-bundle';

const FOLDER = join(__dirname, 'histories');
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.pb'));
/** Each history with its SHA-256, as `sha256sum` writes them. It may only grow: runs of every release may still be open. */
const LIST = join(__dirname, 'histories.sha256');
const ROOT = join(__dirname, '..', '..');

let bundle: WorkflowBundleWithSourceMap;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  bundle = await workflowBundle();
});

describe('runs that were started by an earlier version', () => {
  it('exist to be replayed: campaigns, channels, firings and notices', () => {
    expect(files.length).toBeGreaterThanOrEqual(4);
    for (const kind of ['campaign-', 'firing-', 'notice-'])
      expect(files.some((name) => name.includes(`.${kind}`))).toBe(true);
  });

  it('are kept as they were recorded, each in the list', () => {
    const digest = (name: string) =>
      createHash('sha256')
        .update(readFileSync(join(FOLDER, name)))
        .digest('hex');
    const kept = files.sort().map((name) => `${digest(name)}  ${name}`);
    expect(readFileSync(LIST, 'utf8').trimEnd().split('\n')).toEqual(kept);
  });

  it('of every release exist', () => {
    const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
    const releases = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gmu)].map(([, version]) => version);
    expect(releases.filter((version) => !files.some((name) => name.startsWith(`${version}.`)))).toEqual([]);
  });

  const hasGit = spawnSync('git', ['log', '-1', '--', LIST], { cwd: ROOT, encoding: 'utf8' }).stdout !== '';
  (hasGit ? it : it.skip)(
    'are never taken from the list: no commit has removed a line, nor has what isn’t committed',
    () => {
      for (const args of [
        ['log', '--format=', '-p', '--', LIST],
        ['diff', 'HEAD', '--', LIST],
      ]) {
        const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
        expect(status).toBe(0);
        expect(stdout.split('\n').filter((line) => /^-(?!--)/u.test(line))).toEqual([]);
      }
    },
  );

  it.each(files)('go on with this one: %s', async (file) => {
    const history = temporal.api.history.v1.History.decode(readFileSync(join(FOLDER, file)));
    const workflowId = history.events[0]?.workflowExecutionStartedEventAttributes?.workflowId;
    await Worker.runReplayHistory({ workflowBundle: bundle }, history, workflowId ?? file);
  });
});
