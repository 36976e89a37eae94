import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { request } from 'undici';
import { serveCodec } from '../../temporal/codec-server';
import { EncryptionCodec } from '../../temporal/payload-codec';

const [old, young] = [randomBytes(32), randomBytes(32)];
const payloadOf = (value: unknown) => defaultPayloadConverter.toPayload(value);
const TITLE = 'A title that nobody may read';

describe('payloads', () => {
  it('are encrypted with the first key, and read with whichever they name', async () => {
    const before = new EncryptionCodec(new Map([['2026', old]]));
    const after = new EncryptionCodec(
      new Map([
        ['2027', young],
        ['2026', old],
      ]),
    );
    const [first] = await before.encode([payloadOf(TITLE)]);
    const [second] = await after.encode([payloadOf(TITLE)]);
    for (const [payload, id] of [
      [first!, '2026'],
      [second!, '2027'],
    ] as const) {
      expect(Buffer.from(payload.data!).includes(TITLE)).toBe(false);
      expect(Buffer.from(payload.metadata!['encryption-key-id']!).toString()).toBe(id);
      const [read] = await after.decode([payload]);
      expect(defaultPayloadConverter.fromPayload(read!)).toBe(TITLE);
    }
    await expect(before.decode([second!])).rejects.toThrow('“2027”, which REELAY_PAYLOAD_KEYS doesn’t have');
  });

  it('that were never encrypted are read as they are; those that were changed are refused', async () => {
    const codec = new EncryptionCodec(new Map([['2026', old]]));
    expect(await codec.decode([payloadOf(TITLE)])).toEqual([payloadOf(TITLE)]);
    const [encrypted] = await codec.encode([payloadOf(TITLE)]);
    const data = Buffer.from(encrypted!.data!);
    data[data.length - 20]! ^= 1;
    await expect(codec.decode([{ ...encrypted!, data }])).rejects.toThrow(/authenticate/u);
    // As another key's.
    const renamed = { ...encrypted!, metadata: { ...encrypted!.metadata, 'encryption-key-id': Buffer.from('2027') } };
    const both = new EncryptionCodec(new Map([['2027', old]]));
    await expect(both.decode([renamed])).rejects.toThrow(/authenticate/u);
  });
});

describe('the codec server', () => {
  const UI = 'http://127.0.0.1:8233';
  let server: Awaited<ReturnType<typeof serveCodec>>;
  beforeAll(async () => {
    server = await serveCodec({ keys: new Map([['2026', old]]), host: '127.0.0.1', port: 0, origins: [UI] });
  });
  afterAll(() => server.close());

  async function ask(path: string, headers: Record<string, string>, payloads: object[], method = 'POST') {
    const answered = await request(`http://127.0.0.1:${server.port}${path}`, {
      method: method as 'POST',
      headers,
      ...(method === 'POST' ? { body: JSON.stringify({ payloads }) } : {}),
    });
    const text = await answered.body.text();
    return { status: answered.statusCode, headers: answered.headers, body: text === '' ? null : JSON.parse(text) };
  }
  const asJson = async () => {
    const [payload] = await new EncryptionCodec(new Map([['2026', old]])).encode([payloadOf(TITLE)]);
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
    const metadata = Object.entries(payload!.metadata!).map(([name, bytes]) => [name, base64(bytes)]);
    return { metadata: Object.fromEntries(metadata), data: base64(payload!.data!) };
  };
  const JSON_TYPE = { 'content-type': 'application/json' };

  it('decrypts for the Web UI, which asks first whether it may', async () => {
    const asked = await ask('/decode', { origin: UI, 'access-control-request-method': 'POST' }, [], 'OPTIONS');
    expect(asked.status).toBe(204);
    expect(asked.headers['access-control-allow-origin']).toBe(UI);
    expect(asked.headers['access-control-allow-headers']).toContain('x-namespace');
    const { status, body } = await ask('/decode', { ...JSON_TYPE, origin: UI, 'x-namespace': 'a' }, [await asJson()]);
    expect(status).toBe(200);
    const [payload] = (body as { payloads: { data: string }[] }).payloads;
    expect(Buffer.from(payload!.data, 'base64').toString()).toBe(JSON.stringify(TITLE));
  });

  it('encrypts what the Web UI sends, so that it can be decrypted', async () => {
    const data = Buffer.from(JSON.stringify(TITLE)).toString('base64');
    const plain = { metadata: { encoding: Buffer.from('json/plain').toString('base64') }, data };
    const { body } = await ask('/encode', { ...JSON_TYPE, origin: UI }, [plain]);
    const { payloads } = body as { payloads: object[] };
    expect(JSON.stringify(payloads)).not.toContain(data);
    expect((await ask('/decode', JSON_TYPE, payloads)).body).toEqual({ payloads: [plain] });
  });

  it('answers no other site, and nothing that is not JSON', async () => {
    const other = await ask('/decode', { ...JSON_TYPE, origin: 'https://elsewhere.example' }, [await asJson()]);
    expect(other.status).toBe(403);
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
    expect((await ask('/decode', { 'content-type': 'text/plain' }, [await asJson()])).status).toBe(415);
    expect((await ask('/other', JSON_TYPE, [])).status).toBe(404);
    expect((await ask('/decode', JSON_TYPE, [{ metadata: 1 }])).status).toBe(400);
  });
});
