/** Encoded secrets shorter than this would match text by chance. */
const SHORTEST = 6;

/**
 * Every form in which a service could repeat a secret: as it is, percent-encoded, escaped in JSON, in hexadecimal, and
 * in base64 (plain or URL-safe, with or without padding), alone or inside a longer text such as `Bearer KEY`. Forms
 * that contain most of the secret come first.
 */
export function secretForms(secret: string): string[] {
  if (secret === '') return [];
  const hex = Buffer.from(secret).toString('hex');
  const encoded = [0, 1, 2].flatMap((offset) => base64Inside(secret, offset)).filter((form) => form.length >= SHORTEST);
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    hex,
    hex.toUpperCase(),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    ...encoded,
    ...encoded.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** The characters that base64 of any text shows for the secret in it, when the secret starts `offset` bytes after a full group of three. */
function base64Inside(secret: string, offset: number): string[] {
  const bytes = Buffer.from(secret);
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
  // Each character holds 6 bits: those that also contain bits of the text before or after the secret are not certain.
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor((whole.length * 8) / 6);
  return [whole.toString('base64').slice(first, last)];
}
