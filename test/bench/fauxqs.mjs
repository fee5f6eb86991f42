// Runs fauxqs as fast as it goes: without a log, and in memory unless a data folder is named. Prints its port. Only the data
// folder needs node:sqlite; where Node has none, an empty module takes its place.
import { isBuiltin, register } from 'node:module';

const hooks = `export const resolve = (name, context, next) => name === 'node:sqlite'
  ? { url: 'data:text/javascript,export const DatabaseSync = undefined', shortCircuit: true }
  : next(name, context);`;
if (!isBuiltin('node:sqlite')) register(`data:text/javascript,${encodeURIComponent(hooks)}`);

const { startFauxqs } = await import('fauxqs');
const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false, dataDir: process.argv[2] });
const attributes = { FifoQueue: 'true', VisibilityTimeout: '60' };
const { queueUrl } = server.createQueue('bench.fifo', { attributes });
const { topicArn } = server.createTopic('bench.fifo', { attributes: { FifoTopic: 'true' } });
server.subscribe({ topic: 'bench.fifo', queue: 'bench.fifo', attributes: { RawMessageDelivery: 'true' } });
console.log(JSON.stringify({ port: server.port, queueUrl, topicArn }));
