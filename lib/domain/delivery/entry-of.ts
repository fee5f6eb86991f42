import type { Message } from '../message/message.ts';
import type { Connection } from '../registry/connection.ts';
import type { Entry, Head, Target } from './log.ts';

/**
 * The entry that a message becomes, after the last one of its correlation. Its time never goes back within the
 * correlation, so that the archive, which is sorted by time, keeps the log's order when clocks differ.
 */
export const entryOf = (
  { message, connection, body }: { message: Message; connection: Connection; body: Uint8Array },
  head: Head,
  { now, targets }: { now: number; targets: readonly Target[] },
): Entry => ({
  workspace: connection.workspace,
  correlationId: message.correlationId,
  number: head.last + 1,
  messageId: message.messageId,
  messageType: message.messageType,
  systemId: message.systemId,
  producer: connection.id,
  acceptedAt: Math.max(now, head.lastAcceptedAt ?? 0),
  targets,
  body,
});
