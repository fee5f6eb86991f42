import { demoChain } from '../../lib/som/messages/demo-messages.ts';
import { indented } from '../message/indented.ts';
import { withToken } from './text-range.ts';

/** A message as its members. */
type Message = Readonly<Record<string, unknown>>;

/** A change that people make by mistake. */
interface Mistake {
  readonly title: string;
  make(message: Message): Message;
}

const without = (members: Message, name: string): Message =>
  Object.fromEntries(Object.entries(members).filter(([own]) => own !== name));

// every example has one
const payloadOf = (message: Message): Message => message['payload'] as Message;

/** A member that every example of its type must have. */
const neededIn = (message: Message): string =>
  Object.keys(payloadOf(message)).find(name => name !== 'message_type') ?? '';

/** The mistakes that producers make most, in the order of an envelope. */
export const mistakes: readonly Mistake[] = [
  { title: 'A som_version before 1.0', make: message => ({ ...message, som_version: '0.9.0' }) },
  {
    title: 'A message_id that is no UUID',
    make: message => ({ ...message, message_id: 'message-1' }),
  },
  { title: 'No correlation_id', make: message => without(message, 'correlation_id') },
  {
    title: 'The message_type in capital letters',
    make: message => ({ ...message, message_type: `${message['message_type']}`.toUpperCase() }),
  },
  {
    title: 'A time without its zone',
    make: message => ({ ...message, timestamp: '2026-05-04T09:00:00' }),
  },
  {
    title: 'The system as text',
    make: message => ({ ...message, originating_system: 'demo-ncs' }),
  },
  {
    title: 'The payload as text',
    make: message => ({ ...message, payload: JSON.stringify(message['payload']) }),
  },
  {
    title: 'A member of the payload is missing',
    make: message => ({ ...message, payload: without(payloadOf(message), neededIn(message)) }),
  },
  {
    title: 'null instead of leaving a member out',
    make: message => ({
      ...message,
      payload: { ...payloadOf(message), [neededIn(message)]: null },
    }),
  },
  {
    title: 'A member that SOM does not have',
    make: message => ({ ...message, payload: { ...payloadOf(message), colour: 'red' } }),
  },
];

/** A message as it stands in the editor. */
export const textOfMessage = (message: Message): string => JSON.stringify(message, undefined, 2);

const timeForm = /2026-05-04T09:\d\d:00Z/g;

/**
 * A valid message of a type, as a system would send it now; undefined if SOM has no schema for the
 * type.
 */
export const exampleOf = (
  type: string,
  { now, system = 'demo-ncs' }: { now: string; system?: string | undefined },
) => {
  const found = demoChain(system).find(({ message_type }) => message_type === type);
  if (!found) return undefined;
  const moved = (text: string): string =>
    new Date(
      Date.parse(now) + Date.parse(text) - Date.parse(String(found['timestamp'])),
    ).toISOString();
  const text = JSON.stringify(without(found, 'causation_id')).replace(timeForm, moved);
  return JSON.parse(text) as Message; // what was written a line above
};

/** A text to be read: one that is in one line gets lines, and keeps every token as it is. */
export const inLines = (text: string): string =>
  text.trim().includes('\n') ? text : indented(text);

interface NewFacts {
  readonly id: string;
  readonly now: string;
  /** The next number of its story, if it is a snapshot. */
  readonly number?: string | undefined;
}

/**
 * The text of an accepted message as that of another one: its id, its time and, of a snapshot, its
 * number and time are new. All else stays as its producer wrote it, to the last digit and in its
 * order. Only a text in one line gets lines, to be read.
 */
export const again = (text: string, { id, now, number }: NewFacts): string => {
  const time = JSON.stringify(now);
  const envelope = { '/message_id': JSON.stringify(id), '/timestamp': time };
  const snapshot = { '/payload/sequence_number': number, '/payload/updated_at': time };
  const tokens = number === undefined ? envelope : { ...envelope, ...snapshot };
  let next = inLines(text);
  for (const [pointer, token] of Object.entries(tokens))
    next = withToken(next, pointer, token ?? '');
  return next;
};
