import { writeFile } from 'node:fs/promises';
import { machineWithService } from '../support/machine-with-service';

jest.setTimeout(600_000);

const faults = ['create title="Episode 1" times=1 -> status 422 accept'];
const at = machineWithService({ faults, open: { echoTitle: true } });

async function write(name: string, ...rows: (readonly [key: string, title: string])[]): Promise<string> {
  const lines = rows.map(([key, title]) => `${key},${title},https://videos.example/${title.slice(-1)}.mp4,short`);
  await writeFile(at.machine.path(name), ['key,title,video_url,platform', ...lines, ''].join('\n'));
  return at.machine.path(name);
}

async function run(manifest: string, ...flags: string[]): Promise<{ code: number | null; counts: object }> {
  const { code, stdout } = await at.machine.run(['run', manifest, '-o', 'json', ...flags]);
  return { code, counts: JSON.parse(stdout).counts };
}

describe('a video that the service stored although it refused it', () => {
  beforeEach(async () => {
    const first = await run(await write('spring.csv', ['ep-1', 'Episode 1'], ['ep-2', 'Episode 2']));
    expect(first).toEqual({ code: 5, counts: { rejected: 1, published: 1 } });
  });

  it.each([
    ['under a new key', 'spring', [['ep-2', 'Episode 2'] as const], { published: 2 }],
    ['in another campaign', 'summer', [], { published: 1 }],
  ])('is found, and not published again, when it comes back %s', async (_, campaign, others, counts) => {
    const again = await run(await write(`${campaign}.csv`, ['episode-1', 'Episode 1'], ...others));
    expect(again).toEqual({ code: 0, counts });
    expect(at.service.log().map(({ title }) => title)).toEqual(['Episode 1', 'Episode 2']);
    const [stored] = at.service.publications();
    const results = await at.machine.here(['results', campaign, '-o', 'json']);
    expect(JSON.parse(results.stdout).rows[0]).toMatchObject({
      key: 'episode-1',
      state: 'published',
      publication_id: stored?.id,
      code: null,
    });
  });
});
