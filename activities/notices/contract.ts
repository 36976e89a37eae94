import { type RunRef } from '../../ledger/model/types';

/** Where a notice goes: the configured command or address, or the address that the manifest names. */
export type NoticeTarget = 'command' | 'url' | 'manifest-url';

/** What a notice is about; what it says is read from the ledger when it is sent. */
export type NoticeSubject =
  | { kind: 'ended'; run: RunRef }
  | { kind: 'parked'; run: RunRef; scope: string; since: string }
  | { kind: 'refused'; schedule: string; firing: number };

/** A notice that is to be sent. It travels through Temporal: no address, no reason, no secret in it. */
export interface NoticeBrief {
  /** The same for the same matter, however often it is noticed. */
  id: string;
  subject: NoticeSubject;
  targets: NoticeTarget[];
}

export interface NoticeActivities {
  /** Sends a notice to one of its targets. @throws when that didn't take it: to be tried again */
  sendNotice: (input: SendNoticeInput) => Promise<void>;
}

export interface SendNoticeInput {
  notice: NoticeBrief;
  target: NoticeTarget;
}
