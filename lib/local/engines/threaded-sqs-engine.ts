import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SqsEngine, SqsEngineOptions } from './sqs-engine.ts';

/** What the thread is started with. */
export type SqsThreadData = Pick<SqsEngineOptions, 'folder' | 'port'>;
/** What the thread is told. */
export type ThreadOrder = 'endPolls' | 'close';
/** What the thread tells. */
export type ThreadReport =
  | { readonly kind: 'started'; readonly endpoint: string }
  | { readonly kind: 'failed'; readonly message: string; readonly code?: string };

/** Bundled beside the program that this file is in. */
const program = join(__dirname, 'sqs-thread.js');

const started = async (worker: Worker): Promise<string> => {
  const [report]: [ThreadReport] = await Promise.race([
    once(worker, 'message') as Promise<[ThreadReport]>,
    once(worker, 'exit').then(() => {
      throw new Error('The queue engine ended while it was starting.');
    }),
  ]);
  if (report.kind === 'started') return report.endpoint;
  throw Object.assign(new Error(report.message), report.code === undefined ? {} : { code: report.code });
};

/**
 * {@link startSqsEngine} in a thread of its own: the queues' work, a fifth of a publish, is done beside the functions'
 * instead of between it.
 */
export const startThreadedSqsEngine = async (
  data: SqsThreadData,
): Promise<SqsEngine & { readonly failed: Promise<string> }> => {
  const worker = new Worker(program, { workerData: data });
  const order = (what: ThreadOrder): void => worker.postMessage(what);
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
