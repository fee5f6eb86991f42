// Loaded into a measured process before its program, with `node --expose-gc --require`: it says
// over IPC what the process has used.
process.on('message', id => {
  for (let times = 0; times < 3; times += 1) globalThis.gc();
  process.send({ id, memory: process.memoryUsage(), cpu: process.cpuUsage() });
});
process.channel?.unref();
