import { type Answered, readAnswer } from '../../service/http/answered';
import { ConnectFailure } from '../../service/connection/connect-failure';
import { LimitReached } from '../../service/connection/deadline';
import { requestFailure } from '../../service/http/request-failure';
import { type HttpTransport, type Observer, type SendInput, type TransportOptions } from '../../service/http/transport';
import { ServiceError } from '../../service/errors';
import { type WorkerProcess } from '../actors/worker-process';
import { type Reply, type Request, type Service } from './service';

/** How long a request is under way at most, each way, ms. */
const WAY_MS = 200;

/**
 * In place of the network, under the real client: a request arrives at the service and its answer here in steps of their own, so
 * that a worker may be gone, or frozen, by then.
 */
export class Wire implements HttpTransport {
  private observer: Observer = () => undefined;

  constructor(
    private readonly worker: WorkerProcess,
    private readonly service: Service,
    private readonly options: TransportOptions,
  ) {}

  observe(observer: Observer): void {
    this.observer = observer;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  get(path: string, signal: AbortSignal | undefined): Promise<Answered> {
    const request = { method: 'GET', path, body: null };
    return this.observed(async () => {
      if (!this.service.connects(request)) throw this.failure(request, 'never', refusedConnection(), signal);
      return this.exchange(request, this.options.limits.answerMs, signal);
    });
  }

  send(input: SendInput): Promise<Answered> {
    const { method, path, signal, answerMs, beforeSend } = input;
    const text = Buffer.isBuffer(input.body) ? input.body.toString('utf8') : null;
    const body = text === null ? null : (JSON.parse(text) as Record<string, string>);
    const request = { method, path, body };
    return this.observed(async () => {
      await this.worker.point(`${method} connecting`);
      if (!this.service.connects(request)) throw this.failure(request, 'never', refusedConnection(), signal);
      await beforeSend?.();
      if (signal?.aborted === true) throw this.failure(request, 'never', signal.reason, signal);
      return this.exchange(request, answerMs || this.options.limits.answerMs, signal);
    });
  }

  private async observed(work: () => Promise<Answered>): Promise<Answered> {
    try {
      const answered = await work();
      this.observer(null);
      return answered;
    } catch (error) {
      if (error instanceof ServiceError) this.observer(error);
      throw error;
    }
  }

  /** The request leaves now: from here on nothing takes it back. */
  private exchange(request: Request, limitMs: number, signal: AbortSignal | undefined): Promise<Answered> {
    const { worker, service } = this;
    const { scheduler } = worker;
    const { method, path } = request;
    const what = `${method} ${path}`;
    if (method === 'POST') worker.around.promises.mayLeave(request.body?.['video_url'] ?? '');
    return new Promise<Answered>((resolve, reject) => {
      let over = false;
      const fail = (reason: unknown) => {
        over = true;
        reject(this.failure(request, 'perhaps', reason, signal));
      };
      const limit = scheduler.add(worker, limitMs, `${what}: no answer in time`, () =>
        fail(new LimitReached('the service gave no whole answer')),
      );
      signal?.addEventListener('abort', () => fail(signal.reason), { once: true });
      const arrive = (reply: Reply) => {
        if (reply === 'never') return;
        const shown = reply === 'cut' ? 'cut' : String(reply.status);
        scheduler.add(worker, this.way(), `${what}: ${shown}`, () => {
          // After a freeze its time limit and its answer may be due together: the connection was closed then.
          if (over) return;
          limit.cancelled = true;
          if (reply === 'cut') fail(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
          else this.take(reply, request, signal).then(resolve, reject);
        });
      };
      scheduler.add(service, this.way(), method === 'GET' ? null : `takes ${what}`, () =>
        arrive(service.receive(request)),
      );
      worker.passed(`${method} sent`);
    });
  }

  private async take(reply: Exclude<Reply, string>, request: Request, signal: AbortSignal | undefined) {
    const { method, path } = request;
    if (method === 'POST' && reply.status === 202)
      this.worker.around.promises.answered(idIn(reply.text), request.body?.['video_url'] ?? '');
    await this.worker.point(`${method} answered`);
    return readAnswer(reply, { method, path }, this.options.redact, signal);
  }

  private way(): number {
    const { random } = this.worker.scheduler;
    return random.chance(0.9) ? random.next() * 20 : random.next() * WAY_MS;
  }

  private failure({ method, path }: Request, sent: 'never' | 'perhaps', reason: unknown, signal?: AbortSignal) {
    return requestFailure(reason, { method, path, sent }, this.options.redact, signal);
  }
}

function idIn(text: string): string {
  return (JSON.parse(text) as { publication: { id: string } }).publication.id;
}

function refusedConnection(): ConnectFailure {
  return new ConnectFailure('nothing listens there');
}
