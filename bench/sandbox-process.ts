import { startSandbox } from '../sandbox/server';

// An instant service: publications have ended by the first read.
void startSandbox({ processing: { minMs: 0, maxMs: 0 } }).then(({ baseUrl, apiKey }) => {
  process.send?.({ baseUrl, apiKey });
});
