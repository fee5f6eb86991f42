import type { QueueAdmin } from '../../../lib/registry/queue-access.ts';

/** Queues and who reads them; a role that AWS does not know is refused, as SQS does. */
export const queueAdminInMemory = ({
  queues = [],
  unknownRoles = [],
}: {
  readonly queues?: readonly string[];
  readonly unknownRoles?: readonly string[];
} = {}) => {
  const readers = new Map<string, readonly string[]>(queues.map(queue => [queue, []]));
  const port: QueueAdmin = {
    create: async queue => void readers.set(queue, []),
    remove: async queue => void readers.delete(queue),
    url: queue => `https://queues.example/${queue}`,
    async letRead(queue, roleArns) {
      if (!readers.has(queue)) return 'gone';
      if (roleArns.some(arn => unknownRoles.includes(arn))) return 'refused';
      readers.set(queue, [...roleArns]);
      return 'set';
    },
  };
  return { port, readersOf: (queue: string) => readers.get(queue) ?? [], queues: () => [...readers.keys()] };
};
