'use strict';

// Keeps the promises of the sandbox's process: one JSON line when ready, and an end when stdin closes.
process.stdout.write(`${JSON.stringify({ baseUrl: `http://127.0.0.1:1/${process.pid}`, apiKey: 'sandbox-key' })}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
process.on('SIGTERM', () => process.exit(0));
setInterval(() => {}, 60_000);
