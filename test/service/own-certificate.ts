import { generateKeyPairSync, sign } from 'node:crypto';

/** A key and a certificate that it signed itself, as PEM: made anew for a test, so that no key has to be kept. */
export function ownCertificate(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  // ecdsa-with-SHA256
  const algorithm = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'));
  // CN=localhost
  const commonName = Buffer.concat([Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('localhost'))]);
  const name = der(0x30, der(0x31, der(0x30, commonName)));
  const validity = der(0x30, der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')));
  const toSign = der(
    0x30,
    der(0x02, Buffer.from([1])),
    ...[algorithm, name, validity, name],
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', toSign, privateKey)]);
  const whole = der(0x30, toSign, algorithm, der(0x03, signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  const cert = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert };
}

/** One value of ASN.1: its tag, its length, what it holds. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
