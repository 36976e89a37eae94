import { type Answer, DATA_BODY_MAX } from './exchange';
import { AmbiguousError, type RequestName, type ServiceError, UnreadableError } from '../errors';
import { errorForStatus } from './answer-error';
import { requestFailure } from './request-failure';
import { NestedTooDeepError, parseJson } from './json';
import { excerptOf, type Redactor } from '../secrets/redact';
import { saysNotOk } from '../api/answers';

/** A success, with its JSON. */
export interface Answered {
  status: number;
  /** Undefined if the body was empty. */
  json: unknown;
  /** The time of the service's clock (its `Date` header); undefined if it shows none. */
  date: string | undefined;
  /** The error for a success without the required data. */
  unreadable(what: string): ServiceError;
}

/**
 * Interprets a complete answer.
 * @throws ServiceError for every failure status, and for a success that cannot be read
 */
export function readAnswer(
  answer: Answer,
  name: RequestName,
  redact: Redactor,
  signal: AbortSignal | undefined,
): Answered {
  const { status, cutShort } = answer;
  // Only failures carry an excerpt, and masking one takes longer than reading a short answer.
  const factsOf = () => {
    // The position where the body broke off may be inside a secret, which then can't be recognised: its last word is
    // left out.
    const text = cutShort === undefined ? answer.text : answer.text.replace(/(?<!\S)\S*$/, '');
    return { ...name, status, sent: 'answered', excerpt: excerptOf(text, redact) } as const;
  };
  if (status < 200 || status > 299) throw errorForStatus(answer, factsOf());

  const unreadable = (what: string) => {
    const facts = factsOf();
    return new UnreadableError(`the service answered ${status}, but ${what}${shown(facts)}`, facts);
  };
  if (cutShort === 'big') throw unreadable(`with more than ${DATA_BODY_MAX} bytes`);

  const json = tryParse(answer.text);
  // JSON itself shows whether it is complete: if it is, nothing was lost.
  if (cutShort === 'cut' && (json instanceof BrokenJson || json === undefined)) {
    throw requestFailure(answer.cause, factsOf(), redact, signal);
  }
  if (json instanceof BrokenJson) throw unreadable(json.what);
  if (saysNotOk(json)) {
    const facts = factsOf();
    throw new AmbiguousError(`the service answered ${status}, but says that it is not ok${shown(facts)}`, facts);
  }
  return { status, json, date: answer.headers.get('date')?.[0], unreadable };
}

function shown({ excerpt }: { excerpt: string | undefined }): string {
  return excerpt === undefined ? '' : `: ${excerpt}`;
}

/** Instead of a value: what the body was if it wasn't readable JSON. */
class BrokenJson {
  constructor(readonly what: string) {}
}

function tryParse(text: string): unknown {
  const body = text.replace(/^\uFEFF/, '').trim();
  if (body === '') return undefined;
  try {
    return parseJson(body);
  } catch (error) {
    return new BrokenJson(error instanceof NestedTooDeepError ? `with JSON ${error.message}` : 'not with JSON');
  }
}
