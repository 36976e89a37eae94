import { type Scenario, type ScenarioReport } from './scenario';

export interface Finished {
  scenario: Scenario;
  seconds: number;
  report: ScenarioReport | null;
  error: string | null;
  skipped: string | null;
}

const COLUMNS = [
  'rows',
  'kills',
  'faults',
  'lostAnswers',
  'adopted',
  'repeated',
  'duplicates',
  'lost',
  'unconfirmed',
] as const;

export function table(finished: readonly Finished[]): string {
  const lines = [
    '| scenario | rows | kills | faults | lost answers | adopted | repeated | duplicates | lost rows | unconfirmed | seconds |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
  ];
  const sums = new Map<string, number>();
  for (const { scenario, report, seconds, skipped } of finished) {
    const cells = COLUMNS.map((column) => report?.[column] ?? (skipped === null ? 'failed' : 'skipped'));
    for (const column of COLUMNS) sums.set(column, (sums.get(column) ?? 0) + (report?.[column] ?? 0));
    lines.push(`| ${scenario.name} | ${cells.join(' | ')} | ${seconds.toFixed(0)} |`);
  }
  const total = finished.reduce((sum, each) => sum + each.seconds, 0);
  lines.push(`| all | ${COLUMNS.map((column) => sums.get(column) ?? 0).join(' | ')} | ${total.toFixed(0)} |`);
  return lines.join('\n');
}

/** At most this share of lost answers may be left to a person if the service shows titles; one is always allowed. */
const UNCONFIRMED_SHARE = 0.01;
const SHOWN = 10;

/** What is wrong, one line each; empty if every promise was kept. */
export function failures(finished: readonly Finished[]): string[] {
  return finished.flatMap(({ scenario, report, error }) => {
    if (error !== null) return [`${scenario.name}: ${error}`];
    if (report === null) return [];
    const wrong = report.wrong.slice(0, SHOWN);
    if (report.wrong.length > SHOWN) wrong.push(`… and ${report.wrong.length - SHOWN} more`);
    const bearable = Math.max(1, UNCONFIRMED_SHARE * report.lostAnswers);
    if (scenario.settles && report.unconfirmed > bearable) {
      wrong.push(`${report.unconfirmed} of ${report.lostAnswers} lost answers were left to a person`);
    }
    return wrong.map((text) => `${scenario.name}: ${text}`);
  });
}
