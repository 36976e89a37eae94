import dns from 'node:dns';

/** A public name whose owner points it to this machine. */
export const REBOUND = 'rebound.example';

/** Makes REBOUND resolve to this machine in this process, for as long as the test runs. */
export function pointReboundHere(): void {
  const real = dns.lookup;
  const here = [{ address: '127.0.0.1', family: 4 }];
  const lookup = (name: string, options: dns.LookupAllOptions, done: (error: Error | null, found: unknown) => void) =>
    name === REBOUND ? done(null, here) : real(name, options, done);
  jest.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup);
}
