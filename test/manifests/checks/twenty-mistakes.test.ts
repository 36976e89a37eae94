import { folder, list, MP4, read, removeFolders } from '../support';

afterEach(removeFolders);

const HEADER = 'key,source,platform,profile,title,description.long,visibility,publish_at,status,skip,tags';
const URL = 'https://videos.example/';
const LONG = 'x'.repeat(101);

/** Each row as it was first written, and after it was corrected by the reported problems. */
const ROWS: readonly [wrong: string, corrected: string][] = [
  [`k1,clips/a.mp4,shrot,Garden,One,,,,,,`, `k1,clips/a.mp4,short,Garden,One,,,,,,`],
  [`k2,clips/B.mp4,short,Garden,Two,,,,,,`, `k2,clips/b.mp4,short,Garden,Two,,,,,,`],
  [`k3,ftp://videos.example/c.mp4,short,Garden,Three,,,,,,`, `k3,${URL}c.mp4,short,Garden,Three,,,,,,`],
  [`k4,${URL}d.mp4,long,Garden,${LONG},,private,,,,`, `k4,${URL}d.mp4,long,Garden,Four,,private,,,,`],
  [`k5,${URL}e.mp4,long,Garden,Five,,publik,,,,`, `k5,${URL}e.mp4,long,Garden,Five,,public,,,,`],
  [`k6,${URL}f.mp4,short,,Six,,,,,,`, `k6,${URL}f.mp4,short,default,Six,,,,,,`],
  [
    `k7,${URL}g.mp4,short,Garden,Seven,,,12/01/2026 9:00 AM,,,`,
    `k7,${URL}g.mp4,short,Garden,Seven,,,2026-12-01 9:00 AM,,,`,
  ],
  [
    `k8,${URL}h.mp4,short,Garden,Eight,,,2027-03-28 02:30,,,`,
    `k8,${URL}h.mp4,short,Garden,Eight,,,2027-03-28 03:30,,,`,
  ],
  [
    `k9,${URL}i.mp4,short,Garden,Nine,,,2026-10-25 02:30,,,`,
    `k9,${URL}i.mp4,short,Garden,Nine,,,2026-10-25 02:30+01:00,,,`,
  ],
  [`k10,${URL}j.mp4,short,Garden,Ten,,,2026-05-01 10:00,,,`, `k10,${URL}j.mp4,short,Garden,Ten,,,2026-07-01 10:00,,,`],
  [`k11,${URL}k.mp4,short,Garden,"Eleven\nagain",,,,,,`, `k11,${URL}k.mp4,short,Garden,Eleven again,,,,,,`],
  [`k1,${URL}l.mp4,short,Garden,Twelve,,,,,,`, `k12,${URL}l.mp4,short,Garden,Twelve,,,,,,`],
  [`k13,,short,Garden,Thirteen,,,,,,`, `k13,${URL}m.mp4,short,Garden,Thirteen,,,,,,`],
  [`k14,${URL}n.mp4,short,Garden,Fourteen,,,,live,,`, `k14,${URL}n.mp4,short,Garden,Fourteen,,,,published,,`],
  [`k15,${URL}o.mp4,short,Garden,Fifteen,,,,,maybe,`, `k15,${URL}o.mp4,short,Garden,Fifteen,,,,,no,`],
  [`k16,${URL}p.mp4,short,Garden,Sixteen,,private,,,,`, `k16,${URL}p.mp4,short,Garden,Sixteen,,,,,,`],
  [`,${URL}q.mp4?sig=1,short,Garden,Seventeen,,,,,,`, `k17,${URL}q.mp4?sig=1,short,Garden,Seventeen,,,,,,`],
  [`k18,${URL}r.mp4,short,Garden,Eighteen, part 2,,,,,,`, `k18,${URL}r.mp4,short,Garden,"Eighteen, part 2",,,,,,`],
  [`k19,${URL}s.mp4,short,Garden,19" screen,,,,,,`, `k19,${URL}s.mp4,short,Garden,"19"" screen",,,,,,`],
  [`k20,clips/empty.mp4,short,Garden,Twenty,,,,,,`, `k20,clips/full.mp4,short,Garden,Twenty,,,,,,`],
  [`k21,${URL}u.mp4,,Garden,Twenty-one,,,,,,`, `k21,${URL}u.mp4,short,Garden,Twenty-one,,,,,,`],
];

const sheet = (header: string, rows: readonly string[]): string => `${[header, ...rows].join('\n')}\n`;
const clips = { 'clips/a.mp4': MP4, 'clips/b.mp4': MP4, 'clips/empty.mp4': '', 'clips/full.mp4': MP4 };
const options = () => ({ base: folder(clips), timezone: 'Europe/Berlin' });

test('over twenty different mistakes in a sheet are all reported at once, each at its line and column', async () => {
  const reading = await read(
    sheet(
      HEADER,
      ROWS.map(([wrong]) => wrong),
    ),
    options(),
  );
  expect(list(reading)).toEqual([
    'error 1 visibility column-unknown',
    'warning 1 tags column-not-offered',
    'error 2 platform platform-unknown',
    'error 3 source file-missing',
    'error 4 source source-url',
    'error 5 title title-too-long',
    'error 6 visibility bad-privacy',
    'error 7 profile profile-missing',
    'error 8 publish_at bad-time',
    'error 9 publish_at time-not-real',
    'error 10 publish_at time-twice',
    'error 11 publish_at time-past',
    'error 12 title title-line-break',
    'error 14 key duplicate-key',
    'error 15 source source-missing',
    'error 16 status bad-status',
    'error 17 skip bad-skip',
    'error 18 visibility privacy-not-offered',
    'error 19 source key-needed',
    'error 20 - extra-cells',
    'error 21 - stray-quote',
    'error 22 source file-empty',
    'error 23 platform platform-missing',
  ]);
  for (const problem of reading.problems) expect([problem.code, problem.hint.length > 8]).toEqual([problem.code, true]);
});

test('corrected by those hints, the same sheet has no error left', async () => {
  const header = HEADER.replace('visibility', 'privacy');
  const reading = await read(
    sheet(
      header,
      ROWS.map(([, corrected]) => corrected),
    ),
    options(),
  );
  expect(list(reading)).toEqual(['warning 1 tags column-not-offered']);
  expect(reading.rows).toHaveLength(ROWS.length);
});
