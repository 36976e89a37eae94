import { type NextStep } from '../../wording/next-steps';
import { type ResultRecord } from '../../ledger/model/result-types';
import { type Counts } from '../../ledger/model/types';

export interface HtmlReportInput {
  /** `spring.3` */
  run: string;
  campaign: string;
  /** Rows of the manifest. */
  total: number;
  counts: Counts;
  /** Rows that ended as requested; absent: what the counts and the rows' codes say. */
  succeeded?: number;
  startedAt: string | null;
  finishedAt: string | null;
  /** Link to the run in the Temporal Web UI. */
  webUi: string | null;
  /** The Web UI is an embedded one, which ends with the command that started it: how to get it back, whole commands. */
  webUiAgain?: readonly string[];
  sandbox: boolean;
  /** What commands need to find the same ledger, with a leading blank: ` --sandbox --home DIR`. */
  placeFlags?: string;
  /** Commands that go on from here, whole. */
  next: readonly NextStep[];
  /** Read twice: for the groups, then for the table. */
  rows: () => AsyncIterable<ResultRecord>;
  /** Commands that settle a row, by its line and key; from the command line's own hand. */
  settle?: readonly { line: number; key: string; commands: readonly string[]; ids?: string | null; direct?: boolean }[];
  /** When the report was made, ISO. */
  madeAt: string;
  /** In which times are shown. */
  zone: string;
}
