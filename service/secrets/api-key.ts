import { ServiceConfigError } from '../config-error';

/**
 * The key in `Authorization: Bearer <API_KEY>` (interface, section 5). Spaces and line breaks around it, as files have
 * them, are dropped.
 * @throws ServiceConfigError if a header could not carry it; the message never shows any of it
 */
export function normaliseApiKey(text: string): string {
  const key = text.replace(/^\uFEFF/, '').trim();
  if (key === '') throw wrong('is empty');
  if (/^bearer\s/i.test(key)) throw wrong('begins with the word "Bearer"; give the key alone');
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    const place = `at position ${i + 1} of ${key.length}`;
    if (code === 0x0a || code === 0x0d) throw wrong(`has a line break ${place}; does the file hold more than the key?`);
    if (code < 0x20 || code === 0x7f) throw wrong(`has a control character ${place}`);
    if (code === 0x20) throw wrong(`has a blank ${place}`);
    if (code > 0x7e) throw wrong(`has a character ${place} that no key has (not ASCII); copy it again as plain text`);
  }
  return key;
}

function wrong(what: string): ServiceConfigError {
  return new ServiceConfigError('apiKey', `The API key ${what}.`);
}
