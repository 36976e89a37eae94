const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that could hide or reorder the text around them; shown by their number instead. */
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** Text for element content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text
    .replace(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** The same for a sentence; words in backticks become code. */
export function escapeProse(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/gu, '<code>$1</code>');
}

/** A link, or plain text where the address isn't http(s): a hostile `javascript:` stays text. */
export function htmlLink(address: string, label: string): string {
  if (!/^https?:\/\//i.test(address)) return escapeHtml(label);
  return `<a href="${escapeHtml(address)}" rel="noreferrer noopener">${escapeHtml(label)}</a>`;
}

const COUNT = new Intl.NumberFormat('en-US');

/** `12,345` */
export function countText(count: number): string {
  return COUNT.format(count);
}
