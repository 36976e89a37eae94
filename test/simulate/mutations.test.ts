import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MUTATIONS } from '../../simulate/mutations/mutations';

describe('the faults that the simulation has to find', () => {
  it.each(MUTATIONS.map((one) => [one.name, one] as const))('%s can be made, in one place', (_, { file, from, to }) => {
    const parts = readFileSync(join(__dirname, '..', '..', file), 'utf8').split(from);
    expect(parts).toHaveLength(2);
    expect(to).not.toBe(from);
  });
});
