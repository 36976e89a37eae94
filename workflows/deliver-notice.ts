import { ApplicationFailure, log, proxyActivities, startChild } from '@temporalio/workflow';
import { noticeWorkflowId } from './ids';
import { type NoticeActivities, type NoticeBrief } from '../activities/notices/contract';

export interface DeliverNoticeInput {
  notice: NoticeBrief;
}

/**
 * Sends one notice to all its targets, each retried for a day. It is independent of runs: nothing waits for it or fails
 * with it.
 */
export async function deliverNotice({ notice }: DeliverNoticeInput): Promise<void> {
  const sent = await Promise.allSettled(
    notice.targets.map((target) => {
      const { sendNotice } = proxyActivities<NoticeActivities>({
        startToCloseTimeout: '2 minutes',
        // A killed worker is noticed within this time.
        heartbeatTimeout: '15 seconds',
        scheduleToCloseTimeout: '24 hours',
        retry: { initialInterval: '2 seconds', maximumInterval: '10 minutes' },
        summary: `${notice.id} → ${target}`.slice(0, 150),
      });
      return sendNotice({ notice, target });
    }),
  );
  const lost = notice.targets.filter((_, at) => sent[at]?.status === 'rejected');
  if (lost.length > 0)
    throw ApplicationFailure.nonRetryable(`not sent within a day to ${lost.join(', ')}`, 'NoticeLost');
}

/** Starts the delivery of notices that were not sent yet. It never throws. */
export async function startNotices(notices: readonly NoticeBrief[], told: Set<string>): Promise<void> {
  for (const notice of notices) {
    if (told.has(notice.id)) continue;
    told.add(notice.id);
    try {
      await startChild(deliverNotice, {
        workflowId: noticeWorkflowId(notice.id),
        args: [{ notice }],
        parentClosePolicy: 'ABANDON',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        staticSummary: `notice · ${notice.subject.kind} · ${notice.targets.join(', ')}`,
      });
    } catch (error) {
      // Another run already sent a notice of the same event.
      log.info('a notice is under way already', { notice: notice.id, error: String(error) });
    }
  }
}
