import { readFileSync } from 'node:fs';
import { somVersion } from '../../lib/contract/message-types.ts';
import { componentsOf, generable, ref, type Schema } from './components.ts';

/** An object with these members and perhaps others; a name that ends in `?` may be left out. */
export const open = (members: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  required: Object.keys(members).filter(name => !name.endsWith('?')),
  properties: Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name.replace(/\?$/, ''), schema]),
  ),
});

/** The same, with no others. */
export const closed = (members: Readonly<Record<string, Schema>>): Schema => ({
  ...open(members),
  additionalProperties: false,
});

export const text = (description?: string): Schema => ({
  type: 'string',
  ...(description && { description }),
});
export const list = (items: Schema): Schema => ({ type: 'array', items });
export const id = (letter: string, description: string): Schema => ({
  type: 'string',
  pattern: `^${letter}[a-z2-7]{12}$`,
  description,
});
/**
 * A member with one value. Not a constant: generators make enums of constants, and wrong ones of
 * Booleans.
 */
const always = (value: boolean, description = `Always ${value}.`): Schema => ({
  type: 'boolean',
  description,
});
export const instant = (description: string): Schema => ({
  type: 'string',
  format: 'date-time',
  description,
});

const publication = closed({
  accepted: always(true),
  message_id: text(),
  'message_type?': text(),
  'family?': {
    type: ['string', 'null'],
    description: 'The schema that validated the payload, or null if SOM 1.0 has none.',
  },
  'tolerated?': { type: 'array', minItems: 1, items: ref('Violation') },
  'duplicate?': always(
    true,
    'Always true: the message was accepted before. The other members are absent then.',
  ),
  'dry_run?': always(true, 'Always true: nothing was recorded or sent.'),
});

const violation = closed({
  source: { enum: ['schema', 'conformance', 'sequence', 'policy'] },
  rule: text('A stable rule id.'),
  message: text('For people; may change.'),
  'path?': {
    type: 'string',
    format: 'json-pointer',
    description: 'The place in the submitted message, as a JSON Pointer (RFC 6901).',
  },
});

const token = closed({
  access_token: {
    type: 'string',
    pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$',
    description: 'A JWT (ES256).',
  },
  token_type: { const: 'Bearer' },
  expires_in: { type: 'integer', minimum: 1, description: 'Seconds.' },
});

const health = closed({
  ok: always(true),
  som_version: { const: somVersion },
  message_types: list(text()),
});

const base64url = { type: 'string', pattern: '^[\\w-]+$' };

const publicKey = closed({
  kty: { const: 'EC' },
  crv: { const: 'P-256' },
  x: base64url,
  y: base64url,
  kid: base64url,
  alg: { const: 'ES256' },
  use: { const: 'sig' },
});

const address = { type: 'string', format: 'uri' };

const authorizationServer = closed({
  issuer: address,
  token_endpoint: address,
  jwks_uri: address,
  grant_types_supported: list(text()),
  token_endpoint_auth_methods_supported: list(text()),
  response_types_supported: list(text()),
});

const verifiedPrincipal = closed({
  verified: always(true),
  connection_id: id('c', 'The connection that the role belongs to.'),
  role_arn: text(),
  verified_at: instant('When the role was verified.'),
});

/** A received message in the response of a pull. */
export const pulled = closed({
  receipt_handle: { type: 'string', maxLength: 1024, description: 'For ack and nack.' },
  message_id: text(),
  message_type: text(),
  correlation_id: text('Order is kept within it.'),
  producer_id: id('c', 'The connection that published it.'),
  system_id: text(),
  enqueued_at: instant('When the message entered the queue.'),
  receive_count: { type: 'integer', minimum: 1 },
  envelope: { type: 'object', description: 'The message as it was published, as a JSON object.' },
});

const failedReceipt = closed({
  receipt_handle: text(),
  rule: { enum: ['receipt.expired', 'order.blocked'] },
  message: text(),
});

const states = [
  'waiting',
  'queued',
  'received',
  'returned',
  'acknowledged',
  'expired',
  'skipped',
  'lost',
];

const received = closed({
  received_at: instant('When a pull took it.'),
  receive_count: { type: 'integer', minimum: 1 },
  'visible_at?': instant('Until then, no other pull gets it. Absent if it was acknowledged.'),
  'acknowledged_at?': instant(
    'When it was acknowledged; of several acks of one message that came alone, the last.',
  ),
  'released_at?': instant('When it was returned to the queue.'),
  'replay_id?': id('y', 'The replay that had sent this copy.'),
});

const replayed = closed({
  replay_id: id('y', 'The replay.'),
  sent_at: instant('When it was sent again.'),
});

const consumerLife = closed({
  connection_id: id('c', 'The consumer.'),
  state: {
    enum: states,
    description:
      '`waiting`: not in the queue yet. `queued`: it can be pulled, after what it waits for. ' +
      '`received`: in flight. `returned`: given back with a delay. `expired`: not ' +
      'acknowledged in 14 days. `skipped`: the queue was gone when it was sent, or a pull ' +
      'deleted it because the consumer was told to skip it. `lost`: the connection was ' +
      'revoked first. After a replay, of the copy that was sent last.',
  },
  'waits_for?': text('The message_id that has to leave first.'),
  received: list(ref('ReceivedCopy')),
  replayed: list(ref('ReplayedCopy')),
});

const refusedPublish = closed({
  refused_at: instant('When the bus refused it.'),
  connection_id: id('c', 'The connection that sent it.'),
  size_bytes: { type: 'integer', minimum: 0 },
  violations: list(ref('Violation')),
});

const life = closed({
  message_id: text(),
  verdict: { enum: ['accepted', 'refused'] },
  'message_type?': text(),
  'correlation_id?': text('Order is kept within it.'),
  'system_id?': text(),
  'producer_id?': id('c', 'The connection that published it.'),
  'accepted_at?': instant('When the bus accepted it.'),
  'size_bytes?': { type: 'integer', minimum: 1 },
  consumers: list(ref('ConsumerLife')),
  refusals: list(ref('RefusedPublish')),
  repeated_at: list(instant('When it was published again, with the same content.')),
});

const backlog = closed({
  visible: {
    type: 'integer',
    minimum: 0,
    description: 'Messages that can be pulled, counted by the queue within about a minute.',
  },
  in_flight: {
    type: 'integer',
    minimum: 0,
    description: 'Messages that were pulled and not acknowledged, counted likewise.',
  },
  oldest_seconds: {
    type: ['integer', 'null'],
    minimum: 0,
    description:
      'How long the oldest unacknowledged message has waited, however many wait: since it was ' +
      'accepted, or since a replay sent it. Null if none waits, or if it is not known.',
  },
  'oldest_unknown?': text('Why `oldest_seconds` is not known.'),
  blocked: list(text('A correlation_id whose next message cannot be pulled now.')),
});

const registration = closed({
  registration_id: id('r', 'The registration.'),
  skill_id: text(),
  skill_version: text(),
  instance_label: text(),
  values: { type: 'object' },
  'authority_scale?': list(text()),
  paused: { type: 'boolean' },
});

const checkedInstance = closed({
  index: { type: 'integer', minimum: 0 },
  instance_label: text(),
  skill_id: text(),
  valid: { type: 'boolean' },
  problems: list(text()),
});

const skillReport = closed({
  valid: { type: 'boolean' },
  library_version: text(),
  checked: { enum: ['instance', 'list', 'yaml'] },
  instances: list(ref('CheckedInstance')),
  problems: list(text()),
});

/** The response of the library route, as the library itself is checked. */
const skillLibrary = componentsOf(
  'SkillLibrary',
  JSON.parse(readFileSync('skills/schemas/library-answer.schema.json', 'utf8')),
);

const named: Readonly<Record<string, Schema>> = {
  Publication: publication,
  Refusal: closed({
    accepted: always(false),
    violations: { type: 'array', minItems: 1, maxItems: 50, items: ref('Violation') },
  }),
  Violation: violation,
  Token: token,
  TokenError: closed({ error: text(), error_description: text() }),
  Health: health,
  KeySet: closed({ keys: list(ref('PublicKey')) }),
  PublicKey: publicKey,
  AuthorizationServer: authorizationServer,
  VerifiedPrincipal: verifiedPrincipal,
  PulledMessages: closed({
    messages: { type: 'array', maxItems: 10, items: ref('PulledMessage') },
  }),
  PulledMessage: pulled,
  Receipts: closed({ ok: list(text()), failed: list(ref('FailedReceipt')) }),
  FailedReceipt: failedReceipt,
  MessageLife: life,
  ConsumerLife: consumerLife,
  ReceivedCopy: received,
  ReplayedCopy: replayed,
  RefusedPublish: refusedPublish,
  Backlog: backlog,
  Registrations: closed({
    registrations: list(ref('Registration')),
    'next?': text('There are more: it goes back as `after`.'),
  }),
  Registration: registration,
  SkillReport: skillReport,
  CheckedInstance: checkedInstance,
  PortalError: closed({ code: text(), message: text('For people; may change.') }),
};

/** What responses are made of, by component. */
export const responseSchemas: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, generable(schema)])),
  ...skillLibrary,
};
