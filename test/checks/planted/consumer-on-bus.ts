import { consumerPlan } from '../../../lib/checks/plans.ts';
import type { CaseReport } from '../../../lib/contract/portal/checks.ts';
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
  message.message_type === 'story.context' &&
  message.payload.headline.startsWith('Stop the consumer now');

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

const allCases = consumerPlan.map(({ id }) => id);

/** Runs cases on a consumer of all types, which may have a fault, on a whole bus. */
export const consumerCheckedOnBus = async (
  bus: CheckedBus,
  { referenceConsumer }: ConsumerModules,
  cases: readonly string[] = allCases,
): Promise<readonly CaseReport[]> => {
  const connection = await bus.connect('consumer', { receives: ['*'] });
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
  const id = await bus.begin({ kind: 'consumer', consumer: connection.id, cases });
  const report = await bus.finish(id, {
    async work() {
      const end = bus.clock.now() + turnMilliseconds;
      let before: number;
      do {
        before = queue.taken();
        await turn();
      } while (queue.taken() > before && bus.clock.now() < end);
    },
  });
  return report.cases;
};
