import type { Message } from '../message/message.ts';
import type { Connection } from '../registry/connection.ts';
import { matchesAny } from '../registry/pattern.ts';
import type { Target } from './log.ts';

/** Which queues a message goes to: those of the active consumers that receive its type from its system. */
export const targetsOf = (consumers: readonly Connection[], message: Message): readonly Target[] =>
  consumers.flatMap(({ id, status, queue, receives, sources }) => {
    const wanted = matchesAny(receives, message.messageType);
    const fromSource = sources.length === 0 || sources.includes(message.systemId);
    return status === 'active' && queue !== undefined && wanted && fromSource
      ? [{ connection: id, queue }]
      : [];
  });
