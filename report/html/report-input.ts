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
  /** Rows that succeeded; absent: derived from the counts and the rows' codes. */
  succeeded?: number;
  startedAt: string | null;
  finishedAt: string | null;
  /** Link to the run in the Temporal Web UI. */
  webUi: string | null;
  /** The Web UI is an embedded one, which ends with the command that started it: complete commands that start it again. */
  webUiAgain?: readonly string[];
  sandbox: boolean;
  /** Flags that commands need to find the same ledger, with a leading space: ` --sandbox --home DIR`. */
  placeFlags?: string;
  /** For someone outside: without commands, keys, ids, attempts and codes, and in plain words. */
  forClient?: boolean;
  /** Which rows of the manifest were left out because of errors: a line for each file. */
  leftOut?: readonly string[];
  leftOutTotal?: number;
  /** Complete commands for the next steps. */
  next: readonly NextStep[];
  /** Read twice: for the groups, then for the table. */
  rows: () => AsyncIterable<ResultRecord>;
  /** Commands that settle a row, by its key and channel; provided by the command line. */
  settle?: readonly {
    key: string;
    channel: string;
    commands: readonly string[];
    ids?: string | null;
    direct?: boolean;
  }[];
  /** When the report was made, ISO. */
  madeAt: string;
  /** The zone in which times are shown. */
  zone: string;
}
