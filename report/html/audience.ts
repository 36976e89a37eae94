import { type RowState } from '../../ledger/model/states';
import { clientState } from './client-words';
import { countText } from './text';

/** Who reads a report: the person who runs the program, or a client, who gets fewer parts and other words. */
export interface Audience {
  forClient: boolean;
  state(state: RowState): string;
  /** `1 row`, `12 rows` */
  rows(count: number): string;
  /** `Rows`: as a heading. */
  heading: string;
}

export const OPERATOR: Audience = {
  forClient: false,
  state: (state) => state,
  rows: (count) => (count === 1 ? '1 row' : `${countText(count)} rows`),
  heading: 'Rows',
};

export const CLIENT: Audience = {
  forClient: true,
  state: clientState,
  rows: (count) => (count === 1 ? '1 video' : `${countText(count)} videos`),
  heading: 'Videos',
};
