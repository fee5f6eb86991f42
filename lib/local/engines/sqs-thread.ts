import { parentPort, workerData } from 'node:worker_threads';
import { startSqsEngine } from './sqs-engine.ts';
import type { SqsThreadData, ThreadOrder, ThreadReport } from './threaded-sqs-engine.ts';

/* The beginning of the queue engine's thread, bundled as a program of its own: dist/sqs-thread.js. */

const report = (message: ThreadReport): void => parentPort?.postMessage(message);

const failure = (fault: unknown): ThreadReport => ({
  kind: 'failed',
  message: fault instanceof Error ? fault.message : String(fault),
  ...(fault instanceof Error && 'code' in fault ? { code: String(fault.code) } : {}),
});

const engine = startSqsEngine(workerData as SqsThreadData); // as the other side of the thread wrote it
engine.then(
  ({ endpoint }) => report({ kind: 'started', endpoint }),
  (fault: unknown) => report(failure(fault)),
);

const orders: Readonly<Record<ThreadOrder, () => Promise<void>>> = {
  endPolls: async () => (await engine).endPolls(),
  async close() {
    await (await engine).close();
    parentPort?.close();
  },
};
parentPort?.on('message', (order: ThreadOrder) => {
  orders[order]().catch((fault: unknown) => report(failure(fault)));
});
