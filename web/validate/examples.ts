/** A message as its members. */
type Message = Readonly<Record<string, unknown>>;

const time = '2026-05-04T09:00:00Z';
const id = (last: string): string => `0197a1b2-c3d4-7e5f-8a6b-00000000000${last}`;

const envelope = (message_type: string, payload: Message): Message => ({
  som_version: '1.0.0',
  message_id: id('1'),
  correlation_id: id('2'),
  message_type,
  timestamp: time,
  originating_system: { system_id: 'demo-ncs', system_type: 'ncs' },
  topic: 'som.story',
  payload,
});

const link = (message_type: string, more: Message = {}): Message =>
  envelope(message_type, {
    message_type,
    link_id: id('3'),
    asset_id: 'clip-1',
    destination_id: 'evening-news',
    compliance_gate_status: 'CLEARED',
    ...more,
  });

const telling = (message_type: string, more: Message = {}): Message =>
  envelope(message_type, { message_type, telling_id: id('4'), link_id: id('3'), ...more });

/** A valid message of each type that SOM 1.0 has a schema for. */
export const examples: readonly Message[] = [
  envelope('story.context', {
    story_id: 'harbour-fire',
    slug: 'HARBOUR-FIRE',
    headline: 'Fire at the old harbour',
    story_type: 'PLANNED',
    sequence_number: 1,
    updated_at: time,
  }),
  link('link.committed', { committed_by: 'editor-7', committed_at: time }),
  link('link.gate_changed'),
  link('link.withdrawn', {
    withdrawn: { reason: 'the rights have ended', withdrawn_by: 'editor-7', withdrawn_at: time },
  }),
  telling('telling.started', { exposure_start: time }),
  telling('telling.exposed', { exposure_start: time, exposure_end: '2026-05-04T09:02:00Z' }),
  telling('telling.ended', { exposure_start: time, exposure_end: '2026-05-04T09:02:00Z' }),
  envelope('delivery.media_available', {
    message_type: 'delivery.media_available',
    delivery_id: id('5'),
    asset_id: 'clip-1',
    source: 'tams://north/flow-1',
    arrived_in: 'playout',
    arrived_at: time,
  }),
  envelope('skill.warning.raised', {
    warning_id: id('6'),
    skill_id: 'smart-stories/gate-by-scope',
    skill_version: '0.2.2',
    story_id: 'harbour-fire',
    scope: 'STORY',
    severity: 'flag',
    rule_id: 'gate-by-scope-1',
    non_overridable: false,
    affected_fields: ['headline'],
    detail: 'The headline names a person who must not be named.',
    blocks: [],
    skill_warning_ref: id('7'),
  }),
  envelope('system.audit', {
    audit_id: id('8'),
    action: 'SUPPRESSED',
    target: { kind: 'LINK', id: id('3') },
    actor: { actor_id: 'editor-7', actor_type: 'user' },
    reason: 'rights',
    recorded_at: time,
  }),
];

/** A change that people make by mistake. */
interface Mistake {
  readonly title: string;
  make(message: Message): Message;
}

const without = (members: Message, name: string): Message =>
  Object.fromEntries(Object.entries(members).filter(([own]) => own !== name));

const payloadOf = (message: Message): Message => message['payload'] as Message; // every example has one

/** A member that every example of its type must have. */
const neededIn = (message: Message): string =>
  Object.keys(payloadOf(message)).find(name => name !== 'message_type') ?? '';

/** The mistakes that producers make most, in the order of an envelope. */
export const mistakes: readonly Mistake[] = [
  { title: 'A som_version before 1.0', make: message => ({ ...message, som_version: '0.9.0' }) },
  { title: 'A message_id that is no UUID', make: message => ({ ...message, message_id: 'message-1' }) },
  { title: 'No correlation_id', make: message => without(message, 'correlation_id') },
  {
    title: 'The message_type in capital letters',
    make: message => ({ ...message, message_type: `${message['message_type']}`.toUpperCase() }),
  },
  { title: 'A time without its zone', make: message => ({ ...message, timestamp: '2026-05-04T09:00:00' }) },
  { title: 'The system as text', make: message => ({ ...message, originating_system: 'demo-ncs' }) },
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
    make: message => ({ ...message, payload: { ...payloadOf(message), [neededIn(message)]: null } }),
  },
  {
    title: 'A member that SOM does not have',
    make: message => ({ ...message, payload: { ...payloadOf(message), colour: 'red' } }),
  },
];

/** A message as it stands in the editor. */
export const textOfMessage = (message: Message): string => JSON.stringify(message, undefined, 2);

const timeForm = /2026-05-04T09:\d\d:00Z/g;

const uuidForm = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** The example with ids of its own, which are the same where they were; as sent now, by a system of the producer's. */
export const asNew = (
  example: Message,
  { uuid, now, system }: { uuid(): string; readonly now: string; readonly system?: string | undefined },
): Message => {
  const ids = new Map<string, string>();
  const own = (old: string): string => {
    const id = ids.get(old) ?? uuid();
    ids.set(old, id);
    return id;
  };
  const moved = (text: string): string =>
    new Date(Date.parse(now) + Date.parse(text) - Date.parse(time)).toISOString();
  const text = JSON.stringify(example).replace(uuidForm, own).replace(timeForm, moved);
  const message: Message = JSON.parse(text.replaceAll('harbour-fire', `harbour-fire-${uuid().slice(-6)}`));
  return {
    ...message,
    ...(system === undefined ? {} : { originating_system: { system_id: system, system_type: 'ncs' } }),
  };
};

/** An accepted message as another one: with a message_id of its own and, if it is a snapshot, the next number of its story. */
export const again = (
  text: string,
  { id, now, number }: { readonly id: string; readonly now: string; readonly number?: string | undefined },
): string => {
  const message: Message = JSON.parse(text);
  const payload =
    number === undefined
      ? {}
      : { payload: { ...payloadOf(message), sequence_number: Number(number), updated_at: now } };
  return textOfMessage({ ...message, message_id: id, timestamp: now, ...payload });
};
