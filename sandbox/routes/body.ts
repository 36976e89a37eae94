import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { type MultipartFile } from '@fastify/multipart';
import { type FastifyRequest } from 'fastify';
import { type Context } from '../context';
import { type RequestFacts } from '../faults/fault-queue';
import { type FaultAction } from '../faults/fault-rules';
import { PacedReader } from '../faults/throttled-reader';
import { type PublicationSource } from '../store/records';
import { ConnectionGone, Refusal } from './refusal';
import { type Fields } from './validate';

/** A request body: its text fields, and the video if one was uploaded. */
export interface ReadBody {
  form: 'json' | 'multipart';
  fields: Fields;
  video: UploadedVideo | null;
}

export interface UploadedVideo {
  source: PublicationSource;
  /** As named in the form part. */
  mimeType: string;
}

/**
 * Reads the body of a create or a direct publish. A video is counted (and hashed, if configured) and discarded, so that
 * memory use stays constant whatever its size. Faults of the body act here, based on the fields before the video.
 * @throws ConnectionGone if the connection ends before the body does.
 * @throws Refusal for a body that isn't a valid form.
 */
export async function readBody(context: Context, request: FastifyRequest, facts: RequestFacts): Promise<ReadBody> {
  if (request.isMultipart()) return readMultipart(context, request, facts);
  const fields = request.body;
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw new Refusal(context.options.open.invalidStatus, 'invalid_request', 'the body must be a JSON object');
  }
  const actions = context.book.match('body', { ...facts, ...factsOf(fields as Fields) });
  if (actions.length > 0) {
    const reader = new PacedReader(context, request, actions);
    await reader.passed(Number(request.headers['content-length'] ?? 0));
    reader.cutAtEnd();
  }
  return { form: 'json', fields: fields as Fields, video: null };
}

/** The facts that rules look at, as far as the fields have them. */
export function factsOf(fields: Fields): Pick<RequestFacts, 'title' | 'platform' | 'profileId'> {
  const { title, platform, profile_id: profileId } = fields;
  return {
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof platform === 'string' ? { platform } : {}),
    ...(typeof profileId === 'string' ? { profileId } : {}),
  };
}

async function readMultipart(context: Context, request: FastifyRequest, facts: RequestFacts): Promise<ReadBody> {
  const fields: Record<string, unknown> = {};
  let video: ReadBody['video'] = null;
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        fields[part.fieldname] = part.value;
      } else {
        const actions = context.book.match('body', { ...facts, ...factsOf(fields) });
        const read = await readFile(context, request, part, actions);
        if (part.fieldname === 'video') video = read;
      }
    }
  } catch (error) {
    if (error instanceof Refusal || error instanceof ConnectionGone) throw error;
    if (!(await isComplete(request))) throw new ConnectionGone('the upload ended early');
    throw new Refusal(context.options.open.invalidStatus, 'invalid_request', 'the form could not be read');
  }
  if (!(await isComplete(request))) throw new ConnectionGone('the upload ended early');
  return { form: 'multipart', fields, video };
}

/** The last boundary may come before the body's end: only the whole body counts. */
async function isComplete({ raw }: FastifyRequest): Promise<boolean> {
  if (raw.complete || raw.destroyed) return raw.complete;
  await new Promise((resolve) => {
    raw.once('end', resolve).once('close', resolve).resume();
  });
  return raw.complete;
}

async function readFile(
  context: Context,
  request: FastifyRequest,
  part: MultipartFile,
  actions: readonly FaultAction[],
): Promise<UploadedVideo> {
  const hash = context.options.hash ? createHash('sha256') : null;
  const reader = actions.length === 0 ? null : new PacedReader(context, request, actions);
  let bytes = 0;
  for await (const chunk of part.file as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    hash?.update(chunk);
    if (reader !== null) await reader.passed(bytes);
  }
  reader?.cutAtEnd();
  const declared = request.headers['content-length'];
  const source: PublicationSource = { kind: 'file', fileName: part.filename, bytes };
  if (declared !== undefined) source.declaredBytes = Number(declared);
  if (hash !== null) source.sha256 = hash.digest('hex');
  return { source, mimeType: part.mimetype };
}

const VIDEO_EXTENSIONS: readonly string[] = ['.mp4', '.mov', '.avi'];
const VIDEO_TYPES: readonly string[] = ['video/mp4', 'video/quicktime', 'video/x-msvideo', 'video/avi'];

/** Whether an upload is MP4, MOV or AVI (section 8), by its name, or by its type when the name has no extension. */
export function isDirectFormat(video: UploadedVideo): boolean {
  const extension = extname(video.source.fileName ?? '').toLowerCase();
  return extension === '' ? VIDEO_TYPES.includes(video.mimeType) : VIDEO_EXTENSIONS.includes(extension);
}
