import { yieldToEventLoop, iso, PAGE_ROWS, type Store } from '../engine/store';

/** One object per firing, including those that were skipped or missed. */
export async function* exportFirings(store: Store): AsyncGenerator<object> {
  for (let after = 0; ;) {
    const firings = await store.db
      .selectFrom('firings')
      .selectAll()
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE_ROWS)
      .execute();
    const last = firings.at(-1);
    if (!last) return;
    for (const one of firings) {
      const { campaign, run_number: number } = one;
      yield {
        record: 'firing',
        schedule: one.schedule,
        key: one.key,
        nominal_at: iso(one.nominal_at),
        outcome: one.outcome,
        code: one.code,
        reason: one.reason,
        run: campaign === null || number === null ? null : `${campaign}.${number}`,
        manifest_hash: one.manifest_hash,
        workflow_id: one.workflow_id,
        started_at: iso(one.started_at),
        ended_at: iso(one.ended_at),
      };
    }
    after = last.id;
    await yieldToEventLoop();
  }
}
