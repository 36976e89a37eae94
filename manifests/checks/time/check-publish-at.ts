import { shellWord } from '../../../wording/shell';
import { readTimeOfDay } from '../../times/date-format';
import { checkMoment, parsePublishAt } from './check-time';
import { type Cell, type RawRow } from '../../raw-row';
import { type KindFields, type RowBasis } from '../row-context';
import { showValue } from '../../text';

/** The time a row is sent, and the effect of a past one; undefined after an error. */
export function checkPublishAt(
  basis: RowBasis,
  find: (field: string) => Cell | undefined,
): Pick<KindFields, 'publishAt' | 'skip' | 'deferredErrors'> | undefined {
  const { problems, now, past } = basis.context;
  const cell = timeCell(basis, find);
  if (cell === undefined) return { publishAt: null, skip: false, deferredErrors: [] };
  const ms = cell === null ? null : parsePublishAt(cell, basis.context, problems);
  if (cell === null || ms === null) return undefined;
  const publishAt = new Date(ms).toISOString();
  const verdict = checkMoment(ms, now);
  if (verdict === 'never') {
    const message = `“${showValue(cell.text)}” is so far away that the row would never be sent.`;
    const hint = 'Correct the year; a row that is not meant to be sent gets skip: yes.';
    problems.add({ code: 'bad-time', at: cell.at, value: cell.text, message, hint, shared: cell.level !== 'row' });
    return undefined;
  }
  if (verdict === 'past') {
    if (past === 'now') return { publishAt: null, skip: false, deferredErrors: [] };
    if (past === 'skip') return { publishAt, skip: true, deferredErrors: [] };
    const problem = problems.add({
      code: 'time-past',
      at: cell.at,
      value: cell.text,
      message: `${publishAt} has passed.`,
      shared: cell.level !== 'row',
    });
    return { publishAt, skip: false, deferredErrors: [problem] };
  }
  if (verdict === 'far') {
    problems.add({
      code: 'time-far',
      at: cell.at,
      value: cell.text,
      message: `${publishAt} is more than a year away.`,
      shared: cell.level !== 'row',
    });
  }
  return { publishAt, skip: false, deferredErrors: [] };
}

/** `publish_at`, or the combination of `publish_date` and `publish_time`; null after an error. */
function timeCell(basis: RowBasis, find: (field: string) => Cell | undefined): Cell | undefined | null {
  const whole = find('publish_at');
  const date = find('publish_date');
  const time = find('publish_time');
  const { problems } = basis.context;
  // A default for the time of day alone schedules nothing.
  const part = date ?? (time?.level === 'row' ? time : undefined);
  if (part === undefined) return whole;
  if (whole !== undefined && whole.level !== part.level) return whole.level === 'row' ? whole : joined();
  if (whole === undefined) return joined();
  const message = `“${showValue(whole.at.column ?? '')}” and “${showValue(part.at.column ?? '')}” both give the time.`;
  problems.add({ code: 'field-twice', at: part.at, value: part.text, shared: part.level !== 'row', message });
  return null;

  function joined(): Cell | null {
    if (date !== undefined && time !== undefined) return { ...date, text: `${date.text.trim()} ${time.text.trim()}` };
    const given = date ?? time;
    if (given === undefined) return null;
    // A date column may also contain the time of day.
    if (date !== undefined && /\d:\d\d/.test(date.text)) return date;
    const [has, lacks] = date === undefined ? ['time of day', 'publish_date'] : ['date', 'publish_time'];
    const message = `“${showValue(given.text)}” is a ${has}, but ${lacks} is blank.`;
    const unread = lacks === 'publish_time' ? unreadTimeOfDay(basis.raw) : undefined;
    const hint =
      unread === undefined
        ? `Fill in ${lacks} too.`
        : `The column “${showValue(unread, 40)}” has a time of day, but isn’t read: map it with --column ${shellWord(`${showValue(unread)}=${lacks}`)}.`;
    problems.add({ code: 'bad-time', at: given.at, value: given.text, shared: given.level !== 'row', message, hint });
    return null;
  }
}

/** The column of the user's own in which the row has a time of day. */
function unreadTimeOfDay({ cells, slots }: RawRow): string | undefined {
  const isRead = new Set([...slots.values()].map(({ at }) => at.column));
  const found = Object.entries(cells).find(([name, text]) => {
    if (isRead.has(name)) return false;
    const read = /:/.test(text) ? readTimeOfDay(text.trim()) : undefined;
    return read !== undefined && read.rest.trim() === '';
  });
  return found?.[0];
}
