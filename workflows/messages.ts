import { defineSignal } from '@temporalio/workflow';

/** Something was submitted for the campaign: look into the ledger. Carries nothing; the ledger has it. */
export const submittedSignal = defineSignal('submitted');

/** A gate, a value or a time changed in the ledger: look again now. */
export const wakeSignal = defineSignal('wake');

/** The same under the name that earlier versions send. */
export const earlierWakeSignal = defineSignal('hurry');
