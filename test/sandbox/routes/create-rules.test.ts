import fc from 'fast-check';
import { call, createUrl, sandboxes, urlCreate, videoForm } from '../client';

const start = sandboxes();

describe('what a create refuses', () => {
  it.each([
    ['no platform', { platform: undefined }],
    ['a platform that only channels have', { platform: 'platform_c' }],
    ['a platform in capitals', { platform: 'PLATFORM_A' }],
    ['no video', { video_url: undefined }],
    ['an empty video_url', { video_url: '' }],
    ['a video_url that is no web address', { video_url: 'ftp://videos.example/a.mp4' }],
    ['a title that is a number', { title: 5 }],
    ['a description on the short platform', { description: 'Text' }],
    ['a privacy on the short platform', { privacy: 'public' }],
    ['an unknown privacy', { platform: 'platform_b', privacy: 'friends' }],
    ['an unknown status', { status: 'pending' }],
    ['a description beyond 5000 characters', { platform: 'platform_b', description: 'x'.repeat(5001) }],
  ])('refuses %s with 400 and stores nothing', async (_, fields) => {
    const sandbox = await start();
    expect((await createUrl(sandbox, 'Bad', fields)).status).toBe(400);
    expect(sandbox.log()).toHaveLength(0);
  });

  it('refuses an unknown profile with 404', async () => {
    expect((await createUrl(await start(), 'Bad', { profile_id: 'none' })).status).toBe(404);
  });

  it('refuses a form without a video, an empty video, and a video_url in a form', async () => {
    const sandbox = await start();
    for (const form of [
      videoForm({ platform: 'platform_a' }, null),
      videoForm({ platform: 'platform_a' }, 0),
      videoForm({ platform: 'platform_a', video_url: 'https://videos.example/a.mp4' }, null),
    ]) {
      expect((await call(sandbox, 'POST', '/v1/publications', form)).status).toBe(400);
    }
    expect(sandbox.log()).toHaveLength(0);
  });

  it('refuses bodies that are no JSON object', async () => {
    const sandbox = await start();
    for (const body of [[], 'text', null, 3]) {
      expect((await call(sandbox, 'POST', '/v1/publications', body)).status).toBe(400);
    }
    const headers = { authorization: 'Bearer sandbox-key', 'content-type': 'application/json' };
    const half = await fetch(`${sandbox.baseUrl}/v1/publications`, { method: 'POST', headers, body: '{"platform":' });
    expect(half.status).toBe(400);
    const plain = { ...headers, 'content-type': 'text/csv' };
    const other = await fetch(`${sandbox.baseUrl}/v1/publications`, { method: 'POST', headers: plain, body: 'a,b' });
    expect(other.status).toBe(415);
  });

  it('ignores fields of the long platform on the short one when chosen', async () => {
    const sandbox = await start({ open: { longOnlyFields: 'ignore' } });
    expect((await createUrl(sandbox, 'Fine', { privacy: 'public', description: 'Text' })).status).toBe(202);
    expect(sandbox.publications()[0]).toMatchObject({ privacy: null, description: null });
  });
});

describe('title limits', () => {
  it('count code points, whatever they are made of', async () => {
    const sandbox = await start();
    const parts = fc.constantFrom('a', 'é', '字', '👨‍👩‍👧‍👦', '🌱');
    const cases = fc.record({
      parts: fc.array(parts, { minLength: 1, maxLength: 5 }),
      long: fc.boolean(),
      over: fc.integer({ min: -1, max: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ parts: made, long, over }) => {
        const limit = long ? 100 : 150;
        const points = Array.from(made.join('').repeat(limit + 1));
        const title = points.slice(0, limit + over).join('');
        const { status } = await createUrl(sandbox, title, { platform: long ? 'platform_b' : 'platform_a' });
        expect(status).toBe(over > 0 ? 400 : 202);
      }),
      { numRuns: 60 },
    );
  });

  it('takes wire names as they are configured', async () => {
    const sandbox = await start({ platforms: { short: 'clips', long: 'films' } });
    const create = urlCreate('x'.repeat(101), { platform: 'films' });
    expect((await call(sandbox, 'POST', '/v1/publications', create)).status).toBe(400);
    expect((await createUrl(sandbox, 'x'.repeat(101), { platform: 'clips' })).status).toBe(202);
    expect((await createUrl(sandbox, 'Old name')).status).toBe(400);
  });
});
