import { createServer, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { defaultProfiles } from '../../../sandbox/profiles';
import { type SandboxOptions } from '../../../sandbox/options';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';

const PLATFORMS = { short: 'platform_a', long: 'platform_b', photo: 'platform_c' };

/** One service with two accounts, each with its own key and profiles: what an account has, the other's key never shows. */
export class TwoAccounts {
  private constructor(
    private readonly server: Server,
    /** By key. */
    private readonly accounts: ReadonlyMap<string, RunningSandbox>,
  ) {}

  static async start(options: Record<string, Omit<SandboxOptions, 'apiKey' | 'profiles'>>): Promise<TwoAccounts> {
    const accounts = new Map<string, RunningSandbox>();
    for (const [key, given] of Object.entries(options)) {
      const profiles = defaultProfiles(2, PLATFORMS).map((one) => ({ ...one, id: `${key}-${one.id}` }));
      accounts.set(key, await startSandbox({ ...given, apiKey: key, profiles }));
    }
    const server = createServer((incoming, outgoing) => {
      const key = (incoming.headers.authorization ?? '').replace('Bearer ', '');
      const account = accounts.get(key);
      if (account === undefined) {
        outgoing.writeHead(401).end();
        return;
      }
      const { method, headers, url } = incoming;
      const onward = request(new URL(url ?? '/', account.baseUrl), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TwoAccounts(server, accounts);
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** The titles that an account has accepted. */
  titles(key: string): (string | null)[] {
    return (
      this.accounts
        .get(key)
        ?.log()
        .map(({ title }) => title) ?? []
    );
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    for (const account of this.accounts.values()) await account.close();
  }
}
