import { parentPort, workerData } from 'node:worker_threads';
import { errorCode, errorMessage } from '../machine.ts';
import { startSqsEngine } from './engine.ts';
import type { SqsThreadData, ThreadOrder, ThreadReport } from './threaded.ts';

/* The entry point of the queue engine's thread, bundled as a separate program: dist/sqs-thread.js. */

const report = (message: ThreadReport): void => parentPort?.postMessage(message);

const failure = (fault: unknown): ThreadReport => {
  const code = errorCode(fault);
  return { kind: 'failed', message: errorMessage(fault), ...(code === undefined ? {} : { code }) };
};

const engine = startSqsEngine({
  ...(workerData as SqsThreadData), // as the other side of the thread wrote it
  onFault: fault => report({ kind: 'fault', message: errorMessage(fault) }),
});
engine.then(
  ({ endpoint }) => report({ kind: 'started', endpoint }),
  (fault: unknown) => report(failure(fault)),
);

const orders: Readonly<Record<ThreadOrder, () => Promise<void>>> = {
  endPolls: async () => (await engine).endPolls(),
  async close() {
    try {
      await (await engine).close();
    } finally {
      parentPort?.close();
    }
  },
};
parentPort?.on('message', (order: ThreadOrder) => {
  orders[order]().catch((fault: unknown) => report({ kind: 'fault', message: errorMessage(fault) }));
});
