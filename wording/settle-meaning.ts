const MEANING: readonly [flag: string, meaning: string][] = [
  ['--published', 'it is that publication: it is followed, nothing new is created'],
  ['--not-published', 'you checked, and it doesn’t exist: it is created again'],
  ['--give-up', 'give it up: nothing is created, and the video may be live'],
];

/** What a command that settles a row does. `direct`: the outcome of a direct publish can't be read. */
export function settleMeaning(command: string, direct: boolean): string {
  if (direct && command.includes(' --published'))
    return 'you checked, and it is live: nothing new is created, and no outcome can be read';
  return MEANING.find(([flag]) => command.includes(` ${flag}`))?.[1] ?? '';
}
