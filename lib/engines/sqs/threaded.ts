import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SqsEngine, SqsEngineOptions } from './engine.ts';

/** What the thread is started with. */
export type SqsThreadData = Pick<SqsEngineOptions, 'folder' | 'port'>;
/** Messages to the thread. */
export type ThreadOrder = 'endPolls' | 'close';
/** Messages from the thread. */
export type ThreadReport =
  | { readonly kind: 'started'; readonly endpoint: string }
  /** Something is wrong, but the engine keeps running. */
  | { readonly kind: 'fault'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly code?: string };

/** The thread's program, next to the bundle that contains this file. */
const bundled = join(__dirname, 'sqs-thread.js');

/** Resolves with the endpoint. */
const started = (worker: Worker): Promise<string> =>
  new Promise((resolve, reject) => {
    worker.on('message', (report: ThreadReport) => {
      if (report.kind === 'started') resolve(report.endpoint);
      if (report.kind === 'failed')
        reject(
          Object.assign(new Error(report.message), report.code === undefined ? {} : { code: report.code }),
        );
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The queue engine ended while it was starting.')));
  });

interface ThreadEdges {
  readonly onFault: (message: string) => void;
  /** The bundled `sqs-thread.ts`. */
  readonly program?: string;
}

/**
 * {@link startSqsEngine} in a separate thread: the queues' work, a fifth of a publish, runs in parallel with the functions'
 * work.
 *
 * @param edges `onFault` gets a sentence that says what is wrong while the engine keeps running
 */
export const startThreadedSqsEngine = async (
  data: SqsThreadData,
  { onFault, program = bundled }: ThreadEdges,
): Promise<SqsEngine & { readonly failed: Promise<string> }> => {
  const worker = new Worker(program, { workerData: data });
  const order = (what: ThreadOrder): void => worker.postMessage(what);
  worker.on('message', (report: ThreadReport) => {
    if (report.kind === 'fault') onFault(report.message);
  });
  const endpoint = await started(worker);
  return {
    endpoint,
    failed: new Promise(resolve => worker.once('error', fault => resolve(fault.message))),
    endPolls: () => order('endPolls'),
    async close() {
      order('close');
      await once(worker, 'exit');
    },
  };
};
