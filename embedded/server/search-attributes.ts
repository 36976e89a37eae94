/**
 * The search attributes that runs carry, by name, with Temporal's type for each. The one place that names them.
 * SQL stores have 10 Keyword and 3 Int attributes per namespace.
 */
export const SEARCH_ATTRIBUTES = {
  ReelayCampaign: 'KEYWORD',
  ReelayRun: 'KEYWORD',
  ReelayChannel: 'KEYWORD',
  ReelayState: 'KEYWORD',
  ReelayFailed: 'INT',
  ReelayUnconfirmed: 'INT',
} as const;

/** Temporal's numbers for these types (`temporal.api.enums.v1.IndexedValueType`). */
export const INDEXED_VALUE_TYPES = { KEYWORD: 2, INT: 3 } as const;
