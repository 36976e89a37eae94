import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type DataConverter, type Payload, type PayloadCodec, ValueError } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

/** Keys of 32 bytes by their ids. The first encrypts; the others only decrypt what was encrypted earlier. */
export type PayloadKeys = ReadonlyMap<string, Buffer>;

const CIPHER = 'aes-256-gcm';
/** The name used in Temporal's own samples, so that tools recognise it. */
const ENCODING = 'binary/encrypted';
const NONCE = 12;
const TAG = 16;

/**
 * Encrypts every payload with AES-256-GCM before it is sent to Temporal: inputs and results of activities, memos,
 * summaries and details. A payload carries the id of its key. An unencrypted payload is accepted as it is, so that open
 * workflows survive the change.
 */
export class EncryptionCodec implements PayloadCodec {
  constructor(private readonly keys: PayloadKeys) {}

  encode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.resolve(payloads.map((payload) => this.encrypt(payload)));
  }

  /** @throws ValueError for a missing key, and for data that was changed */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.all(payloads.map(async (payload) => this.decrypt(payload)));
  }

  private encrypt(payload: Payload): Payload {
    const [id, key] = [...this.keys][0] ?? [];
    if (id === undefined || key === undefined) throw new ValueError('there is no key to encrypt payloads with');
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(id));
    const plain = temporal.api.common.v1.Payload.encode(payload).finish();
    const data = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    return { metadata: { encoding: Buffer.from(ENCODING), 'encryption-key-id': Buffer.from(id) }, data };
  }

  private decrypt(payload: Payload): Payload {
    const { metadata, data } = payload;
    if (textOf(metadata?.encoding) !== ENCODING || !data) return payload;
    const id = textOf(metadata?.['encryption-key-id']);
    const key = this.keys.get(id);
    if (key === undefined)
      throw new ValueError(`a payload was encrypted with key “${id}”, which REELAY_PAYLOAD_KEYS doesn’t have`);
    const bytes = Buffer.from(data);
    const cipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE)).setAAD(Buffer.from(id));
    cipher.setAuthTag(bytes.subarray(-TAG));
    const plain = Buffer.concat([cipher.update(bytes.subarray(NONCE, -TAG)), cipher.final()]);
    return temporal.api.common.v1.Payload.decode(plain);
  }
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}

/** For a client without keys: it encrypts nothing, and reports the missing key when it meets something encrypted. */
class NoKeys extends EncryptionCodec {
  constructor() {
    super(new Map());
  }

  override encode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.resolve(payloads);
  }
}

export const WITHOUT_KEYS: { dataConverter: DataConverter } = { dataConverter: { payloadCodecs: [new NoKeys()] } };

/**
 * The options that client and worker give the SDK; none without keys. Messages of failures contain texts of rows too:
 * they are encrypted with the rest.
 */
export function dataConverterFor(keys: PayloadKeys | undefined): { dataConverter?: DataConverter } {
  if (keys === undefined) return {};
  const failureConverterPath = require.resolve('./failure-converter');
  return { dataConverter: { payloadCodecs: [new EncryptionCodec(keys)], failureConverterPath } };
}
