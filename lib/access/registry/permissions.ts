import { testSystem } from '../../contract/identifiers.ts';
import { limits } from '../../contract/limits.ts';
import { type Violation, violation } from '../../contract/refusals.ts';
import { quoteValue } from '../../platform/json/value.ts';
import type { Message } from '../../som/messages/read-message.ts';
import type { Connection, PermissionLists } from './connection.ts';
import { matches, problemWithPattern } from './patterns.ts';

const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * A system's name goes as an attribute with every message: what SQS refuses there (AWS docs,
 * "Amazon SQS message quotas") would hold up its correlation forever.
 */
export const isSystemId = (text: string): boolean =>
  text !== '' && text.length <= limits.nameCharacters && !unprintable.test(text);

/** Whether a text may be a name that people read: one line, whose characters all show. */
export const isName = (text: string): boolean =>
  text.trim() !== '' &&
  text.length <= limits.nameCharacters &&
  !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text);

export const nameRule =
  `A name must have 1 to ${limits.nameCharacters} characters, and no line breaks or control ` +
  'characters.';

const matchesAny = (patterns: readonly string[], messageType: string): boolean =>
  patterns.some(pattern => matches(pattern, messageType));

export const isSubscribed = (
  { receives, sources }: Pick<Connection, 'receives' | 'sources'>,
  { messageType, systemId }: { messageType: string; systemId: string },
): boolean =>
  matchesAny(receives, messageType) && (sources.length === 0 || sources.includes(systemId));

const max = 50;

/**
 * A list of connections reads all of its workspace, one MB a page (DynamoDB: "Query"): with so many
 * bytes in each, a full workspace is 20 pages.
 */
const maxBytes = 16 * 1024;

/** As a sentence; undefined when they are fine. */
export const problemWithPermissions = (
  wanted: PermissionLists & Pick<Connection, 'kind'>,
): string | undefined => {
  const { kind, systemIds, grants, receives, sources } = wanted;
  const [problem] = [...grants, ...receives].flatMap(pattern => problemWithPattern(pattern) ?? []);
  if (problem !== undefined) return problem;
  if (![...systemIds, ...sources].every(isSystemId))
    return `A system_id must have 1 to ${limits.nameCharacters} characters, all of them printable.`;
  if (systemIds.includes(testSystem))
    return `The system_id "${testSystem}" is kept for the bus's own test messages: choose another.`;
  if ([systemIds, grants, receives, sources].some(list => list.length > max))
    return `At most ${max} system_ids or patterns fit one connection.`;
  if (Buffer.byteLength([...systemIds, ...grants, ...receives, ...sources].join('')) > maxBytes)
    return (
      `The system_ids and patterns of one connection may have ${maxBytes} bytes together: use ` +
      'shorter ones, or patterns for several message types.'
    );
  if (kind === 'producer') {
    if (receives.length + sources.length > 0)
      return 'A producer receives nothing: leave out what it is to receive, and from which sources.';
    return undefined;
  }
  if (systemIds.length + grants.length > 0)
    return 'A consumer sends nothing: leave out system_ids and grants.';
  return undefined;
};

const systemId = (message: Message, connection: Connection): readonly Violation[] => {
  if (connection.systemIds.includes(message.systemId) && isSystemId(message.systemId)) return [];
  const words =
    `This connection may not send as ${quoteValue(message.systemId)}; ask the workspace's owner ` +
    'to allow it.';
  return [violation('producer.system_id_not_allowed', words, '/originating_system/system_id')];
};

const messageType = (message: Message, connection: Connection): readonly Violation[] => {
  if (matchesAny(connection.grants, message.messageType)) return [];
  const words =
    `This connection may not send ${quoteValue(message.messageType)}; ask the workspace's owner ` +
    'for a grant.';
  return [violation('producer.message_type_not_allowed', words, '/message_type')];
};

export const checkGrants = (message: Message, connection: Connection): readonly Violation[] => [
  ...systemId(message, connection),
  ...messageType(message, connection),
];
