import { busy } from '../../../cli/terminal/busy';
import { Output } from '../../../cli/terminal/output';
import { CapturedStream } from '../capture';

function output(isTTY: boolean) {
  const stderr = Object.assign(new CapturedStream(), { isTTY });
  const environment = { noColor: true, dumb: false };
  return { stderr, output: new Output({ stdout: new CapturedStream(), stderr, format: 'text', environment }) };
}

test('on a terminal, one line says what is being done, and goes away', async () => {
  const { stderr, output: shown } = output(true);
  await expect(busy(shown, 'Starting', () => Promise.resolve(stderr.text))).resolves.toContain('Starting …');
  expect(stderr.text.endsWith('\u001b[J')).toBe(true);
  await expect(busy(shown, 'Starting', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(stderr.text.endsWith('\u001b[J')).toBe(true);
});

test('elsewhere nothing is shown', async () => {
  const { stderr, output: shown } = output(false);
  await busy(shown, 'Starting', () => Promise.resolve());
  expect(stderr.text).toBe('');
});
