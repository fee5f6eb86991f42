import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ReportResponse } from '../../../lib/contract/portal/checks.ts';
import type { Delivery } from '../../../lib/kit/client/index.ts';
import type { Executor, runExecutor } from '../../../lib/kit/executor/index.ts';
import type { Memory } from '../../../lib/kit/executor/memory.file.ts';
import type { TestConnection } from '../../../lib/local/testing/api.ts';
import type { CheckedBus } from '../checked-bus.ts';

/** What is needed of an executor, which may have a fault. */
export interface ExecutorModules {
  readonly runExecutor: typeof runExecutor;
  readonly Memory: typeof Memory;
}

export const executorFiles = ['lib/kit/executor/index.ts', 'lib/kit/executor/memory.file.ts'];

/** So often it pulls in one turn: one that answers itself never comes to an end. */
const pullsPerTurn = 10;

/**
 * The deliveries of a consumer, as its executor takes them: what waits, each time that the test
 * says so.
 */
class Turns {
  readonly #consumer: TestConnection;
  #go: (() => void) | undefined;
  #idle: (() => void) | undefined;
  #isOver = false;

  constructor(consumer: TestConnection) {
    this.#consumer = consumer;
  }

  /** Lets the executor take what waits, and resolves when it has. */
  async work(): Promise<void> {
    if (this.#isOver) return;
    const idle = new Promise<void>(resolve => {
      this.#idle = resolve;
    });
    this.#go?.();
    await idle;
  }

  /** The executor has ended, by itself or because it was stopped. */
  end(): void {
    this.#isOver = true;
    this.#idle?.();
  }

  async *consume({
    signal,
  }: {
    readonly signal?: AbortSignal;
  } = {}): AsyncGenerator<Delivery, void, void> {
    const stopped = signal ? once(signal, 'abort') : undefined;
    for (let pulls = 1; !signal?.aborted; pulls += 1) {
      const pulled = await this.#consumer.pull({ wait: 0 });
      const messages = pulled.outcome === 'pulled' ? pulled.messages : [];
      for (const { message, receiptHandle } of messages) {
        let isReturned = false;
        yield {
          message,
          release: (delaySeconds: number) => {
            isReturned = true;
            return this.#consumer.nack([receiptHandle], { delaySeconds });
          },
        } as unknown as Delivery; // all that an executor uses of it
        // As the client does with what was not returned, before it takes more.
        if (!isReturned) await this.#consumer.ack([receiptHandle]);
      }
      if (messages.length > 0 && pulls < pullsPerTurn) continue;
      pulls = 0;
      this.#idle?.();
      await Promise.race([
        stopped,
        new Promise<void>(resolve => {
          this.#go = resolve;
        }),
      ]);
    }
  }
}

/** Runs the checks on an executor, which may have a fault, on a whole bus. */
export const checkedOnBus = async (
  bus: CheckedBus,
  { runExecutor, Memory }: ExecutorModules,
  cases: readonly string[] = [],
  role?: string,
): Promise<ReportResponse> => {
  const [consumer, producer] = [await bus.connect('consumer'), await bus.connect('producer')];
  const id = await bus.begin({
    kind: 'executor',
    consumer: consumer.id,
    producer: producer.id,
    cases,
    bindsFirstSeen: true,
    ...(role !== undefined && { role }),
  });
  const turns = new Turns(consumer);
  const stop = new AbortController();
  const executor: Executor = {
    consumer: {
      ...consumer,
      consume: options => turns.consume(options),
      registrations: options => consumer.registrations(options),
    },
    producer,
    state: { memory: new Memory(consumer.id), save: () => undefined },
    newId: randomUUID as Executor['newId'],
    sleep: async (_milliseconds, signal) => {
      await once(signal, 'abort');
    },
    signal: stop.signal,
    report: () => undefined,
  };
  const running = runExecutor(executor).finally(() => turns.end());
  const report = await bus.finish(id, turns);
  stop.abort();
  await running.catch(() => undefined);
  return report;
};
