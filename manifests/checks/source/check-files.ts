import { DIRECT_FORMATS, DIRECT_MAX_BYTES } from '../../../service/limits';
import { showPath } from './check-source';
import { FileInspector, type Inspection } from './inspect-file';
import { type ProblemInput, type ProblemList } from '../../problems/problems';
import { type RawRow } from '../../raw-row';
import { type DraftRow } from '../row-context';

/** Number of files inspected at the same time: enough for a slow network disk, few enough for any. */
const CONCURRENCY = 16;

/** Extensions whose content can be recognised. */
const ENDINGS: Readonly<Record<string, string>> = {
  ...{ mp4: 'mp4', m4v: 'mp4', mov: 'mov', qt: 'mov', avi: 'avi', mkv: 'mkv', webm: 'webm', flv: 'flv', wmv: 'wmv' },
  ...{ mpg: 'mpeg', mpeg: 'mpeg', ogv: 'ogg', ts: 'mpeg-ts' },
};

/** Inspects local files, each once, and sets size and time on their rows. Problems are reported and block the row. */
export class FileChecker {
  readonly #inspector = new FileInspector();
  readonly #problems: ProblemList;

  constructor(problems: ProblemList) {
    this.#problems = problems;
  }

  async check(drafts: readonly DraftRow[]): Promise<void> {
    const waiting = drafts.filter(({ row }) => row.sourceKind === 'file' && !row.skip);
    // In batches, so that problems come in the order of the rows.
    let last: RawRow | undefined;
    for (let start = 0; start < waiting.length; start += CONCURRENCY) {
      const batch = waiting.slice(start, start + CONCURRENCY);
      const inspections = await Promise.all(batch.map(({ row }) => this.#inspector.inspect(row.source ?? '')));
      for (const [index, draft] of batch.entries()) {
        const inspection = inspections[index];
        // Platforms of one row share its file: its problem is reported once.
        if (draft.raw !== last) this.#problems.startRow();
        last = draft.raw;
        if (inspection !== undefined) checkInspected(draft, inspection, this.#problems);
      }
    }
  }
}

function checkInspected(draft: DraftRow, inspection: Inspection, problems: ProblemList): void {
  const { row } = draft;
  const path = showPath(draft.written, row.source ?? '');
  const base = { at: draft.sourceAt, value: draft.written };
  const block = (input: Omit<ProblemInput, 'at'>): void => {
    row.deferredErrors = [...row.deferredErrors, problems.add({ ...base, ...input })];
  };
  if (inspection.kind === 'bad') {
    const hint = inspection.hint ?? adviceFor(draft.written);
    block({
      code: inspection.code,
      message: `${path} ${inspection.message}.`,
      ...(hint === undefined ? {} : { hint }),
    });
    return;
  }
  row.fileSize = inspection.size;
  row.fileModifiedMs = Math.trunc(inspection.modifiedMs);
  const { sniffed } = inspection;
  if (row.via === 'direct') {
    if (inspection.size > DIRECT_MAX_BYTES) {
      block({
        code: 'direct-too-large',
        message: `${path} has ${sizeText(inspection.size)}; a direct publish takes at most ${sizeText(DIRECT_MAX_BYTES)}.`,
      });
    }
    if (!DIRECT_FORMATS.some((format) => format === sniffed?.format)) {
      block({
        code: 'direct-format',
        message: `${path} is ${sniffed?.format ?? 'of an unknown format'}; a direct publish takes MP4, MOV or AVI.`,
      });
    }
  }
  const ending = /\.([a-z0-9]+)$/i.exec(row.source ?? '')?.[1]?.toLowerCase();
  const actual = sniffed?.video === true ? sniffed.format : undefined;
  if (ending !== undefined && actual !== undefined && ENDINGS[ending] !== undefined && ENDINGS[ending] !== actual) {
    problems.add({
      ...base,
      code: 'file-ending',
      message: `${path} ends in .${ending}, but its content is ${actual}.`,
    });
  }
  if (row.via !== 'direct' && sniffed?.video !== true) {
    const what = sniffed === undefined ? 'doesn’t start like any video format' : `looks like ${sniffed.format}`;
    problems.add({ ...base, code: 'file-not-video', message: `${path} ${what}.` });
  }
}

function adviceFor(written: string): string | undefined {
  if (written.startsWith('~'))
    return '“~” isn’t expanded in a manifest: write the path in full, or relative to the manifest’s folder.';
  if (/^[a-z]:[\\/]/i.test(written) || written.includes('\\'))
    return 'Paths are written with “/”, relative to the manifest’s folder.';
  if (/^www\.|^[a-z0-9-]+(\.[a-z0-9-]+)+\//i.test(written) && /^[^/]*\.(com|net|org|io|tv|co|dev|app)\b/i.test(written))
    return 'If it is a URL, start it with https://.';
  return undefined;
}

/** `500 MB`; if rounding would hide a difference, such as one byte too many, also the exact bytes. */
function sizeText(bytes: number): string {
  const megabytes = `${(bytes / 1e6).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`;
  return bytes % 100_000 === 0 ? megabytes : `${megabytes} (${bytes.toLocaleString('en-US')} bytes)`;
}
