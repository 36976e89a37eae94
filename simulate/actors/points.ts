/** Where a worker may die or freeze: before and after every await that matters for a decision. */
export const CRASH_POINTS = [
  ...(['claim before', 'claim after', 'maySend before', 'POST connecting', 'POST sent', 'POST answered'] as const),
  ...(['record before', 'record after', 'claim after', 'POST sent', 'record before'] as const),
  ...(['addScan before', 'addScan after', 'settle before', 'settle after', 'endDeadAttempt before'] as const),
  ...(['endDeadAttempt after', 'recordEnds before', 'recordEnds after', 'importSubmissions before'] as const),
  ...([
    'importSubmissions after',
    'saveBaseline before',
    'beginRun after',
    'takePage after',
    'unsettled after',
  ] as const),
  ...(['lostAttempts after', 'owned after', 'finishRun before', 'finishRun after', 'revive before'] as const),
  ...(['POST piece', 'PATCH connecting', 'PATCH answered', 'DELETE connecting'] as const),
  ...(['registerWorker after', 'learnHabits before', 'noteSeen after', 'workerSeen before'] as const),
] as const;
