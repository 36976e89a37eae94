import { once } from 'node:events';
import { Kysely } from 'kysely';
import { createStore } from '../../../ledger/engine/group-commit';
import { PostgresDialect } from '../../../ledger/engine/postgres-dialect';
import { type Tables } from '../../../ledger/engine/tables';

// Stays in a write, in which it can be frozen, until a line on its standard input: `writing-child.ts URL`.
const [url = ''] = process.argv.slice(2);
const dialect = new PostgresDialect({
  url,
  location: 'postgres://test',
  boundMs: 30_000,
  connections: 1,
  frozenMs: 2_000,
});
const store = createStore(new Kysely<Tables>({ dialect }), Date.now);

const say = (text: string) => process.stdout.write(`${text}\n`);

void store
  .write(async (tx) => {
    await tx.insertInto('meta').values({ name: 'frozen', value: 'noted' }).execute();
    say('in the write');
    await once(process.stdin, 'data');
    await tx.insertInto('meta').values({ name: 'frozen too', value: 'noted' }).execute();
  })
  .then(
    () => say('written'),
    (error: unknown) => say(`refused: ${String(error)}`),
  );
