import { type Command } from 'commander';
import { addCommand, type CommandContext, type Runner, type CommandFlags } from '../../command';
import { EXIT, type ExitCode } from '../../errors/exit-codes';

export function addSchema(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'schema',
    summary: 'Print the JSON Schema of YAML manifests, for editors and checks.',
    examples: ['schema > manifest.schema.json'],
    plain: true,
  }).action((flags: CommandFlags) => run(flags, schema));
}

async function schema({ output }: CommandContext): Promise<ExitCode> {
  const { manifestJsonSchema } = await import('../../../manifests/settings/schema.js');
  const value = manifestJsonSchema();
  if (output.isText) await output.data(`${JSON.stringify(value, null, 2)}\n`);
  else await output.json(value);
  return EXIT.ok;
}
