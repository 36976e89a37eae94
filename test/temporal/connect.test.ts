import { createServer, type AddressInfo } from 'node:net';
import { connectTemporal } from '../../temporal/connect';

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('a Temporal that can’t be reached is reported with its likely cause', () => {
  it('a closed port: nothing listens', async () => {
    const address = `127.0.0.1:${await closedPort()}`;
    await expect(connectTemporal({ address, namespace: 'default' })).rejects.toMatchObject({
      name: 'TemporalUnreachableError',
      message: `Temporal at ${address} (namespace default): nothing listens on this address`,
    });
  });

  it('a host name that no one knows', async () => {
    await expect(connectTemporal({ address: 'no-such-host.invalid:7233', namespace: 'default' })).rejects.toThrow(
      'this host name is not known',
    );
  });

  it('a proxy on the way is named with its variable, and without its password', async () => {
    const before = process.env.https_proxy;
    process.env.https_proxy = `http://ana:secret@127.0.0.1:${await closedPort()}`;
    try {
      const failed = await connectTemporal({ address: 'temporal.example:7233', namespace: 'default' }).catch(String);
      expect(failed).toMatch(
        /goes through the proxy http:\/\/127\.0\.0\.1:\d+ \(https_proxy\).*add temporal\.example to no_proxy/u,
      );
      expect(failed).not.toContain('secret');
    } finally {
      if (before === undefined) delete process.env.https_proxy;
      else process.env.https_proxy = before;
    }
  });
});
