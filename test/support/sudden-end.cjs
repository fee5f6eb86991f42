// Loaded into each thread of a service before its program: ends it as SUDDEN_END says when SIGUSR2 comes.
const { BroadcastChannel, isMainThread } = require('node:worker_threads');

const threads = new BroadcastChannel('sudden-end');
threads.unref();

const fail = () => {
  throw new Error('a sudden end');
};

const endings = {
  'an exit': () => process.exit(7),
  'an error': fail,
  'an error in the thread of the engines': () => threads.postMessage('fail'),
};

if (isMainThread) process.on('SIGUSR2', endings[process.env.SUDDEN_END]);
else threads.onmessage = () => setImmediate(fail);
