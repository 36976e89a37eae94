import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import { type ChannelBrief, type WatchResult, type RunRef } from '../activities/contract';

/**
 * The search attributes by which the Web UI's list of workflows can be filtered; the namespace's operator registers
 * them.
 */
const campaignKey = defineSearchAttributeKey('ReelayCampaign', 'KEYWORD');
const runKey = defineSearchAttributeKey('ReelayRun', 'KEYWORD');
const channelKey = defineSearchAttributeKey('ReelayChannel', 'KEYWORD');
const stateKey = defineSearchAttributeKey('ReelayState', 'KEYWORD');
const failedKey = defineSearchAttributeKey('ReelayFailed', 'INT');
const unconfirmedKey = defineSearchAttributeKey('ReelayUnconfirmed', 'INT');

/** The workflow of a campaign has one id for all its runs: lists show here which run it is. */
export function showRun(name: string): void {
  upsertSearchAttributes([{ key: runKey, value: name }]);
}

export function channelAttributes(run: RunRef, channel: ChannelBrief, withRun: boolean): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: campaignKey, value: run.campaign },
    ...(withRun ? [{ key: runKey, value: `${run.campaign}.${run.number}` }] : []),
    { key: channelKey, value: channel.label.slice(0, 200) },
  ]);
}

/** Writes the attributes that changed since `before` (each write is an event); returns the current ones. */
export function showInLists(watch: WatchResult, before: string): string {
  const failed = (watch.counts.failed ?? 0) + (watch.counts.rejected ?? 0);
  const unconfirmed = (watch.counts.unconfirmed ?? 0) + (watch.counts.overdue ?? 0);
  const state = watch.open > 0 ? openState(watch) : failed + unconfirmed > 0 ? 'ended with problems' : 'ended';
  const now = `${state}/${failed}/${unconfirmed}`;
  if (now !== before) {
    upsertSearchAttributes([
      { key: stateKey, value: state },
      { key: failedKey, value: failed },
      { key: unconfirmedKey, value: unconfirmed },
    ]);
  }
  return now;
}

/** For an open run: what a person has to do comes before what happens automatically. */
function openState({ channels, counts, idleUntil }: WatchResult): string {
  const held = channels.flatMap((channel) => channel.held?.split(' ', 1) ?? []);
  if (held.includes('parked')) return 'parked';
  if (held.includes('paused')) return 'paused';
  const moving = (counts.creating ?? 0) + (counts.processing ?? 0) > 0;
  return !moving && idleUntil !== null ? 'waiting' : 'running';
}
