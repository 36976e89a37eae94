import { type SandboxOptions } from '../../sandbox/options';
import { startSandbox } from '../../sandbox/server';

// An instant service: publications have ended by the first read.
process.once('message', (options: SandboxOptions) => {
  void startSandbox({ ...options, processing: { minMs: 0, maxMs: 0 } }).then(({ baseUrl, apiKey }) => {
    process.send?.({ baseUrl, apiKey });
  });
});
