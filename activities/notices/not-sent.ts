import { ApplicationFailure } from '@temporalio/common';

/** A target didn't take the notice: it is tried again. */
export function notSent(message: string): ApplicationFailure {
  return ApplicationFailure.create({ message, type: 'NoticeNotSent' });
}
