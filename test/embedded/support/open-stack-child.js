'use strict';

// Opens a stack and reports, one JSON line each, what happens. Commands arrive over the IPC channel.
const [compiled, options] = [process.argv[2], JSON.parse(process.argv[3])];
const { openStack } = require(`${compiled}/embedded/stack/stack.js`);

const say = (event, rest) => process.connected && process.send({ event, ...rest });
let stack;

process.on('message', async (message) => {
  if (message === 'release') {
    await stack.release();
    say('released');
    if (process.connected) process.disconnect();
  }
  if (message === 'count') say('count', { count: stack.attachedCount() });
});
// What a worker's process does with a terminal's Ctrl-C is not the stack's business.
process.on('SIGINT', () => {});

openStack({ ...options, onNotice: (text) => say('notice', { text }) }).then(
  (opened) => {
    stack = opened;
    say('open', { role: stack.role, temporal: stack.temporal, sandbox: stack.sandbox, at: Date.now() });
    void stack.ownerGone.then(() => say('owner-gone'));
    void stack.broken.then((text) => say('broken', { text }));
  },
  (error) => {
    say('failed', { name: error.name, message: error.message, hint: error.hint });
    process.disconnect();
  },
);
