import { STATUS_CODES } from 'node:http';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { cutAnswer, drop } from '../faults/broken-connection';
import { type Context } from '../context';
import { type RequestFacts } from '../faults/fault-queue';
import { type FaultAction } from '../faults/fault-rules';
import { makeInjected } from '../faults/injected-publications';
import { sendError } from './refusal';
import { sendMalformed } from '../faults/malformed-responses';
import { retryAfterHeader } from '../faults/retry-after-header';
import { type ViewContext } from './views';

/** A success answer. `location` is the path of what was created. */
export interface Answer {
  status: number;
  body: unknown;
  location?: string;
}

/** How faults change the effect of a request, without breaking its answer. */
export interface Directives {
  outcome?: FaultAction & { kind: 'outcome' };
  shownStatus?: ViewContext['shownStatus'];
  storeAs?: FaultAction & { kind: 'store-as' };
  /** A create is answered with another publication's id. */
  reuseId?: boolean;
}

/** Does what the request asks for (stores, changes, reads) and returns the answer. */
export type Effect = (directives: Directives) => Promise<Answer>;

/**
 * Lets a request take effect and answers it, under the faults that apply to it. Faults that change the effect (slow,
 * outcome, shown status, foreign) add up; of those that break the answer, the first rule counts.
 * @throws Refusal from the effect.
 */
export async function answer(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  facts: RequestFacts,
  effect: Effect,
): Promise<FastifyReply> {
  const actions = context.book.match('request', facts);
  if (actions.length === 0) return send(reply, await effect({}));
  const directives = directivesOf(actions);
  const slowly = async (): Promise<void> => {
    for (const action of actions) if (action.kind === 'slow-answer') await context.waiting.wait(action.ms);
  };
  const takeEffect = async (): Promise<Answer> => {
    await makeManyInjected(context, actions, 'before');
    const result = await effect(directives);
    await makeManyInjected(context, actions, 'after');
    await slowly();
    const other = actions.find((action) => action.kind === 'success-status');
    return other === undefined ? result : { ...result, status: other.status };
  };
  const spoil = actions.find(isSpoiling);
  if (spoil === undefined) return send(reply, await takeEffect());
  if (spoil.kind === 'status' && spoil.accept !== true) await slowly();
  await spoilAnswer(context, request, reply, spoil, takeEffect);
  return reply;
}

/** Answers with an error before the body is read, if a rule says so. */
export function answerEarly(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  facts: RequestFacts,
): boolean {
  const action = context.book.match('early', facts).find((candidate) => candidate.kind === 'status');
  if (action === undefined) return false;
  // The rest of the body is never read: the connection can't serve another request.
  reply.header('connection', 'close');
  sendStatus(context, request, reply, action);
  return true;
}

const SPOILING = ['status', 'lost', 'cut-answer', 'accept-late', 'hang', 'garbage', 'redirect'] as const;
type SpoilingFault = FaultAction & { kind: (typeof SPOILING)[number] };

function isSpoiling(action: FaultAction): action is SpoilingFault {
  return (SPOILING as readonly string[]).includes(action.kind);
}

async function spoilAnswer(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  action: SpoilingFault,
  effect: () => Promise<Answer>,
): Promise<void> {
  switch (action.kind) {
    case 'status':
      if (action.accept === true) await effect();
      sendStatus(context, request, reply, action);
      return;
    case 'lost':
      if (action.accept !== false) await effect();
      reply.hijack();
      drop(request, action.reset === true);
      return;
    case 'cut-answer':
      cutAnswer(
        reply,
        action.accept === false ? { status: 202, body: {} } : await effect(),
        action.at ?? 'status-line',
      );
      return;
    case 'accept-late': {
      if (action.drop === true) {
        reply.hijack();
        drop(request, false);
      }
      if (!(await context.waiting.wait(action.ms))) return;
      const late = await effect();
      if (action.drop !== true) send(reply, late);
      return;
    }
    case 'hang':
      if (action.accept === true) await effect();
      reply.hijack();
      return;
    case 'garbage':
      sendMalformed(reply, action, action.accept === false ? null : await effect());
      return;
    case 'redirect':
      if (action.accept === true) await effect();
      reply.redirect(action.to, action.status ?? 307);
      return;
  }
}

function send(reply: FastifyReply, { status, body }: Answer): FastifyReply {
  return reply.code(status).send(body);
}

function sendStatus(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  action: FaultAction & { kind: 'status' },
): void {
  const { status, retryAfter, body } = action;
  if (retryAfter !== undefined) reply.header('retry-after', retryAfterHeader(retryAfter, Date.now()));
  const message = STATUS_CODES[status] ?? 'Fault';
  sendError(request, reply, body ?? context.options.open.errorBody, {
    status,
    code: `fault_${String(status)}`,
    message,
  });
}

function directivesOf(actions: readonly FaultAction[]): Directives {
  const directives: Directives = {};
  for (const action of actions) {
    if (action.kind === 'outcome') directives.outcome = action;
    if (action.kind === 'store-as') directives.storeAs = action;
    if (action.kind === 'reuse-id') directives.reuseId = true;
    if (action.kind === 'show-status') {
      directives.shownStatus = { value: action.value, missing: action.missing === true };
    }
  }
  return directives;
}

async function makeManyInjected(
  context: Context,
  actions: readonly FaultAction[],
  at: 'before' | 'after',
): Promise<void> {
  for (const action of actions) {
    if (action.kind === 'foreign' && (action.at ?? 'before') === at) await makeInjected(context, action.title);
  }
}
