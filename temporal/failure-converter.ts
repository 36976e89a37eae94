import { DefaultFailureConverter } from '@temporalio/common';

/** Loaded by the SDK by its path: it turns messages and stacks of failures into payloads, which are encrypted. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
