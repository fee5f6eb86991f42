import type { StartRequest } from '../../../lib/checks/start.ts';
import type { ReportResponse } from '../../../lib/contract/portal/checks.ts';
import type { PulledMessage } from '../../../lib/kit/client/index.ts';
import type { TestConnection } from '../../../lib/local/testing/api.ts';
import type { CheckedBus } from '../checked-bus.ts';
import { whileTimePasses } from './passing-time.ts';
import type { referenceConsumer } from './reference-consumer.ts';

/** What is needed of a consumer, which may have a fault. */
export interface ConsumerModules {
  readonly referenceConsumer: typeof referenceConsumer;
}

export const consumerFiles = ['test/checks/planted/reference-consumer.ts'];

/** The process of the consumer is killed. */
class Killed extends Error {}

const isFatal = ({ message }: PulledMessage): boolean =>
  JSON.stringify(message.payload).includes('Stop the consumer now');

/** The queue of a consumer: it counts what comes, and kills the process once. */
const queueOf = (bus: CheckedBus, connection: TestConnection) => {
  let hasDied = false;
  let taken = 0;
  return {
    taken: () => taken,
    bus: {
      ack: connection.ack,
      nack: connection.nack,
      pull: async (asked: Parameters<TestConnection['pull']>[0]) => {
        const pulled = await whileTimePasses(bus, connection.pull(asked));
        const messages = pulled.outcome === 'pulled' ? pulled.messages : [];
        taken += messages.length;
        if (hasDied || !messages.some(isFatal)) return pulled;
        hasDied = true;
        throw new Killed();
      },
    },
  };
};

/** How long a consumer works before the run has its turn. */
const turnMilliseconds = 3_000;

/** Runs cases (none: all) on a consumer, which may have a fault, on a whole bus. */
export const consumerCheckedOnBus = async (
  bus: CheckedBus,
  { referenceConsumer }: ConsumerModules,
  {
    receives = ['*'],
    ...request
  }: Pick<StartRequest, 'cases' | 'role'> & { readonly receives?: readonly string[] } = {},
): Promise<ReportResponse> => {
  const connection = await bus.connect('consumer', { receives });
  const queue = queueOf(bus, connection);
  const start = () =>
    referenceConsumer(queue.bus, async milliseconds => bus.clock.turn(milliseconds));
  let consumer = start();
  const turn = async (): Promise<void> => {
    try {
      await consumer.turn();
    } catch (fault) {
      if (!(fault instanceof Killed)) throw fault;
      consumer = start();
    }
  };
  const id = await bus.begin({ kind: 'consumer', consumer: connection.id, ...request });
  return bus.finish(id, {
    async work() {
      const end = bus.clock.now() + turnMilliseconds;
      let before: number;
      do {
        before = queue.taken();
        await turn();
      } while (queue.taken() > before && bus.clock.now() < end);
    },
  });
};
