import { parseFaultText } from '../../sandbox/faults/fault-text';
import { optionsFromFlags } from '../../sandbox/flags';
import { OPEN_DEFAULTS } from '../../sandbox/faults/open-choices';
import { resolveOptions } from '../../sandbox/options';
import { kindOf, parseAdopted } from '../../sandbox/profiles';

describe('rule texts', () => {
  it.each([
    ['create nth=3 -> lost', { when: { endpoint: 'create', nth: 3 }, do: { kind: 'lost' } }],
    ['-> hang accept', { when: {}, do: { kind: 'hang', accept: true } }],
    [
      'create title="Episode 3: \\"Rain\\"" times=2 -> status 503 accept retry-after=2',
      {
        when: { endpoint: 'create', title: 'Episode 3: "Rain"' },
        times: 2,
        do: { kind: 'status', status: 503, accept: true, retryAfter: '2' },
      },
    ],
    [
      'create title=/a b=c\\/d/i -> garbage html',
      { when: { endpoint: 'create', title: '/a b=c\\/d/i' }, do: { kind: 'garbage', what: 'html' } },
    ],
    [
      'get share=0.1 -> show-status null',
      { when: { endpoint: 'get', share: 0.1 }, do: { kind: 'show-status', value: null } },
    ],
    [
      'get -> show-status missing',
      { when: { endpoint: 'get' }, do: { kind: 'show-status', value: null, missing: true } },
    ],
    [
      'create profile-id=p -> redirect https://other.example/?a=b status=302',
      {
        when: { endpoint: 'create', profileId: 'p' },
        do: { kind: 'redirect', to: 'https://other.example/?a=b', status: 302 },
      },
    ],
    ['-> status 429 retry-after=2,30', { when: {}, do: { kind: 'status', status: 429, retryAfter: ['2', '30'] } }],
    [
      '-> status 429 retry-after="Wed, 21 Oct 2026 07:28:00 GMT"',
      { when: {}, do: { kind: 'status', status: 429, retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' } },
    ],
    ['{"do":{"kind":"lost"}}', { do: { kind: 'lost' } }],
  ])('reads %s', (text, rule) => {
    expect(parseFaultText(text)).toEqual(rule);
  });

  it.each([
    ['create lost', /needs one "->"/],
    ['create -> lost -> hang', /needs one "->"/],
    ['creates -> lost', /"creates" is neither an endpoint/],
    ['create titel=x -> lost', /titel/],
    ['create nth=0 -> lost', /when\.nth/],
    ['create nth=two -> lost', /nth is a number, not "two"/],
    ['create share=2 -> lost', /when\.share/],
    ['create -> ', /unknown fault ""/],
    ['create -> explode', /unknown fault "explode".*cut-answer/],
    ['create -> status', /do\.status/],
    ['create -> status 5000', /do\.status/],
    ['create -> status 503 accept=maybe', /accept is true or false, not "maybe"/],
    ['create -> lost ms=3', /ms/],
    ['create -> garbage xml', /do\.what/],
    ['{"do":', /is not JSON/],
  ])('refuses %s, saying what is wrong', (text, message) => {
    expect(() => parseFaultText(text)).toThrow(message);
  });
});

describe('flags', () => {
  it('become options', () => {
    expect(
      optionsFromFlags({
        port: '4010',
        profiles: '12',
        processing: '1s..2.5s',
        failures: '5%',
        seed: '3',
        fault: ['create -> lost'],
        open: ['echo-title', 'profile-envelope=bare', 'listLagMs=50', 'echoProfile=false', 'failure-field=reason'],
        foreign: '2s',
        platform: ['short=clips', 'long=films'],
      }),
    ).toEqual({
      port: 4010,
      profiles: 12,
      seed: 3,
      processing: { minMs: 1000, maxMs: 2500, failureShare: 0.05 },
      faults: [{ when: { endpoint: 'create' }, do: { kind: 'lost' } }],
      open: { echoTitle: true, profileEnvelope: 'bare', listLagMs: 50, echoProfile: false, failureField: 'reason' },
      foreign: { everyMs: 2000 },
      platforms: { short: 'clips', long: 'films' },
    });
  });

  it('are all optional', () => {
    expect(resolveOptions(optionsFromFlags({})).open).toEqual(OPEN_DEFAULTS);
  });

  it.each([
    [{ port: 'x' }, /--port can't be "x"/],
    [{ port: '70000' }, /"port" can't be "70000"/],
    [{ profiles: '101' }, /"profiles" can't be "101": it takes from 1 to 100/],
    [{ processing: '3s..1s' }, /"processing" can't be "3000\.\.1000"/],
    [{ processing: 'soon' }, /--processing can't be "soon"/],
    [{ failures: '120%' }, /--failures can't be "120%"/],
    [{ open: ['echo-titel'] }, /Unknown open choice "echo-titel"/],
    [{ open: ['pending=maybe'] }, /"pending" can't be "maybe".*stays, goes-on/],
    [{ open: ['updateStatus=99'] }, /a status from 200 to 599/],
    [{ foreign: '0' }, /"foreign\.everyMs"/],
    [{ platform: ['tall=x'] }, /--platform can't be "tall=x"/],
    [{ platform: ['short=platform_b'] }, /three different names/],
  ])('refuse %j with the way to mend it', (flags, message) => {
    expect(() => resolveOptions(optionsFromFlags(flags))).toThrow(message);
  });
});

describe('what it takes over of a real service', () => {
  const adopted = [{ id: 'real-1', name: 'garden', platforms: ['clips', 'films'] }];

  it('is profiles, the first of them the default, beside its own that have other names', () => {
    const { profiles } = resolveOptions({ adopted: () => adopted });
    expect(profiles().map(({ name }) => name)).toEqual(['garden', 'Kitchen', 'Travel']);
    expect(profiles()[0]?.channels.map(({ platform }) => platform)).toEqual(['clips', 'films']);
  });

  it('is platforms, several of a role too', () => {
    const flags = optionsFromFlags({ platform: ['short=clips', 'long=films', 'short=reels'] });
    const { platforms, profiles } = resolveOptions(flags);
    expect(platforms).toMatchObject({ short: 'clips', long: 'films', more: { reels: 'short' } });
    expect(profiles()[0]?.channels.map(({ platform }) => platform)).toEqual(['clips', 'films', 'platform_c', 'reels']);
    expect(['clips', 'reels', 'films', 'platform_c'].map((name) => kindOf(platforms, name))).toEqual([
      'short',
      'short',
      'long',
      undefined,
    ]);
  });

  it('is read as data, or refused', () => {
    expect(parseAdopted(JSON.stringify({ version: 1, profiles: adopted }))).toEqual(adopted);
    for (const text of ['', '{}', '{"profiles":[{"id":1,"name":"x","platforms":[]}]}', '{"profiles":[{"id":"a"}]}'])
      expect(() => parseAdopted(text)).toThrow(/reelay init/);
  });
});
