import { explainError } from '../../../cli/errors/explain-error';
import { ConfigError, RefusedError, UsageError } from '../../../cli/errors/errors';
import { TEMPORAL_PIN } from '../../../embedded/binary/binary-pins';
import { BinaryNotFoundError, HomeBusyError, StackStartError } from '../../../embedded/errors';
import {
  AccountRebindError,
  AccountRenamedError,
  LedgerBusyError,
  LedgerFaultError,
  LedgerNotDurableError,
  LedgerOpenError,
  LedgerOtherHostError,
  LedgerReplacedError,
  LedgerRolledBackError,
  LedgerStateError,
  problem,
  SubmissionRefusedError,
} from '../../../ledger/model/errors';
import { SandboxOptionError } from '../../../sandbox/problem';
import { ServiceConfigError } from '../../../service/config-error';
import { OtherAccountError, ServiceError, type ServiceErrorKind } from '../../../service/errors';
import { TemporalUnreachableError } from '../../../temporal/connect';
import { CampaignInUseError } from '../../../temporal/other-ledger-runs';
import { MissingAccountError } from '../../../worker/accounts';
import { capture } from '../capture';

class AnyServiceError extends ServiceError {
  constructor(override readonly kind: ServiceErrorKind) {
    super('no', { method: 'GET', path: '/v1/profiles', sent: 'answered' });
  }
}

describe('errors as the command line shows them', () => {
  const kinds: Record<ServiceErrorKind, number> = {
    connect: 7,
    access: 4,
    throttled: 7,
    server: 7,
    lost: 7,
    ambiguous: 7,
    unreadable: 7,
    redirect: 2,
    'not-found': 2,
    refused: 2,
    file: 2,
    aborted: 130,
  };

  test.each(Object.entries(kinds))('a service error of the kind %s gives exit code %i', (kind, code) => {
    const told = explainError(new AnyServiceError(kind as ServiceErrorKind));
    expect(told.exitCode).toBe(code);
    expect(told.message).toBe('GET /v1/profiles: no');
    expect(told.code).not.toBe('unexpected');
  });

  test.each<[Error, number, string]>([
    [new TemporalUnreachableError('localhost:7233', 'default', 'no server'), 7, 'temporal-unreachable'],
    [
      new CampaignInUseError({ workflowId: 'campaign/a', executionId: 'e', ledgerId: 'l', inUse: true }),
      7,
      'campaign-in-use',
    ],
    [new MissingAccountError('main', []), 2, 'no-account'],
    [new ServiceConfigError('baseUrl', 'not an address'), 2, 'service-config'],
    [new AccountRebindError('main', 'https://a', 'https://b'), 2, 'account-rebound'],
    [new AccountRenamedError('main', 'cafe'), 2, 'account-renamed'],
    [new OtherAccountError('another’s', { method: 'GET', path: '/v1/profiles', sent: 'never' }), 2, 'account-changed'],
    [new LedgerOpenError('no permission'), 7, 'ledger-open'],
    [new LedgerRolledBackError('ledger.db', { lost: true, sequence: 1, expected: 2 }), 7, 'ledger-rolled-back'],
    [new LedgerOtherHostError('ledger.db', 'a', 'b'), 7, 'ledger-other-host'],
    [new LedgerNotDurableError('ledger.db', { cause: 'EIO' }), 7, 'ledger-not-durable'],
    [new LedgerReplacedError('ledger.db', 'deleted'), 7, 'ledger-replaced'],
    [new LedgerBusyError('ledger.db', 1000, { cause: null }), 7, 'ledger-busy'],
    [new LedgerStateError('no unconfirmed row'), 2, 'ledger-state'],
    [new LedgerFaultError('a row can’t go there'), 1, 'ledger-fault'],
    [new SandboxOptionError('no such option'), 2, 'sandbox-option'],
    [new HomeBusyError('busy', 'end it'), 7, 'home-busy'],
    [new StackStartError('it ended', 'look at its log'), 7, 'stack-start'],
    [new BinaryNotFoundError(TEMPORAL_PIN, []), 7, 'temporal-binary'],
    [Object.assign(new Error('no'), { code: 'SQLITE_CORRUPT' }), 7, 'ledger-damaged'],
    [new UsageError('no'), 2, 'usage'],
    [new ConfigError('no-api-key', 'no'), 2, 'no-api-key'],
    [new TypeError('x is undefined'), 1, 'unexpected'],
  ])('%s', (error, exitCode, code) => {
    expect(explainError(error)).toMatchObject({ exitCode, code });
  });

  test("another room's own hint is kept", () => {
    expect(explainError(new HomeBusyError('busy', 'End process 12.')).hint).toBe('End process 12.');
  });

  test('a refused submission carries its problems in the shape of the contract', () => {
    const refused = problem({ line: 3, key: 'a' }, 'error', 'key-reused', { message: 'no', hint: 'a new key' });
    const told = explainError(new SubmissionRefusedError('herbst', [refused]));
    expect(told.exitCode).toBe(3);
    expect(told.problems).toEqual([
      { severity: 'error', line: 3, column: null, code: 'key-reused', value: null, message: 'no', hint: 'a new key' },
    ]);
  });

  test('a system error names the path without the call and its code', () => {
    const error = Object.assign(new Error("ENOENT: no such file or directory, open '/x/y'"), {
      code: 'ENOENT',
      path: '/x/y',
    });
    expect(explainError(error)).toMatchObject({ message: '/x/y: no such file or directory', exitCode: 2 });
  });

  test.each(['json', 'jsonl'] as const)(
    'in %s an error is data on standard output and standard error stays empty',
    async (format) => {
      const { output, stdout, stderr } = capture({ format });
      const problem = {
        severity: 'error' as const,
        line: 2,
        column: 'title',
        code: 'x',
        value: 'v',
        message: 'm',
        hint: 'h',
      };
      await output.error(explainError(new RefusedError('2 errors', [problem], 'Mend it.')));
      expect(JSON.parse(stdout.text)).toEqual({
        version: 1,
        error: { code: 'manifest-refused', message: '2 errors', hint: 'Mend it.' },
        problems: [problem],
      });
      expect(stderr.text).toBe('');
    },
  );

  test('a stack is shown only when asked for', async () => {
    const plain = capture();
    await plain.output.error(explainError(new TypeError('boom')));
    expect(plain.stderr.text).toBe('error: boom\n  Repeat with --verbose for details.\n');
    expect(plain.stdout.text).toBe('');
    const verbose = capture({ verbose: true });
    await verbose.output.error(explainError(new TypeError('boom')));
    expect(verbose.stderr.text).toContain('explain-error.test');
  });

  test('a known secret is masked in all output, in JSON too', async () => {
    const { output, stdout } = capture({ format: 'json' });
    output.hide('s3cret-key');
    await output.error(explainError(new Error('401 for s3cret-key')));
    expect(stdout.text).toContain('401 for ***');
    expect(stdout.text).not.toContain('s3cret-key');
  });
});
