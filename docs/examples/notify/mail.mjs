// Sends a notification by mail, with the `sendmail` that is on the PATH. In reelay.config.yaml:
//   notify: { command: [node, notify/mail.mjs], env: [NOTIFY_TO, NOTIFY_FROM] }
import { spawnSync } from 'node:child_process';
import { notice } from './notice.mjs';

const { text, sandbox, next, id } = await notice();
const base64 = (words) => Buffer.from(words, 'utf8').toString('base64');
// Encoded, a subject can neither end its header nor begin another one.
const subject = `${sandbox ? 'SANDBOX ' : ''}${text}`.replace(/\s+/g, ' ').slice(0, 40);
const mail = [
  `From: ${process.env.NOTIFY_FROM}`,
  `To: ${process.env.NOTIFY_TO}`,
  `Subject: =?UTF-8?B?${base64(subject)}?=`,
  `X-Reelay-Notice: ${id.replace(/[^\w./-]/g, '_')}`,
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: base64',
  '',
  base64([text, '', ...next].join('\n')).replace(/.{76}/g, '$&\n'),
  '',
].join('\n');

const { status, error } = spawnSync('sendmail', ['-t', '-i'], { input: mail, stdio: ['pipe', 'inherit', 'inherit'] });
if (error) {
  const isMissing = error.code === 'ENOENT';
  console.error(
    isMissing
      ? 'mail.mjs: there is no sendmail on the PATH; install one, such as msmtp-mta.'
      : `mail.mjs: sendmail: ${error.message}`,
  );
}
process.exitCode = status ?? 1;
