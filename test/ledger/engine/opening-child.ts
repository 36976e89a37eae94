import Database from 'libsql';
import { openLedger } from '../../../ledger/open';

// Opens a ledger: `opening-child.ts PATH [N]`. With N it kills itself, as kill -9 does, right before its N-th statement.
// Prints the ledger's id once it is open.
const [path = '', killAt] = process.argv.slice(2);

let statements = 0;

function count(): void {
  statements += 1;
  if (statements === Number(killAt)) process.kill(process.pid, 'SIGKILL');
}

const { exec, prepare } = Database.prototype;
Database.prototype.exec = function (this: Database.Database, sql: string) {
  count();
  return exec.call(this, sql);
};
Database.prototype.prepare = function (this: Database.Database, sql: string) {
  count();
  return prepare.call(this, sql);
} as typeof prepare;

openLedger({ path }).then(
  async (ledger) => {
    process.stdout.write(`${JSON.stringify({ id: ledger.id, statements })}\n`);
    await ledger.close();
  },
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
