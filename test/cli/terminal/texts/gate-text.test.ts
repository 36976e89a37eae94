import { gatePlace, heldText } from '../../../../cli/terminal/texts/gate-text';
import { type GateInfo } from '../../../../ledger/model/types';

const CHANNELS = [{ id: 'Garden.platform_b.1', label: 'Garden · long' }];
const gate = (scope: string, kind: GateInfo['kind'], reason: string): GateInfo => ({
  ...{ scope, kind, reason },
  by: 'ana@desk',
  since: '2026-03-02T12:00:00.000Z',
});

describe('a gate', () => {
  it('is shown with its channel’s name, and with its reason only if that adds something', () => {
    const paused = gate('run:spring.1/channel:Garden.platform_b.1', 'paused', 'paused by ana@desk');
    expect(heldText([paused], CHANNELS)).toBe('paused: Garden · long, by ana@desk since 2026-03-02T12:00:00.000Z');
    const parked = gate('account:main', 'parked', 'HTTP 401');
    expect(heldText([paused, parked], CHANNELS)).toBe(
      'parked: account main, by ana@desk since 2026-03-02T12:00:00.000Z — HTTP 401 (and 1 more)',
    );
    expect(gatePlace({ scope: 'run:spring.1' }, CHANNELS)).toBe('the run');
    expect(gatePlace({ scope: 'channel:unknown' }, CHANNELS)).toBe('unknown');
  });

  it('that cancelled one channel holds nothing: its rows have ended', () => {
    expect(heldText([gate('run:spring.1/channel:Garden.platform_b.1', 'cancelled', 'cancelled')], CHANNELS)).toBeNull();
    expect(heldText([gate('run:spring.1', 'cancelled', 'cancelled')], CHANNELS)).toContain('cancelled: the run');
  });
});
