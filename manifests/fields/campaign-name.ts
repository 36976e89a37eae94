import { basename, extname } from 'node:path';

/** What a campaign may be named: `[a-z0-9._-]`, at most 100, starting with a letter or digit. */
export const CAMPAIGN_NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/;

// Words with a special meaning where a campaign's name is expected.
const RESERVED: ReadonlySet<string> = new Set(['latest']);

export function isCampaignName(name: string): boolean {
  return CAMPAIGN_NAME.test(name) && !RESERVED.has(name);
}

/** The nearest usable name to a text, or undefined if nothing usable is left of it. */
export function suggestCampaignName(text: string): string | undefined {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|[-._]+$/g, '')
    .slice(0, 100);
  return isCampaignName(name) ? name : undefined;
}

/** The name a file's stem gives: `Spring Sale.csv` → `spring-sale`. */
export function campaignOfFile(path: string): string | undefined {
  return suggestCampaignName(basename(path, extname(path)));
}
