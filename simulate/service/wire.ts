import { type Answered, readAnswer } from '../../service/http/answered';
import { ConnectFailure } from '../../service/connection/connect-failure';
import { Deadline } from '../../service/connection/deadline';
import { requestFailure } from '../../service/http/request-failure';
import { type HttpTransport, type Observer, type SendInput, type TransportOptions } from '../../service/http/transport';
import { ServiceError } from '../../service/errors';
import { type Owner, type Scheduler } from '../clock/scheduler';
import { Form } from './form';
import { isDirect, type Fields, type Reply, type Request, sourceIn } from './messages';
import { type Service } from './service';

const NO_ANSWER = 'the service did not finish its answer';

/** Maximum time of a request on the network, each way, ms. */
const WAY_MS = 200;

/** What is promised of creates. */
export interface CreatePromises {
  /** The first byte of a create of this video is sent now. */
  mayLeave: (source: string) => void;
  /** A create of this video was answered with this publication. */
  answered: (id: string, source: string) => void;
}

/** The process that sends. */
interface Sender extends Owner {
  readonly scheduler: Scheduler;
  readonly around: { promises: CreatePromises };
  /** A point of its work at which it may be killed or frozen. */
  point(name: string): Promise<void>;
  passed(name: string): void;
}

/**
 * Replaces the network, below the real client: a request arrives at the service, and its answer here, in separate
 * steps, so that a worker may have ended, or be frozen, by then.
 */
export class Wire implements HttpTransport {
  private observer: Observer = () => undefined;

  constructor(
    private readonly worker: Sender,
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
      const deadline = new Deadline(null, '');
      deadline.phase(this.options.limits.answerMs, NO_ANSWER);
      return this.exchange(request, deadline, signal).finally(() => deadline.clear());
    });
  }

  send(input: SendInput): Promise<Answered> {
    const { method, path, signal, beforeSend } = input;
    const answerMs = input.answerMs || this.options.limits.answerMs;
    return this.observed(async () => {
      await this.worker.point(`${method} connecting`);
      const deadline = new Deadline(input.totalMs ?? null, 'the upload did not finish');
      const form = typeof input.body === 'function' ? await Form.begin(input.body(deadline)) : undefined;
      try {
        const json = Buffer.isBuffer(input.body) ? (JSON.parse(input.body.toString('utf8')) as Fields) : null;
        const request = { method, path, body: form?.fields ?? json };
        if (!this.service.connects(request)) throw this.failure(request, 'never', refusedConnection(), signal);
        await beforeSend?.();
        if (signal?.aborted === true) throw this.failure(request, 'never', signal.reason, signal);
        // Its limits begin with its first byte.
        deadline.phase(answerMs, NO_ANSWER);
        return await this.exchange(request, deadline, signal, form);
      } finally {
        deadline.clear();
        await form?.close();
      }
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

  /** The request is sent now: from here on nothing can revoke it. */
  private exchange(
    request: Request,
    deadline: Deadline,
    signal: AbortSignal | undefined,
    form?: Form,
  ): Promise<Answered> {
    const { worker, service } = this;
    const { scheduler } = worker;
    const { method, path } = request;
    const what = `${method} ${path}`;
    if (method === 'POST') worker.around.promises.mayLeave(sourceIn(request));
    return new Promise<Answered>((resolve, reject) => {
      let over = false;
      const fail = (reason: unknown) => {
        over = true;
        reject(this.failure(request, 'perhaps', reason, signal));
      };
      deadline.onReached = fail;
      signal?.addEventListener('abort', () => fail(signal.reason), { once: true });
      const arrive = (reply: Reply) => {
        if (reply === 'never') return;
        const shown = reply === 'cut' ? 'cut' : String(reply.status);
        scheduler.add(worker, this.way(), `${what}: ${shown}`, () => {
          // After a freeze, its time limit and its answer may be due together: then the connection was already closed.
          if (over) return;
          over = true;
          deadline.clear();
          if (reply === 'cut') fail(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
          else this.take(reply, request, signal).then(resolve, reject);
        });
      };
      const whole = (): void => {
        scheduler.add(service, this.way(), method === 'GET' ? null : `takes ${what}`, () =>
          arrive(service.receive(request)),
        );
      };
      if (form === undefined) whole();
      else if (service.refusesEarly(request)) {
        // The service has seen enough, and accepts no more of it.
        whole();
      } else {
        this.upload(form, () => over).then((isWhole) => {
          if (isWhole) whole();
        }, fail);
      }
      worker.passed(`${method} sent`);
    });
  }

  /** Sends piece by piece. Returns true if the service has all of it. */
  private async upload(form: Form, isOver: () => boolean): Promise<boolean> {
    for (;;) {
      await this.worker.point('POST piece');
      if (isOver()) return false;
      if (!(await form.next())) return true;
    }
  }

  private async take(reply: Exclude<Reply, string>, request: Request, signal: AbortSignal | undefined) {
    const { method, path } = request;
    if (method === 'POST' && reply.status === 202 && !isDirect(request))
      this.worker.around.promises.answered(idIn(reply.text), sourceIn(request));
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
