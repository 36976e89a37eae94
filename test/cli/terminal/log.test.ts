import { Output } from '../../../cli/terminal/output';
import { logStyleOf, type LogFlags } from '../../../cli/terminal/log-flags';
import { CapturedStream } from '../capture';

function logged(flags: LogFlags, say: (output: Output) => void): string {
  const stderr = new CapturedStream(80);
  const output = new Output({
    stdout: new CapturedStream(),
    stderr,
    format: 'text',
    environment: { noColor: true, dumb: false },
    logStyle: logStyleOf(flags),
  });
  output.hide('very-secret');
  say(output);
  return stderr.text;
}

function everyLevel(output: Output): void {
  for (const level of ['debug', 'info', 'warn', 'error'] as const)
    output.log(level, `${level} line`, { run: 'spring.1' });
}

const messages = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { message: string }).message);

describe('the log', () => {
  it('is text from warnings on without flags, and from any level with one', () => {
    expect(logged({}, everyLevel)).toBe(
      'warning: warn line {"run":"spring.1"}\nerror: error line {"run":"spring.1"}\n',
    );
    expect(logged({ logLevel: 'debug' }, everyLevel).split('\n')).toHaveLength(5);
    expect(logged({ logLevel: 'error' }, everyLevel)).toBe('error: error line {"run":"spring.1"}\n');
  });

  it('is JSON lines from info on, also for messages to people, and never redraws', () => {
    const text = logged({ logFormat: 'json' }, (output) => {
      everyLevel(output);
      output.note('Up.');
      output.warn('odd');
      output.redraw(['a bar']);
    });
    expect(messages(text)).toEqual(['info line', 'warn line', 'error line', 'Up.', 'odd']);
    expect(text).not.toContain('\u001b');
  });

  it('hides secrets, and has the errors of a command as lines too', async () => {
    const text = logged({ logFormat: 'json', logLevel: 'warn' }, (output) => {
      output.note('not at this level');
      output.log('warn', 'refused', { why: 'very-secret' });
      void output.error({
        code: 'c',
        message: 'very-secret broke',
        hint: null,
        problems: null,
        stack: null,
        exitCode: 1,
      });
    });
    expect(messages(text)).toEqual(['refused', '*** broke']);
    expect(text).not.toContain('very-secret');
  });
});
