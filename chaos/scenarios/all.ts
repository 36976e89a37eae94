import { type Scenario } from '../scenario';
import { CRASHES_HIDDEN, CRASHES_SHOWN } from './crashes';

export const SCENARIOS: readonly Scenario[] = [CRASHES_SHOWN, CRASHES_HIDDEN];
