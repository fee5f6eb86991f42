import { readFileSync } from 'node:fs';
import { connect } from './client.ts';

// Publishes the message in a file: node producer.ts message.json (before Node 22.18: npx tsx producer.ts message.json).

const { status, text } = await connect().call('messages', readFileSync(process.argv[2] ?? 'message.json'));
console.log(status, text);
process.exitCode = status === 200 || status === 202 ? 0 : 1;
