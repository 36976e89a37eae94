import { startTraces, TracesUnavailableError } from '../../worker/traces';

jest.mock('@opentelemetry/exporter-trace-otlp-http', () => {
  throw new Error('Cannot find module');
});

it('where the packages for traces were left out, the worker says how to install them', async () => {
  const started = startTraces('1.0.0');
  await expect(started).rejects.toBeInstanceOf(TracesUnavailableError);
  await expect(started).rejects.toMatchObject({
    code: 'traces-unavailable',
    message: expect.stringContaining('npm ci'),
  });
});
