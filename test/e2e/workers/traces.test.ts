import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { machineWithService } from '../support/machine-with-service';
import { writeCampaign } from '../support/manifests';
import { ownTemporal } from '../support/own-temporal';

jest.setTimeout(600_000);

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
}

interface Export {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: Span[] }[];
  }[];
}

describe('worker --traces', () => {
  const there = machineWithService({ processing: { minMs: 50, maxMs: 200 } });
  const temporal = ownTemporal('traced');
  const sent: string[] = [];
  let collector: Server;

  beforeAll(async () => {
    collector = createServer((request, response) => {
      void text(request).then((body) => {
        if (request.url === '/v1/traces') sent.push(body);
        response.setHeader('content-type', 'application/json').end('{}');
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => collector.close(resolve)));

  it('sends one trace of a campaign: its workflow, its channels and their activities, without values of rows', async () => {
    const { machine } = there;
    const { port } = collector.address() as AddressInfo;
    const otel = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_SERVICE_NAME: 'publishing' };
    const worker = machine.start(['worker', '--traces'], { ...temporal.env, ...otel });
    temporal.running.push(worker);
    await worker.says(/polls/u);
    await writeCampaign(machine.path('show.csv'), 4, {
      host: 'veiled.example',
      title: (index) => `Unspeakable ${index}`,
    });
    expect((await machine.run(['submit', machine.path('show.csv'), '--watch'], temporal.env)).code).toBe(0);
    worker.child.kill('SIGINT');
    expect((await worker.ended).code).toBe(0);

    const exports = sent.map((body) => JSON.parse(body) as Export).flatMap(({ resourceSpans }) => resourceSpans);
    const services = exports.flatMap(({ resource }) =>
      resource.attributes.flatMap(({ key, value }) => (key === 'service.name' ? [value.stringValue] : [])),
    );
    expect(new Set(services)).toEqual(new Set(['publishing']));
    const spans = exports.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const create = spans.find(({ name }) => name === 'RunActivity:createPublications');
    const above: string[] = [];
    for (let span = create; span !== undefined; span = byId.get(span.parentSpanId ?? '')) above.push(span.name);
    expect(above).toEqual([
      'RunActivity:createPublications',
      'StartActivity:createPublications',
      expect.stringContaining('publishChannel'),
      expect.stringContaining('publishChannel'),
      expect.stringContaining('publishCampaign'),
    ]);
    expect(new Set(spans.filter(({ name }) => name.includes('publish')).map(({ traceId }) => traceId)).size).toBe(1);
    expect(sent.join('')).not.toMatch(/Unspeakable|veiled/u);
  });
});
