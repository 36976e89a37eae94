import { type RunRef } from '../../ledger/model/types';

/** Where a notice goes: the configured command or address, or the address that the manifest names. */
export type NoticeTarget = 'command' | 'url' | 'manifest-url';

/** The subject of a notice; its text is read from the ledger when it is sent. */
export type NoticeSubject =
  | { kind: 'ended'; run: RunRef }
  | { kind: 'parked'; run: RunRef; scope: string; since: string }
  | { kind: 'refused'; schedule: string; firing: number };

/** A notice to be sent. It travels through Temporal, so it contains no address, reason or secret. */
export interface NoticeBrief {
  /** The same for the same event, however often it is noticed. */
  id: string;
  subject: NoticeSubject;
  targets: NoticeTarget[];
}

export interface NoticeActivities {
  /** Sends a notice to one of its targets. @throws if the target didn't accept it: retried */
  sendNotice: (input: SendNoticeInput) => Promise<void>;
}

export interface SendNoticeInput {
  notice: NoticeBrief;
  target: NoticeTarget;
}
