import { ApplicationFailure } from '@temporalio/common';

/** A target didn't accept the notice: it is retried. */
export function notSent(message: string): ApplicationFailure {
  return ApplicationFailure.create({ message, type: 'NoticeNotSent' });
}
