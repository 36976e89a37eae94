import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection } from '@temporalio/client';
import {
  conditionOn,
  SEARCH_ATTRIBUTE_NAMES,
  SEARCH_ATTRIBUTES,
  type SearchAttribute,
} from '../../temporal/search-attributes';

/** Temporal's numbers for the types (`temporal.api.enums.v1.IndexedValueType`). */
const INDEXED_VALUE_TYPES = { KEYWORD: 2, INT: 3 } as const;

/** How long (s) closed runs stay readable: 90 days. The dev server's own default is one day. */
export const RETENTION_S = 90 * 24 * 3600;

const NOT_FOUND = 5;

/**
 * Sets up a namespace of the embedded server for runs: retention and search attributes. Waits until the namespace
 * exists and the attributes can be queried. Skips what is already done.
 * @throws Error if a search attribute exists with another type, or the signal aborts first
 */
export async function prepareNamespace(connection: Connection, namespace: string, signal: AbortSignal): Promise<void> {
  const service = connection.workflowService;
  const found = await until(
    signal,
    () => service.describeNamespace({ namespace }),
    (error) => codeOf(error) === NOT_FOUND,
  );
  const retention = Number(found.config?.workflowExecutionRetentionTtl?.seconds?.toString() ?? 0);
  if (retention < RETENTION_S) {
    const { msToTs } = await import('@temporalio/common/lib/time.js');
    await service.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: msToTs(RETENTION_S * 1000) },
    });
  }
  if ((await missingAttributes(connection, namespace)).length > 0) {
    await addAttributes(connection, namespace, signal);
    const query = SEARCH_ATTRIBUTE_NAMES.map(conditionOn);
    // Being listed doesn't make it usable yet, because each service caches the namespace. A query goes through that
    // cache.
    await until(
      signal,
      () => service.countWorkflowExecutions({ namespace, query: query.join(' AND ') }),
      () => true,
    );
  }
}

/** @throws Error for one that exists with another type */
async function missingAttributes(connection: Connection, namespace: string): Promise<SearchAttribute[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return SEARCH_ATTRIBUTE_NAMES.filter((name) => {
    const type = customAttributes[name];
    const expected = INDEXED_VALUE_TYPES[SEARCH_ATTRIBUTES[name]];
    if (type !== undefined && (type as number) !== expected) {
      throw new Error(
        `search attribute ${name} of namespace ${namespace} has another type (${type}) than ${SEARCH_ATTRIBUTES[name]}: ` +
          `remove it with "temporal operator search-attribute remove --name ${name}"`,
      );
    }
    return type === undefined;
  });
}

async function addAttributes(connection: Connection, namespace: string, signal: AbortSignal): Promise<void> {
  await until(
    signal,
    async () => {
      // Read again on each try: an attribute whose creation succeeded but whose answer was lost would be refused.
      const missing = await missingAttributes(connection, namespace);
      if (missing.length === 0) return;
      const searchAttributes = Object.fromEntries(
        missing.map((name) => [name, INDEXED_VALUE_TYPES[SEARCH_ATTRIBUTES[name]]]),
      );
      await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
      if ((await missingAttributes(connection, namespace)).length > 0) throw new Error('not listed yet');
    },
    (error) => !(error instanceof Error && error.message.includes('another type')),
  );
}

async function until<T>(
  signal: AbortSignal,
  ask: () => Promise<T>,
  mayRepeat: (error: unknown) => boolean,
): Promise<T> {
  while (true) {
    try {
      return await ask();
    } catch (error) {
      if (!mayRepeat(error) || signal.aborted) throw error;
      await sleep(50);
    }
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
