import { type Output } from './output';

/** Shows on a terminal, on one line that disappears again, what is being done and for how long. */
export async function busy<T>(output: Output, doing: string, work: () => Promise<T>): Promise<T> {
  if (!output.live) return work();
  const began = Date.now();
  const show = (): void => {
    const seconds = Math.round((Date.now() - began) / 1000);
    output.redraw([output.paint('dim', `${doing} …${seconds === 0 ? '' : ` ${String(seconds)} s`}`)]);
  };
  show();
  const timer = setInterval(show, 1_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    output.clear();
  }
}
