// Posts a notification to Discord. In reelay.config.yaml:
//   notify: { command: [node, notify/discord.mjs], env: [DISCORD_WEBHOOK_URL] }
import { notice, post } from './notice.mjs';

const { text, ok, sandbox, next } = await notice();

await post(process.env.DISCORD_WEBHOOK_URL, {
  content: `${sandbox ? 'SANDBOX ' : ''}${ok ? 'Done' : 'Needs attention'}`,
  embeds: [
    {
      description: text.slice(0, 2000),
      color: ok ? 0x12743b : 0xb3261e,
      footer: { text: next.join('\n').slice(0, 2000) },
    },
  ],
  // Nothing in a text may call people.
  allowed_mentions: { parse: [] },
});
