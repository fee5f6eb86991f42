import { type Violation, violation } from '../../contract/violation.ts';
import type { Connection } from '../registry/connection.ts';
import { matchesAny } from '../registry/pattern.ts';
import { isSystemId } from '../registry/system-id.ts';
import type { Message } from './message.ts';
import { quoteValue } from './quote-value.ts';

const systemId = (message: Message, connection: Connection): readonly Violation[] => {
  if (connection.systemIds.includes(message.systemId) && isSystemId(message.systemId)) return [];
  const words = `This connection may not send as ${quoteValue(message.systemId)}; ask the workspace's owner to allow it.`;
  return [violation('producer.system_id_not_allowed', words, '/originating_system/system_id')];
};

const messageType = (message: Message, connection: Connection): readonly Violation[] => {
  if (matchesAny(connection.grants, message.messageType)) return [];
  const words = `This connection may not send ${quoteValue(message.messageType)}; ask the workspace's owner for a grant.`;
  return [violation('producer.message_type_not_allowed', words, '/message_type')];
};

/** What a connection may not send of a message; empty when all is granted. */
export const checkGrants = (message: Message, connection: Connection): readonly Violation[] => [
  ...systemId(message, connection),
  ...messageType(message, connection),
];
