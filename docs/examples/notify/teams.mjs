// Posts a notification to Microsoft Teams, by a workflow “Post to a channel when a webhook request is received”.
// In reelay.config.yaml:
//   notify: { command: [node, notify/teams.mjs], env: [TEAMS_WEBHOOK_URL] }
import { notice, post } from './notice.mjs';

const { text, ok, sandbox, next } = await notice();
const block = (words, more = {}) => ({ type: 'TextBlock', text: words, wrap: true, ...more });

await post(process.env.TEAMS_WEBHOOK_URL, {
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          block(`${sandbox ? 'SANDBOX ' : ''}${ok ? 'Done' : 'Needs attention'}`, {
            weight: 'bolder',
            color: ok ? 'good' : 'attention',
          }),
          block(text),
          ...next.map((command) => block(command, { fontType: 'monospace' })),
        ],
      },
    },
  ],
});
