import { type SandboxProcessOptions, runSandboxProcess } from '../../sandbox/process';

// Options as JSON in the environment; see children.ts.
runSandboxProcess(JSON.parse(process.env['SANDBOX_OPTIONS'] ?? '{}') as SandboxProcessOptions).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  },
);
