import type { Inbox } from '../../../lib/consuming/receipts.ts';
import type { Clock } from '../../../lib/contract/outside.ts';
import type { SimQueue } from '../../simulation/sim-queue.ts';

/** The reading side of queues in memory. It never waits; to ask for a queue that does not exist is an error, as on AWS. */
export const inboxIn = (queues: ReadonlyMap<string, SimQueue>, clock: Pick<Clock, 'now'>): Inbox => {
  const find = (name: string): SimQueue => {
    const queue = queues.get(name);
    if (queue === undefined) throw new Error(`There is no queue ${name}.`);
    return queue;
  };
  return {
    receive: async (queue, { max, visibilitySeconds }) =>
      find(queue).receive(max, visibilitySeconds, clock.now()),
    async delete(queue, handles) {
      const target = find(queue);
      return handles.filter(handle => !target.delete(handle, clock.now()));
    },
    async release(queue, handles, delaySeconds) {
      const target = find(queue);
      return handles.filter(handle => !target.release(handle, delaySeconds, clock.now()));
    },
  };
};
