import { ApplicationFailure } from '@temporalio/common';
import { logLine } from '../../worker/runtime';

test('a run whose rows went wrong is logged with its result in one line, without a stack trace', () => {
  const error = ApplicationFailure.nonRetryable('spring.1: 1 of 2 rows went wrong: row 3: failed', 'RowsWentWrong');
  expect(logLine('Workflow failed', { error, workflowId: 'campaign/spring', runId: 'r' })).toEqual([
    'Run ended: spring.1: 1 of 2 rows went wrong: row 3: failed',
    { from: 'temporal', workflowId: 'campaign/spring' },
  ]);
});

test('any other failure keeps its stack trace', () => {
  const [message, { error }] = logLine('Workflow failed', { error: new TypeError('a fault'), workflowId: 'w' });
  expect([message, error]).toEqual(['Workflow failed', expect.stringMatching(/TypeError: a fault\n\s+at /u)]);
});
