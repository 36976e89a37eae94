import { defineSignal } from '@temporalio/workflow';

/** Something was submitted for the campaign: check the ledger. Carries no data, since the ledger has it. */
export const submittedSignal = defineSignal('submitted');

/** A gate, a value or a time changed in the ledger: check it now. */
export const wakeSignal = defineSignal('wake');

/** The same signal under the name that earlier versions send. */
export const earlierWakeSignal = defineSignal('hurry');
