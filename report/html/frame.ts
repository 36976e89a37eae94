import { contentPolicy, SCRIPT, STYLE } from './assets';
import { escapeHtml, escapeProse } from './text';

/** The beginning of a self-contained page: its head, and its heading. `under`: HTML of the line below it. */
export function pageStart(title: string, under: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(contentPolicy())}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>
<h1>${escapeHtml(title)}</h1>
<p class="dim">${under}</p>
`;
}

export function pageEnd(words: string): string {
  return `<p class="dim">${escapeProse(words)}</p>\n<script>${SCRIPT}</script>\n</body></html>\n`;
}
