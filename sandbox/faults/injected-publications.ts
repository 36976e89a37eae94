import { checkProfile } from '../routes/validate';
import { acceptPublication } from '../routes/accept';
import { type Context } from '../context';
import { type InjectedOptions } from '../options';
import { type PublicationRecord } from '../store/records';

let made = 0;

/** A publication by another client on the same account: it is in the list, and not in `creates.log`. */
export async function makeInjected(context: Context, title?: string): Promise<PublicationRecord> {
  made += 1;
  const { rules, options } = context;
  return acceptPublication(context, {
    kind: 'foreign',
    platform: options.platforms.long,
    profileId: checkProfile(rules, null).id,
    title: title ?? `Foreign ${String(made)}`,
    description: null,
    privacy: 'public',
    source: { kind: 'file', fileName: 'foreign.mp4', bytes: 1 },
    draft: false,
  });
}

/** Keeps publishing until the server stops, the number is reached, or `stop` is called. */
export function startInjecting(context: Context, { everyMs, times, title }: InjectedOptions): { stop: () => void } {
  let stopped = false;
  const publish = async (): Promise<void> => {
    for (let count = 0; times === undefined || count < times; count += 1) {
      if (!(await context.waiting.wait(everyMs)) || stopped) return;
      await makeInjected(context, title);
    }
  };
  void publish().catch(() => {
    // Only a full disk causes this; the next request reports it.
  });
  return { stop: () => (stopped = true) };
}
