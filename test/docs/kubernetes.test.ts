import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020';
import { unzipSync } from 'fflate';
import { parseAllDocuments } from 'yaml';
import { buildProgram } from '../../cli/program';
import { downloadWheel } from '../../embedded/binary/wheel';

interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec?: { template?: { spec: { containers: { args: string[] }[] } } };
}

const path = join(__dirname, '..', '..', 'docs', 'examples', 'kubernetes', 'reelay.yaml');
const documents = parseAllDocuments(readFileSync(path, 'utf8'));
const resources = documents.map((document) => document.toJS() as Resource);

/** The schemas that Kubernetes publishes, as a package of PyPI has them: fetched by pip, as reelay fetches Temporal. */
const SCHEMAS = { wheel: 'kubernetes-validate', version: '1.37.0' };
/** The oldest and the newest of them that this holds the example against. */
const VERSIONS = ['1.29.0', '1.37.0'];

async function schemas(): Promise<Record<string, Uint8Array>> {
  const folder = mkdtempSync(join(tmpdir(), 'kubernetes-schemas-'));
  try {
    const wheel = await downloadWheel(SCHEMAS, folder, process.env);
    const wanted = VERSIONS.map((version) => `/v${version}-local-strict/`);
    return unzipSync(readFileSync(join(folder, wheel)), {
      filter: ({ name }) => wanted.some((part) => name.includes(part)),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the example for Kubernetes', () => {
  it.each(VERSIONS)('is what Kubernetes %s takes, without a field that it doesn’t know', async (version) => {
    const files = await schemas();
    const read = (name: string): object => {
      const bytes = files[`kubernetes_validate/kubernetes-json-schema/v${version}-local-strict/${name}`];
      return JSON.parse(Buffer.from(bytes ?? []).toString('utf8')) as object;
    };
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
    ajv.addSchema(read('_definitions.json'), '_definitions.json');
    for (const resource of resources) {
      const [group = '', apiVersion] = resource.apiVersion.split('/');
      const suffix = apiVersion === undefined ? group : `${group}-${apiVersion}`;
      const validate = ajv.compile(read(`${resource.kind.toLowerCase()}-${suffix}.json`));
      expect([resource.kind, validate(resource), validate.errors]).toEqual([resource.kind, true, null]);
      // It would notice.
      expect(validate({ ...resource, metadata: { ...resource.metadata, nmae: 'x' } })).toBe(false);
    }
  });

  it('is YAML without errors, and starts a worker with flags that there are', () => {
    for (const { errors, warnings } of documents) expect([errors, warnings]).toEqual([[], []]);
    const set = resources.find(({ kind }) => kind === 'StatefulSet');
    const [name, ...args] = set?.spec?.template?.spec.containers[0]?.args ?? [];
    expect(name).toBe('worker');
    const worker = buildProgram(async () => undefined, process).commands.find((command) => command.name() === name);
    const known = worker?.options.flatMap(({ long }) => long ?? []);
    expect(known).toEqual(expect.arrayContaining(args.filter((arg) => arg.startsWith('--'))));
  });
});
