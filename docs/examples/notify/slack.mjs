// Posts a notification to Slack. In reelay.config.yaml:
//   notify: { command: [node, notify/slack.mjs], env: [SLACK_WEBHOOK_URL] }
import { notice, post } from './notice.mjs';

const { text, ok, sandbox, next } = await notice();
// Slack reads these three as markup: without them no text can mention a channel or hide a link.
const plain = (words) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const head = `${ok ? ':white_check_mark:' : ':warning:'} ${sandbox ? 'SANDBOX ' : ''}${plain(text)}`;
const commands = next.map((command) => plain(command)).join('\n');

await post(process.env.SLACK_WEBHOOK_URL, {
  text: head,
  blocks: [
    { type: 'section', text: { type: 'mrkdwn', text: head.slice(0, 2900) } },
    ...(commands === '' ? [] : [{ type: 'section', text: { type: 'plain_text', text: commands.slice(0, 2900) } }]),
  ],
});
