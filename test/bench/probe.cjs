// Loaded into a measured process before its program, with `node --expose-gc --require`: it answers what it is asked over IPC.
const { Session } = require('node:inspector');

const session = new Session();

const ask = (method, options = {}) =>
  new Promise((resolve, reject) => {
    session.post(method, options, (fault, result) => (fault ? reject(fault) : resolve(result)));
  });

const answers = {
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

if (process.send !== undefined) {
  process.on('message', async ({ id, what }) => process.send({ id, result: await answers[what]() }));
  process.channel.unref();
}
