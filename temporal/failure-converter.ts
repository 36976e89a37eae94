import { DefaultFailureConverter } from '@temporalio/common';

/** Loaded by the SDK, by its path: messages and stacks of failures become payloads, which are encrypted. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
