import type { Message } from '../message/message.ts';
import type { Connection } from '../registry/connection.ts';
import { isSubscribed } from '../registry/subscription.ts';
import type { Target } from './log.ts';

/** Which queues a message goes to: those of the active consumers that receive its type from its system. */
export const targetsOf = (consumers: readonly Connection[], message: Message): readonly Target[] =>
  consumers.flatMap(consumer => {
    const { id, status, queue } = consumer;
    return status === 'active' && queue !== undefined && isSubscribed(consumer, message)
      ? [{ connection: id, queue }]
      : [];
  });
