import { classifyCreateFailure } from '../../../activities/publish/failure-table';
import { SANDBOX_TIMINGS as timings } from '../../../activities/timings';
import * as errors from '../../../service/errors';

const NOW = Date.parse('2026-11-27T12:00:00.000Z');

function classify(error: unknown, change: { trust429?: boolean; leaving?: boolean } = {}) {
  return classifyCreateFailure(error, { now: NOW, timings, trust429: false, leaving: true, ...change });
}

function facts(sent: errors.Sent, status?: number, retryAfterMs?: number): errors.ErrorFacts {
  return { method: 'POST', path: '/v1/publications', sent, status, retryAfterMs };
}

describe('what a failed create means for its row', () => {
  it.each([
    ['a connection that never stood', new errors.ConnectError('refused', facts('never')), 'never-sent', 'unreachable'],
    ['a stop before the first byte', new errors.AbortedError('stopped', facts('never')), 'never-sent', 'stopped'],
    ['a missing file', new errors.FileError('no such file', facts('never')), 'rejected', 'file'],
    ['400', new errors.RefusedError('bad', facts('answered', 400)), 'rejected', 'http-400'],
    ['404', new errors.NotFoundError('gone', facts('answered', 404)), 'rejected', 'http-404'],
    [
      '404 of a profile',
      new errors.NotFoundError('no such profile', facts('answered', 404)),
      'auth-refused',
      'http-404',
    ],
    ['413', new errors.RefusedError('large', facts('answered', 413)), 'rejected', 'http-413'],
    ['401', new errors.AccessError('key', facts('answered', 401)), 'auth-refused', 'http-401'],
    ['403', new errors.AccessError('channel', facts('answered', 403)), 'auth-refused', 'http-403'],
    ['429', new errors.ThrottledError('slow', facts('answered', 429)), 'unknown', 'http-429'],
    ['503', new errors.ThrottledError('slow', facts('answered', 503)), 'unknown', 'http-503'],
    ['500', new errors.ServerError('oops', facts('answered', 500)), 'unknown', 'http-500'],
    ['409', new errors.AmbiguousError('conflict', facts('answered', 409)), 'unknown', 'http-409'],
    ['a redirect', new errors.RedirectError('elsewhere', facts('answered', 307)), 'unknown', 'http-307'],
    ['an unreadable 202', new errors.UnreadableError('html', facts('answered', 202)), 'unknown', 'unreadable'],
    ['a cut connection', new errors.LostError('reset', facts('perhaps')), 'unknown', 'lost'],
    ['a stop in the middle', new errors.AbortedError('stopped', facts('perhaps')), 'unknown', 'aborted'],
    [
      'a file that changed while it was sent',
      new errors.FileError('changed', facts('perhaps')),
      'unknown',
      'file-changed',
    ],
    ['something nobody thought of', new TypeError('x is undefined'), 'unknown', 'unexpected-error'],
  ])('%s', (_name, error, kind, code) => {
    expect(classify(error)).toMatchObject({ kind, code });
  });

  it('rejects a row for an error of our own, as long as nothing left', () => {
    expect(classify(new RangeError('no video'), { leaving: false })).toMatchObject({ kind: 'rejected' });
  });

  it('takes a trusted 429 for not created, and only that', () => {
    const throttled = new errors.ThrottledError('slow', facts('answered', 429, 7_000));
    expect(classify(throttled, { trust429: true })).toMatchObject({ kind: 'never-sent', code: 'http-429' });
    const unavailable = new errors.ThrottledError('slow', facts('answered', 503));
    expect(classify(unavailable, { trust429: true })).toMatchObject({ kind: 'unknown' });
  });

  it('waits at least as long as was asked, up to the cap', () => {
    const asked = classify(new errors.ThrottledError('slow', facts('answered', 429, 7_000)));
    expect(asked.kind === 'unknown' && asked.notBefore).toBeGreaterThanOrEqual(NOW + 7_000);
    const day = classify(new errors.ThrottledError('slow', facts('answered', 503, 86_400_000)));
    expect(day.kind === 'unknown' && day.notBefore).toBeLessThanOrEqual(NOW + 1.1 * timings.retryAfterMaxMs + 1);
  });

  it('parks the account for a refused key and only the channel for a refused channel', () => {
    expect(classify(new errors.AccessError('key', facts('answered', 401)))).toMatchObject({ park: 'account' });
    expect(classify(new errors.AccessError('channel', facts('answered', 403)))).toMatchObject({ park: 'channel' });
  });
});
