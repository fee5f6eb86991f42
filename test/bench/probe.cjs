// Loaded into each thread of a measured process before its program, with `node --expose-gc --require`: the main thread answers what
// it is asked over IPC, for all of them.
const { Session } = require('node:inspector');
const { setTimeout } = require('node:timers/promises');
const { BroadcastChannel, isMainThread } = require('node:worker_threads');

const session = new Session();

const ask = (method, options = {}) =>
  new Promise((resolve, reject) => {
    session.post(method, options, (fault, result) => (fault ? reject(fault) : resolve(result)));
  });

const ownAnswers = {
  async heap() {
    for (let times = 0; times < 3; times += 1) globalThis.gc();
    return process.memoryUsage();
  },
  async startProfile() {
    session.connect();
    await ask('Profiler.enable');
    await ask('Profiler.setSamplingInterval', { interval: 200 });
    await ask('Profiler.start');
  },
  async stopProfile() {
    const { profile } = await ask('Profiler.stop');
    session.disconnect();
    return profile;
  },
};

const others = new BroadcastChannel('sombus-probe');
/** Long enough for a thread that is busy. */
const answerMilliseconds = 1_000;

/** What the other threads answer. */
const fromOthers = async what => {
  const answers = [];
  others.onmessage = ({ data }) => answers.push(data);
  others.postMessage(what);
  await setTimeout(answerMilliseconds);
  return answers;
};

const answers = {
  /** The heaps of all threads; the rest is the process's. */
  async heap() {
    const own = await ownAnswers.heap();
    const heaps = await fromOthers('heap');
    return { ...own, heapUsed: heaps.reduce((sum, { heapUsed }) => sum + heapUsed, own.heapUsed) };
  },
  startProfile: ownAnswers.startProfile,
  stopProfile: ownAnswers.stopProfile,
  startEngineProfile: () => fromOthers('startProfile'),
  stopEngineProfile: async () => (await fromOthers('stopProfile'))[0],
};

others.unref();
if (!isMainThread) others.onmessage = async ({ data }) => others.postMessage(await ownAnswers[data]());
else if (process.send !== undefined) {
  process.on('message', async ({ id, what }) => process.send({ id, result: await answers[what]() }));
  process.channel.unref();
}
