import { readFileSync } from 'node:fs';
import { families, messageTypes, schemaNames, somVersion } from '../../lib/contract/message-types.ts';
import type { Json, Schema } from './som-schemas.ts';

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
  ...(description ? { description } : {}),
});
const list = (items: Schema): Schema => ({ type: 'array', items });
const id = (letter: string, description: string): Schema => ({
  type: 'string',
  pattern: `^${letter}[a-z2-7]{12}$`,
  description,
});
const instant = (description: string): Schema => ({ type: 'string', format: 'date-time', description });

/** The rule of a JSON Schema failure. */
const schemaRule: Schema = { type: 'string', pattern: `^(${schemaNames.join('|')})\\.[A-Za-z_.-]+$` };

/** One violation whose rule is one of these, or a schema failure where those may happen. */
const violationOf = (rules: readonly string[], orSchema: boolean): Schema =>
  closed({
    source: { enum: ['schema', 'conformance', 'sequence', 'policy'] },
    rule: orSchema
      ? { anyOf: [{ enum: rules }, schemaRule], description: 'A stable rule id.' }
      : { enum: rules, description: 'A stable rule id.' },
    message: text('For people; may change.'),
    'path?': {
      type: 'string',
      format: 'json-pointer',
      description: 'The place in the submitted message, as a JSON Pointer (RFC 6901).',
    },
  });

/** The bus shape of a refusal. */
export const refusalOf = (rules: readonly string[], orSchema: boolean): Schema =>
  closed({
    accepted: { const: false },
    violations: { type: 'array', minItems: 1, maxItems: 50, items: violationOf(rules, orSchema) },
  });

/** The form of an error of the portal. */
export const portalErrorOf = (codes: readonly string[]): Schema =>
  closed({ code: { enum: codes }, message: text('For people; may change.') });

const family = { enum: [...new Set(families.values())].sort() };

export const accepted = (dryRun: boolean): Schema =>
  closed({
    accepted: { const: true },
    message_id: text(),
    message_type: text(),
    family: {
      anyOf: [family, { type: 'null' }],
      description: 'The schema that validated the payload, or null if SOM 1.0 has none.',
    },
    'tolerated?': {
      type: 'array',
      minItems: 1,
      items: violationOf(['payload.unvalidated', 'sequence_number.gap'], true),
    },
    ...(dryRun ? { dry_run: { const: true } } : {}),
  });

export const duplicate = closed({
  accepted: { const: true },
  duplicate: { const: true },
  message_id: text(),
});

export const token = closed({
  access_token: { type: 'string', pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$', description: 'A JWT (ES256).' },
  token_type: { const: 'Bearer' },
  expires_in: { const: 3600, description: 'Seconds.' },
});

export const tokenError = (errors: readonly string[]): Schema =>
  closed({ error: { enum: errors }, error_description: text() });

export const health = closed({
  ok: { const: true },
  som_version: { const: somVersion },
  message_types: list({ enum: messageTypes }),
});

const base64url = { type: 'string', pattern: '^[\\w-]+$' };

export const keySet = closed({
  keys: list(
    closed({
      kty: { const: 'EC' },
      crv: { const: 'P-256' },
      x: base64url,
      y: base64url,
      kid: base64url,
      alg: { const: 'ES256' },
      use: { const: 'sig' },
    }),
  ),
});

const address = { type: 'string', format: 'uri' };

export const oauthMetadata = closed({
  issuer: address,
  token_endpoint: address,
  jwks_uri: address,
  grant_types_supported: list(text()),
  token_endpoint_auth_methods_supported: list(text()),
  response_types_supported: list(text()),
});

export const verifiedPrincipal = closed({
  verified: { const: true },
  connection_id: id('c', 'The connection that the role belongs to.'),
  role_arn: text(),
  verified_at: instant('When the role was verified.'),
});

/** A received message in the answer of a pull. */
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

export const messages = closed({ messages: { type: 'array', maxItems: 10, items: pulled } });

const states = ['waiting', 'queued', 'received', 'returned', 'acknowledged', 'expired', 'skipped', 'lost'];

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

/** What became of a message. */
export const life = closed({
  message_id: text(),
  verdict: { enum: ['accepted', 'refused'] },
  'message_type?': text(),
  'correlation_id?': text('Order is kept within it.'),
  'system_id?': text(),
  'producer_id?': id('c', 'The connection that published it.'),
  'accepted_at?': instant('When the bus accepted it.'),
  'size_bytes?': { type: 'integer', minimum: 1 },
  consumers: list(
    closed({
      connection_id: id('c', 'The consumer.'),
      state: {
        enum: states,
        description:
          '`waiting`: not in the queue yet. `queued`: it can be pulled, after what it waits for. `received`: in flight. `returned`: given back with a delay. `expired`: not acknowledged in 14 days. `skipped`: the queue was gone when it was sent. `lost`: the connection was revoked first. After a replay, of the copy that was sent last.',
      },
      'waits_for?': text('The message_id that has to leave first.'),
      received: list(received),
      replayed: list(
        closed({ replay_id: id('y', 'The replay.'), sent_at: instant('When it was sent again.') }),
      ),
    }),
  ),
  refusals: list(
    closed({
      refused_at: instant('When the bus refused it.'),
      connection_id: id('c', 'The connection that sent it.'),
      size_bytes: { type: 'integer', minimum: 0 },
      violations: list(
        open({ source: text(), rule: text('A stable rule id.'), message: text(), 'path?': text() }),
      ),
    }),
  ),
  repeated_at: list(instant('When it was published again, with the same content.')),
});

/** What waits for a consumer. */
export const backlog = closed({
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
      'Since the oldest unacknowledged message was accepted; null if none waits. A lower bound if very many wait.',
  },
  blocked: list(text('A correlation_id whose next message cannot be pulled now.')),
});

export const receipts = closed({
  ok: list(text()),
  failed: list(
    closed({
      receipt_handle: text(),
      rule: { enum: ['receipt.expired', 'order.blocked'] },
      message: text(),
    }),
  ),
});

export const registrations = closed({
  registrations: list(
    closed({
      registration_id: id('r', 'The registration.'),
      skill_id: text(),
      skill_version: text(),
      instance_label: text(),
      values: { type: 'object' },
      'authority_scale?': list(text()),
      paused: { type: 'boolean' },
    }),
  ),
});

export const skillReport = closed({
  valid: { type: 'boolean' },
  library_version: text(),
  checked: { enum: ['instance', 'list', 'yaml'] },
  instances: list(
    closed({
      index: { type: 'integer', minimum: 0 },
      instance_label: text(),
      skill_id: text(),
      valid: { type: 'boolean' },
      problems: list(text()),
    }),
  ),
  problems: list(text()),
});

const inlined = (value: Json, defs: Readonly<Record<string, Json>>): Json => {
  if (Array.isArray(value)) return value.map(item => inlined(item, defs));
  if (typeof value !== 'object' || value === null) return value;
  const target = '$ref' in value ? value['$ref'] : undefined;
  if (typeof target === 'string') return inlined(defs[target.replace('#/$defs/', '')] ?? null, defs);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, inlined(inner ?? null, defs)]),
  );
};

/** The answer of the library route, from the schema the library itself is checked with. */
export const skillLibrary = (): Schema => {
  const {
    $schema: _dialect,
    $defs,
    ...schema
  } = JSON.parse(readFileSync('skills/schemas/library-answer.schema.json', 'utf8'));
  return inlined(schema, $defs) as Schema;
};
