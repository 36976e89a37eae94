import { type Scenario } from '../scenario';
import { CRASHES_HIDDEN, CRASHES_SHOWN } from './crashes';
import { DISK_FULL } from './disk-full';
import { FROZEN, FROZEN_SILENT } from './frozen';
import { HOSTILE } from './hostile';
import { HOSTS, HOSTS_LAGGING } from './hosts';
import { INTERFERENCE } from './interference';
import { SCHEDULE } from './schedule';
import { WHOLE_RUN } from './whole-run';

/** Their shares of rows and kills add up to slightly more than requested. */
export const SCENARIOS: readonly Scenario[] = [
  CRASHES_SHOWN,
  CRASHES_HIDDEN,
  WHOLE_RUN,
  FROZEN,
  FROZEN_SILENT,
  DISK_FULL,
  INTERFERENCE,
  SCHEDULE,
  HOSTILE,
  HOSTS,
  HOSTS_LAGGING,
];
