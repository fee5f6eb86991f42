import { readFileSync } from 'node:fs';
import { connect, fromEnvironment } from 'som-bus/client';

// Publishes the message in a file: node producer.mts message.json (before Node 22.18: npx tsx producer.mts message.json).

const bus = connect(fromEnvironment(process.env));
const verdict = await bus.publish(readFileSync(process.argv[2] ?? 'message.json'));
console.log(JSON.stringify(verdict));
process.exitCode = verdict.outcome === 'accepted' || verdict.outcome === 'duplicate' ? 0 : 1;
