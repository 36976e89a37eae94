import fc from 'fast-check';
import { assignUniquely } from '../../../activities/reconcile/assignment';

const assigned = (claims: Record<string, string[]>) =>
  Object.fromEntries(assignUniquely(new Map(Object.entries(claims))));

describe('assignUniquely', () => {
  it.each<[string, Record<string, string[]>, Record<string, string>]>([
    ['one each', { a: ['p'], b: ['q'] }, { a: 'p', b: 'q' }],
    ['nothing to claim', { a: [] }, {}],
    ['two claimants of one', { a: ['p'], b: ['p'] }, {}],
    ['one claimant of two', { a: ['p', 'q'] }, {}],
    ['two that could be either', { a: ['p', 'q'], b: ['p', 'q'] }, {}],
    ['one follows from another', { a: ['p'], b: ['p', 'q'] }, { a: 'p', b: 'q' }],
    ['a group that is clear beside one that isn’t', { a: ['p'], b: ['q'], c: ['q'] }, { a: 'p' }],
  ])('%s', (_name, claims, expected) => {
    expect(assigned(claims)).toEqual(expected);
  });

  it('finds an assignment of a group exactly where there is one alone', () => {
    const claims = fc.array(fc.subarray(['p', 'q', 'r', 's'], { minLength: 1 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(claims, (lists) => {
        const result = assignUniquely(new Map(lists.map((ids, at) => [String(at), ids])));
        const ids = [...new Set(lists.flat())];
        if (ids.length !== lists.length) return;
        const all = perfect(lists, new Set());
        if (all === 1) expect(result.size).toBe(lists.length);
        else expect(result.size).toBeLessThan(lists.length);
        for (const [claimant, id] of result) expect(lists[Number(claimant)]).toContain(id);
        expect(new Set(result.values()).size).toBe(result.size);
      }),
      { numRuns: 5_000 },
    );
  });
});

/** How many ways there are to give each its own. */
function perfect(lists: readonly (readonly string[])[], taken: ReadonlySet<string>): number {
  const [first, ...others] = lists;
  if (first === undefined) return 1;
  return first.filter((id) => !taken.has(id)).reduce((sum, id) => sum + perfect(others, new Set([...taken, id])), 0);
}
