const MEANING: readonly [flag: string, meaning: string][] = [
  ['--published', 'it is that publication: it is followed, nothing new is created'],
  ['--not-published', 'you looked, and it isn’t there: it is created again'],
  ['--give-up', 'leave it: nothing is created, and it may be out'],
];

/** What a command that settles a row does. `direct`: of a direct publish nothing can be read. */
export function settleMeaning(command: string, direct: boolean): string {
  if (direct && command.includes(' --published'))
    return 'you looked, and it is out: nothing new is created, and nothing more of it can be read';
  return MEANING.find(([flag]) => command.includes(` ${flag}`))?.[1] ?? '';
}
