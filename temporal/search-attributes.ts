import { type Client } from '@temporalio/client';

/**
 * The search attributes of runs, by name, with Temporal's type for each: the only place that names them. SQL stores
 * have 10 Keyword and 3 Int attributes per namespace.
 */
export const SEARCH_ATTRIBUTES = {
  ReelayCampaign: 'KEYWORD',
  ReelayRun: 'KEYWORD',
  ReelayChannel: 'KEYWORD',
  ReelayState: 'KEYWORD',
  ReelayFailed: 'INT',
  ReelayUnconfirmed: 'INT',
} as const;

export type SearchAttribute = keyof typeof SEARCH_ATTRIBUTES;

export const SEARCH_ATTRIBUTE_NAMES = Object.keys(SEARCH_ATTRIBUTES) as SearchAttribute[];

/** A gRPC status, as the wire has it. */
const INVALID_ARGUMENT = 3;

/** A condition that uses an attribute: a namespace without it refuses to count by it. */
export function conditionOn(name: SearchAttribute): string {
  return `${name} = ${SEARCH_ATTRIBUTES[name] === 'INT' ? '1' : "'-'"}`;
}

/**
 * Which of them the namespace has; null if it can't count workflows. Determined by counting, which every client that
 * starts workflows may do: the operator service that lists them is denied in Temporal Cloud.
 */
export async function registeredAttributes(
  client: Client,
  names: readonly SearchAttribute[],
): Promise<SearchAttribute[] | null> {
  try {
    const found = await Promise.all(names.map(async (name) => ((await isRegistered(client, name)) ? [name] : [])));
    return found.flat();
  } catch {
    return null;
  }
}

async function isRegistered(client: Client, name: SearchAttribute): Promise<boolean> {
  try {
    await client.connection.workflowService.countWorkflowExecutions({
      namespace: client.options.namespace,
      query: conditionOn(name),
    });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === INVALID_ARGUMENT) return false;
    throw error;
  }
}
