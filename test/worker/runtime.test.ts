import { logLine } from '../../worker/runtime';
import { failureText } from '../../workflows/details';

test('a run whose rows went wrong is logged with its result in one line, without a stack trace', () => {
  const text = failureText({
    run: 'spring.1',
    counts: { failed: 1, published: 1 },
    wrong: 1,
    problems: ['row 3: failed'],
  });
  // As it arrives from the workflow's thread.
  const error = structuredClone(new Error(text));
  expect(logLine('Workflow failed', { error, workflowId: 'campaign/spring', runId: 'r' })).toEqual([
    'Run ended: spring.1: 1 of 2 rows went wrong: row 3: failed',
    { from: 'temporal', workflowId: 'campaign/spring' },
  ]);
});

test('any other failure keeps its stack trace', () => {
  const [message, { error }] = logLine('Workflow failed', { error: new TypeError('a fault'), workflowId: 'w' });
  expect([message, error]).toEqual(['Workflow failed', expect.stringMatching(/TypeError: a fault\n\s+at /u)]);
});
