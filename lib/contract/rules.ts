import { limits, withCommas } from './limits.ts';
import { schemaNames } from './message-types.ts';

export type Retry =
  /** The request itself is wrong: change it first. */
  | 'fix'
  /** Nothing is wrong with the request: send the same bytes again after a pause. */
  | 'same'
  /** The state has changed: build a new message from the current state. */
  | 'refresh'
  /** Get a new token, then send the same bytes again. */
  | 'reauthenticate'
  /** Someone has to change a permission or a registration first. */
  | 'ask'
  /** Nothing to do: the message was accepted, or the entry is informational. */
  | 'none';

export type Source = 'schema' | 'conformance' | 'sequence' | 'policy';

export interface Rule {
  readonly source: Source;
  /**
   * HTTP status of a response whose first violation has this rule; 200 and 202 accompany an
   * accepted call.
   */
  readonly status: 200 | 202 | 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 503;
  readonly retry: Retry;
  readonly meaning: string;
}

const rule = (source: Source, status: Rule['status'], retry: Retry, meaning: string): Rule => ({
  source,
  status,
  retry,
  meaning,
});

const policy =
  (retry: Retry) =>
  (status: Rule['status'], meaning: string): Rule =>
    rule('policy', status, retry, meaning);
const [fix, ask, same, none] = [policy('fix'), policy('ask'), policy('same'), policy('none')];
const unreadable = (meaning: string): Rule => rule('schema', 400, 'fix', meaning);
/** What a snapshot may not say after the one before it. */
const stale = (meaning: string): Rule => rule('sequence', 409, 'refresh', meaning);

export const rules = {
  'message.not_json': unreadable(
    'The body is not a single JSON object in UTF-8 without a byte order mark.',
  ),
  'message.duplicate_member': unreadable('An object contains the same member name twice.'),
  'message.invalid_character': unreadable(
    'A string contains a lone surrogate, U+FFFE or U+FFFF, which queues cannot carry.',
  ),
  'message.too_deep': fix(
    400,
    `Objects and arrays are nested more than ${limits.messageDepth} levels deep.`,
  ),
  'content_refs.source_unresolved': rule(
    'conformance',
    202,
    'none',
    'A content reference names a source_id that editorial_source does not list.',
  ),
  'editorial_source.received_after_update': rule(
    'conformance',
    202,
    'none',
    'A source has a received_at later than the updated_at of the snapshot.',
  ),
  'som_version.pre_1_0': rule(
    'conformance',
    400,
    'fix',
    'The message declares a SOM version earlier than 1.0.',
  ),
  'som_version.unsupported_major': fix(400, 'The message declares SOM 2.0 or later.'),
  'payload.message_type_mismatch': fix(
    400,
    'The envelope and the payload declare different message types.',
  ),
  'message_type.unknown': fix(
    400,
    'SOM 1.0 has no schema for this message type, and no skill in the library lists it in recall_on.',
  ),
  'payload.unvalidated': none(
    202,
    'SOM 1.0 has no schema for this message type, so only the envelope was validated.',
  ),
  'producer.unauthenticated': rule(
    'policy',
    401,
    'reauthenticate',
    'The token is missing, invalid, expired, older than the last secret rotation, or meant for ' +
      'another environment or workspace; or the key set of its issuer cannot be fetched.',
  ),
  'producer.not_registered': ask(
    403,
    'The caller has no active connection of the kind that this route needs.',
  ),
  'tenant.mismatch': fix(403, "The workspace in the URL is not the caller's workspace."),
  'request.blocked': fix(403, 'The firewall classified the request as an attack.'),
  'producer.system_id_not_allowed': ask(
    403,
    'The connection may not publish for this originating system.',
  ),
  'producer.message_type_not_allowed': ask(
    403,
    'The connection may not publish this message type.',
  ),
  'correlation_id.reserved': fix(
    400,
    'The correlation_id has the form that belongs to test runs, and the workspace has no such run.',
  ),
  'message_id.reused': fix(
    409,
    'A message with this message_id and different content was accepted before.',
  ),
  'message_id.unknown': fix(
    404,
    'The workspace has no message with this message_id that this connection sent or was sent.',
  ),
  'commit.contention': rule(
    'policy',
    409,
    'refresh',
    'Other writers updated this story first, five times in a row.',
  ),
  'sequence_number.not_increasing': stale(
    'sequence_number is not greater than in the last accepted snapshot.',
  ),
  'sequence_number.gap': rule(
    'sequence',
    202,
    'none',
    'sequence_number increased by more than one.',
  ),
  'assertion.review_reopened': rule(
    'sequence',
    202,
    'none',
    'The review of an assertion was CONFIRMED or REJECTED in the last accepted snapshot and is ' +
      'PENDING again.',
  ),
  'updated_at.backwards': stale('updated_at is earlier than in the last accepted snapshot.'),
  'snapshot.members_missing': stale('A top-level member of the last accepted snapshot is missing.'),
  'snapshot.assets_dropped': stale('An asset of the last accepted snapshot is missing.'),
  'asset.type_changed': stale(
    'The asset_type of an asset differs from the one it was first published with.',
  ),
  'story_type.left_terminal': stale(
    'A KILLED, SPIKED or ARCHIVED story moved to a story_type outside these three.',
  ),
  'message.too_large': fix(
    413,
    `The body is larger than the route allows: ${withCommas(limits.messageBytes)} bytes for a message.`,
  ),
  'message.unsupported_media_type': fix(
    415,
    'The Content-Type is not application/json, or the body is compressed.',
  ),
  'rate.limited': same(429, 'Too many requests in a short time.'),
  'quota.exceeded': same(429, 'The daily quota is used up. It resets at 00:00 UTC.'),
  'bus.publish_failed': same(
    503,
    'The message may have been accepted, but may not be in every queue yet. Sending it again ' +
      'with the same message_id completes it.',
  ),
  'registry.unavailable': same(
    503,
    'Permissions or stored messages cannot be read at the moment. The request changed nothing.',
  ),
  'pull.invalid_parameter': fix(
    400,
    'A parameter in the URL is unknown, repeated, too long or out of range.',
  ),
  'pull.invalid_body': fix(400, 'The body of an ack or nack does not have the documented form.'),
  'receipt.expired': none(
    200,
    'The receipt handle can no longer be used: its message was returned, delivered again or ' +
      '(for a nack) acknowledged, or the handle was never issued.',
  ),
  'order.blocked': none(
    200,
    'An earlier message of this correlation_id was returned to the queue, and this one with it. ' +
      'It will be delivered again after the earlier one.',
  ),
  'check.invalid': fix(400, 'The body does not describe a test run as documented.'),
  'check.declined': ask(
    409,
    'The test run cannot be started now; `message` says what is in its way.',
  ),
  'limit.reached': ask(409, 'The limit on how many may exist at the same time is reached.'),
  'check.unknown': fix(404, 'No test run of this connection has this id, or no report this name.'),
  'route.not_found': fix(404, 'The service has no route at this URL.'),
  'route.method_not_allowed': fix(405, 'The route at this URL does not support this method.'),
  'principal.challenge_invalid': ask(
    403,
    'The challenge is wrong, already used, expired or meant for another role, connection or ' +
      'workspace, or AWS does not know the role.',
  ),
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof rules;

/** Whether what a rule refused may be accepted later, with the same bytes. */
export const isPassingRule = (rule: string): boolean =>
  rule === 'commit.contention' ||
  (Object.hasOwn(rules, rule) && rules[rule as RuleId].retry === 'same');

/**
 * How every JSON Schema failure is classified: source `schema`, status 400, for the producer to
 * fix.
 */
export const schemaFailure: Rule = rule(
  'schema',
  400,
  'fix',
  'The message does not match a SOM 1.0 schema.',
);

/**
 * The error codes of the skill catalogue and their statuses, in addition to the rules that all
 * routes share. They are not rules: their response is `{code, message}`, and it says nothing about
 * a SOM message.
 */
export const skillErrors = { 'skills.version_unknown': 404, 'skills.unreadable': 400 } as const;

export type SkillErrorCode = keyof typeof skillErrors;

const ruleIds = (): readonly RuleId[] => Object.keys(rules) as RuleId[];

const inSnapshots: ReadonlySet<string> = new Set<RuleId>([
  'content_refs.source_unresolved',
  'editorial_source.received_after_update',
]);

/**
 * The rules that a message of a type is checked against, but for those of its schema: of the
 * message and its sender first, then of a story's snapshots.
 */
export const rulesOfType = (messageType: string): readonly RuleId[] => {
  const ofAll: readonly RuleId[] = [
    ...ruleIds().filter(id => id.startsWith('message.') || id.startsWith('som_version.')),
    'payload.message_type_mismatch',
    'message_type.unknown',
    'producer.system_id_not_allowed',
    'producer.message_type_not_allowed',
    'message_id.reused',
  ];
  if (messageType !== 'story.context') return ofAll;
  const ofSnapshots = ruleIds().filter(
    id => rules[id].source === 'sequence' || inSnapshots.has(id),
  );
  return [...ofAll, ...ofSnapshots];
};

/**
 * The name of a rule's page in `docs/rules`: schema failures share one for their family; undefined
 * for a rule that is not known.
 */
export const rulePage = (id: string): string | undefined => {
  if (Object.hasOwn(rules, id)) return id;
  const [family = ''] = id.split('.');
  return schemaNames.some(name => name === family) ? family : undefined;
};
