import { type Deadline } from '../connection/deadline';
import { type MultipartForm } from './multipart';
import { type TimeLimits } from '../connection/time-limits';
import { type VideoFile } from './video-file';

/** Bytes of the file that the connection has accepted, and the total. */
export type OnProgress = (bytesSent: number, total: number) => void;

/** Exact length of the request's body, in bytes. */
export function uploadLength(form: MultipartForm, file: VideoFile): number {
  return form.head.length + file.size + form.tail.length;
}

/**
 * The body of an upload, produced as the connection accepts it: a piece is read only when the one before was accepted,
 * so memory use stays constant. The form is closed only after a last check of the file, since a form without its end
 * can't be taken for complete.
 * @throws FileProblem if the file changed
 */
export async function* uploadBody(
  form: MultipartForm,
  file: VideoFile,
  deadline: Deadline,
  limits: TimeLimits,
  onProgress: OnProgress | undefined,
): AsyncGenerator<Buffer, void, void> {
  deadline.phase(limits.uploadStallMs, 'nothing more of the upload was accepted');
  yield form.head;
  let sent = 0;
  for await (const chunk of file.read()) {
    yield chunk;
    deadline.progress();
    sent += chunk.length;
    onProgress?.(sent, file.size);
  }
  await file.assertUnchanged();
  yield form.tail;
  deadline.phase(limits.uploadAnswerMs, 'the upload got no answer');
}
