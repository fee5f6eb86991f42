import type {
  Envelope,
  MessageOf,
  MessageType,
  Payloads,
  System,
  Timestamp,
  Topic,
  Uuid,
} from '../../generated/som-messages.generated.ts';
import type { Outside } from './outside.ts';

export type Draft<Type extends MessageType> = Pick<
  Envelope,
  'modification_header' | '_actors' | 'extensions' | '@context'
> & {
  readonly message_type: Type;
  readonly payload: Payloads[Type];
  /**
   * Default: a new one. A message that is made again after a crash needs the same: see `uuidv5`.
   */
  readonly message_id?: string;
  /** A date, or the text of one (RFC 3339). Default: now. */
  readonly timestamp?: string | Date;
  /** The message that led to this one: this one continues its chain. */
  readonly cause?: { readonly message_id: string; readonly correlation_id: string };
  /** Default: the cause's, else a new one. Use one for all messages of a story. */
  readonly correlation_id?: string;
  /** Default: `som.` and the message type. */
  readonly topic?: Topic;
  /** Default: the client's. */
  readonly originating_system?: System;
};

/**
 * Makes a whole message of a draft.
 *
 * @throws TypeError when an id of the draft is not a UUID, or its timestamp not a date-time
 */
export type Compose = <Type extends MessageType>(draft: Draft<Type>) => MessageOf<Type>;

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const isUuid = (text: string): text is Uuid => uuidForm.test(text);

const uuid = (text: string, name: string): Uuid => {
  if (isUuid(text)) return text;
  throw new TypeError(`${name} must be a UUID, not "${text}".`);
};

const dateTimeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const isTimestamp = (text: string): text is Timestamp =>
  dateTimeForm.test(text) && !Number.isNaN(Date.parse(text));

export const timestampOf = (time: string | Date): Timestamp => {
  const text = typeof time === 'string' ? time : time.toISOString(); // RFC 3339, as ECMA-262 has it
  if (isTimestamp(text)) return text;
  throw new TypeError(`timestamp must be an RFC 3339 date-time, not "${text}".`);
};

/** Of 16 bytes, six of whose bits become the version and the variant (RFC 9562 section 4). */
const uuidOf = (bytes: Uint8Array, version: number): Uuid => {
  const [six = 0, eight = 0] = [bytes[6], bytes[8]];
  bytes[6] = (version << 4) | (six & 0x0f);
  bytes[8] = 0x80 | (eight & 0x3f);
  const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

const bytesOf = (hex: string): readonly number[] =>
  [...hex.matchAll(/../g)].map(([pair]) => Number.parseInt(pair, 16));

/**
 * UUID version 7: milliseconds, then 74 random bits, so that ids sort by time (RFC 9562 section
 * 5.7).
 */
export const uuidv7 = (milliseconds: number, random: Uint8Array): Uuid => {
  const time = bytesOf(milliseconds.toString(16).padStart(12, '0'));
  return uuidOf(Uint8Array.from([...time, ...random.subarray(0, 10)]), 7);
};

/**
 * UUID version 5 (RFC 9562 section 5.5): the same namespace and name always give the same id. With
 * the message_id of a cause, and a name of one's own `system_id` and the kind of the reaction, a
 * reaction has the same id whenever it is made. Without the `system_id`, another party that reacts
 * to the same cause makes the same id, and only one of both messages is accepted.
 *
 * @throws TypeError when the namespace is not a UUID
 */
export const uuidv5 = async (namespace: string, name: string): Promise<Uuid> => {
  const within = bytesOf(uuid(namespace, 'The namespace').replaceAll('-', ''));
  const named = Uint8Array.from([...within, ...new TextEncoder().encode(name)]);
  return uuidOf(new Uint8Array(await crypto.subtle.digest('SHA-1', named)).subarray(0, 16), 5);
};

/** @param system sends the messages, unless a draft names another one */
export const composer = (system: System | undefined, { now, randomBytes }: Outside): Compose =>
  function compose(draft) {
    const {
      message_type,
      payload,
      message_id,
      timestamp,
      cause,
      correlation_id,
      topic,
      originating_system = system,
      ...more
    } = draft;
    if (originating_system === undefined)
      throw new TypeError(
        'A message names its system: give connect() a system, or the draft an originating_system.',
      );
    const newId = () => uuidv7(now(), randomBytes(10));
    const correlation = correlation_id ?? cause?.correlation_id;
    return {
      som_version: '1.0.0',
      message_id: message_id === undefined ? newId() : uuid(message_id, 'message_id'),
      correlation_id: correlation === undefined ? newId() : uuid(correlation, 'correlation_id'),
      ...(cause && { causation_id: uuid(cause.message_id, 'The message_id of the cause') }),
      message_type,
      timestamp: timestampOf(timestamp ?? new Date(now())),
      originating_system,
      topic: topic ?? `som.${message_type}`,
      ...more,
      payload,
    };
  };
