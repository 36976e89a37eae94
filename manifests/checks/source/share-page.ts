const FILE = 'Give the address of the file itself, or download the video and give its path.';

/** Pages that show a video, and that people mistake for the video itself. */
const SHARE_PAGES: readonly { name: string; host: RegExp; page: (url: URL) => boolean; hint: string }[] = [
  {
    name: 'Google Drive',
    host: /^(?:drive|docs)\.google\.com$/,
    page: ({ pathname }) => !pathname.startsWith('/uc'),
    hint: FILE,
  },
  {
    name: 'YouTube',
    host: /^(?:(?:www|m|music)\.)?(?:youtube\.com|youtu\.be)$/,
    page: () => true,
    hint: FILE,
  },
  {
    name: 'Dropbox',
    host: /^(?:www\.)?dropbox\.com$/,
    page: ({ searchParams }) => searchParams.get('dl') !== '1' && searchParams.get('raw') !== '1',
    hint: 'End the address in dl=1 instead of dl=0, or download the video and give its path.',
  },
];

/** The problem of the address of a share page; null for any other. */
export function sharePage(url: URL): { message: string; hint: string } | null {
  const found = SHARE_PAGES.find(({ host, page }) => host.test(url.hostname) && page(url));
  if (found === undefined) return null;
  return { message: `The URL is a page of ${found.name} that shows the video, not the video.`, hint: found.hint };
}
