import { limits } from '../../contract/limits.ts';
import {
  type Family,
  messageTypes,
  type SchemaName,
  typesWithoutSchema,
} from '../../contract/message-types.ts';
import type { SchemaRuleId, Violation } from '../../contract/refusals.ts';
import { schemaFailure } from '../../contract/rules.ts';
import * as som from '../../generated/som-1.generated.js';
import { nearest } from '../../platform/json/nearest.ts';
import {
  isJsonObject,
  type JsonObject,
  quoteValue,
  shorten,
  textOf,
  valueAt,
} from '../../platform/json/value.ts';

/** What the conditions (`if`, `not`) of the payloads' schemas say, by how the type begins. */
const payloadConditions: readonly (readonly [string, string])[] = [
  [
    'story.context',
    'lifecycle goes with story_type ACTIVE: it is required then, and forbidden otherwise.',
  ],
  [
    'telling.',
    'telling.started needs exposure_start and has no exposure_end; telling.ended needs ' +
      'exposure_end; telling.exposed needs both.',
  ],
  [
    'link.',
    'link.committed needs committed_by and committed_at; only link.withdrawn has withdrawn, and it needs it.',
  ],
];

/** Members that decide which form their object has, and so which conditions it must meet. */
const deciders: ReadonlySet<string> = new Set(['message_type', 'story_type', 'author']);

/** Members that only some forms require. */
const conditional: ReadonlySet<string> = new Set([
  'lifecycle',
  'exposure_start',
  'exposure_end',
  'committed_by',
  'committed_at',
  'withdrawn',
]);

/** The member that is missing; empty if the failure is about something else. */
const missing = ({ params }: som.SchemaFailure): string => textOf(params, 'missingProperty');

const isCondition = (failure: som.SchemaFailure): boolean =>
  failure.keyword === 'if' || failure.keyword === 'not' || conditional.has(missing(failure));

/** Whether a failure says that one of two members must be there. Its branches fail, too. */
const isEither = ({ keyword, instancePath }: som.SchemaFailure): boolean =>
  keyword === 'anyOf' && /^\/payload$|\/(?:media_refs\/\d+|media_range)$/.test(instancePath);

interface Finding {
  readonly failure: som.SchemaFailure;
  /** The member that is missing, and decides whether the failure counts. */
  readonly decider: string | undefined;
}

/** What helps first is 0. */
const rankOf = ({ failure, decider }: Finding): number => {
  if (decider !== undefined) return 2;
  return isEither(failure) ? 0 : 1;
};

/**
 * Failures in the order in which they help. An object without the member that decides between its
 * forms (its `message_type`) fails the conditions of forms that it does not mean: these come last.
 */
const inHelpfulOrder = (failures: readonly som.SchemaFailure[]): readonly Finding[] => {
  const undecided = new Map<string, string>();
  for (const failure of failures) {
    const name = missing(failure);
    if (deciders.has(name)) undecided.set(failure.instancePath, name);
  }
  const findings = failures.map(failure => ({
    failure,
    decider: isCondition(failure) ? undecided.get(failure.instancePath) : undefined,
  }));
  return findings.sort((a, b) => rankOf(a) - rankOf(b));
};

const decideFirst = (decider: string, message: unknown): string => {
  const type =
    decider === 'message_type' ? `: ${quoteValue(valueAt(message, '/message_type'))}` : '';
  return `Add "${decider}"${type} first; it decides what else is needed here.`;
};

const claimCondition =
  'A FACT_CHECK claim needs metric and value, a DETECTION claim detection_class and verdict, ' +
  'a MATCH claim story_id.';

const authorCondition =
  'A HUMAN author has no model and no model_version; remove them, or set the author to MODEL.';

const describeCondition = (path: string, message: unknown): string => {
  if (path.endsWith('/provenance')) return authorCondition;
  if (path.startsWith('/payload/assertions/')) return claimCondition;
  const type = `${valueAt(message, '/message_type')}`;
  const [, words] = payloadConditions.find(([start]) => type.startsWith(start)) ?? [];
  return words ?? 'These members must not be combined; the other violations at this path say why.';
};

const formatHints: Readonly<Record<string, string>> = {
  uuid: 'a UUID such as 0199a1c4-7a2e-7b31-8c55-4d2f9e6a1b07',
  'date-time': 'an RFC 3339 date-time with a zone, such as 2026-09-11T16:41:00Z',
  uri: 'a URI with a scheme, such as https://example.com/script/1',
};

const patternHints: Readonly<Record<string, string>> = {
  '^\\d+\\.\\d+\\.\\d+$': 'three numbers with dots, such as 1.0.0',
  '^[a-z][a-z0-9_.]*$': 'lower-case words with dots, such as story.context',
  '^som\\.[^\\r\\n]*$': 'a topic on one line that starts with som., such as som.story.context',
  '^x-[a-z0-9_]+$': 'a custom value that starts with x-, such as x-drone_feed',
  '^tams://[^/]+/.+': 'a TAMS address such as tams://store/flow',
  '^(newsroom|iptc-mediatopic|com\\.[a-z0-9-]+\\.[a-z0-9-]+)$':
    'newsroom, iptc-mediatopic or com.<vendor>.<list>',
  '^[\\[(](\\d+:\\d+)?_(\\d+:\\d+)?[\\])]$': 'a TAMS time range such as [0:0_10:0)',
};

const listOf = (values: unknown): string =>
  Array.isArray(values) ? values.map(value => `${value}`).join(', ') : `${values}`;

const unknownMember = (name: string, path: string): string => {
  if (path.endsWith('/extensions'))
    return `The extension key "${name}" must start with com.<vendor>., such as com.example.note.`;
  return `SOM 1.0 has no member "${name}" here; remove it, or move it to an extension.`;
};

type Describe = (
  params: som.SchemaFailure['params'],
  found: string,
  failure: som.SchemaFailure,
) => string;

const sentences: Readonly<Record<string, Describe>> = {
  required: ({ missingProperty }) => `The member "${missingProperty}" is missing; add it.`,
  additionalProperties: ({ additionalProperty }, _found, { instancePath }) =>
    unknownMember(shorten(`${additionalProperty}`), instancePath),
  'false schema': () => 'SOM 1.0 forbids this member here; remove it.',
  type: ({ type }, found) => `Found ${found}; expected ${listOf(type)}.`,
  enum: ({ allowedValues }, found) => `Found ${found}; expected one of ${listOf(allowedValues)}.`,
  const: ({ allowedValue }, found) => `Found ${found}; expected "${allowedValue}".`,
  format: ({ format }, found) => `Found ${found}; expected ${formatHints[`${format}`] ?? format}.`,
  pattern: ({ pattern }, found) =>
    `Found ${found}; expected ${patternHints[`${pattern}`] ?? `text like ${pattern}`}.`,
  minimum: ({ limit }, found) => `Found ${found}; expected ${limit} or more.`,
  maximum: ({ limit }, found) => `Found ${found}; expected ${limit} or less.`,
  minLength: ({ limit }, found) => `Found ${found}; expected ${limit} or more characters.`,
  maxLength: ({ limit }, found) => `Found ${found}; expected ${limit} or fewer characters.`,
  uniqueItems: ({ i, j }) => `Items ${j} and ${i} are equal; keep one of them.`,
  anyOf: () =>
    'None of the allowed forms matches; the other violations at this path say why, one for each form.',
};

const describeEither = (path: string): string => {
  if (path.endsWith('/media_range')) return 'This needs "time_range", and "source" or "locator".';
  return 'This needs "source" or "locator"; add one of them.';
};

const describeFailure = ({ failure, decider }: Finding, message: unknown): string => {
  const { keyword, instancePath } = failure;
  if (decider !== undefined) return decideFirst(decider, message);
  if (isEither(failure)) return describeEither(instancePath);
  if (keyword === 'if' || keyword === 'not') return describeCondition(instancePath, message);
  const value = valueAt(message, instancePath);
  const describe = sentences[keyword];
  if (describe === undefined) return `This violates the schema's "${keyword}".`;
  return describe(failure.params, quoteValue(value), failure);
};

const validators: Readonly<Record<SchemaName, som.SchemaValidator>> = {
  envelope: som.envelope,
  'story-context': som.storyContext,
  'telling-event': som.tellingEvent,
  'link-event': som.linkEvent,
  'delivery-media-available': som.deliveryMediaAvailable,
  'system-audit': som.systemAudit,
  'skill-warning': som.skillWarning,
};

/**
 * How strictly a message is checked: `1.0` exactly; `1.x` with open objects and enums, which later
 * versions may extend.
 */
export type Strictness = '1.0' | '1.x';

const openness: Readonly<Record<Strictness, som.Openness>> = {
  '1.0': { open: false },
  '1.x': { open: true },
};

const ruleIdOf = (schema: SchemaName, { keyword, params }: som.SchemaFailure): SchemaRuleId => {
  if (keyword === 'false schema') return `${schema}.false_schema`;
  if (keyword === 'format') return `${schema}.format.${params['format']}`;
  return `${schema}.${keyword}`;
};

/** What a schema finds wrong with a message's envelope, or with its payload. */
const failuresOf = (
  message: JsonObject,
  schema: 'envelope' | Family,
  strictness: Strictness,
): readonly som.SchemaFailure[] => {
  const validate = validators[schema];
  const open = openness[strictness];
  const failures = (isValid: boolean) => (isValid ? [] : (validate.errors ?? []));
  if (schema === 'envelope') return failures(validate.call(open, message));

  const payload = message['payload'];
  // The envelope's schema refuses a payload that is not an object.
  if (!isJsonObject(payload)) return [];
  const isValid = validate.call(open, payload, {
    instancePath: '/payload',
    parentData: message,
    parentDataProperty: 'payload',
  });
  return failures(isValid);
};

/**
 * The schema violations of a message's envelope, or of its payload as one of a family; at least the
 * first 50.
 */
export const schemaViolations = (
  message: JsonObject,
  schema: 'envelope' | Family,
  strictness: Strictness,
): readonly Violation[] => {
  // Each branch of an anyOf may repeat a violation: keep a few times as many as will be reported.
  const most = 4 * limits.violationsReported;
  const failures = failuresOf(message, schema, strictness).slice(0, most);
  return inHelpfulOrder(failures).map(finding => ({
    source: schemaFailure.source,
    rule: ruleIdOf(schema, finding.failure),
    message: describeFailure(finding, message),
    path: finding.failure.instancePath,
  }));
};

/** A reason of a refusal. */
interface Reason {
  readonly rule: string;
  readonly message: string;
  readonly path?: string | undefined;
}

const listed = /^Found "(.*)"; expected one of (.*)\.$/;

/**
 * The right word, or the mistyped one if a member is missing. It is read from the sentences above:
 * who only has a response knows nothing else.
 */
const meant = ({ rule, message, path = '' }: Reason, sent: unknown): string | undefined => {
  if (rule === 'message_type.unknown') {
    const type = String(valueAt(sent, '/message_type'));
    return nearest(type, [...messageTypes, ...typesWithoutSchema]);
  }

  const [, absent] = /^The member "(.*)" is missing/.exec(message) ?? [];
  if (absent !== undefined) {
    const place = valueAt(sent, path);
    if (isJsonObject(place)) return nearest(absent, Object.keys(place));
    return undefined;
  }

  const [, found, values] = listed.exec(message) ?? [];
  if (found === undefined || values === undefined) return undefined;
  return nearest(found, values.split(', '));
};

/**
 * ` Did you mean …?`, if a reason is about a word that is close to a right one; or nothing. `sent`
 * is as much of the message as is known.
 */
export const hintOn = (reason: Reason, sent: unknown): string => {
  const word = meant(reason, sent);
  if (word === undefined) return '';
  // A mistyped member is found by the name that is missing: the question is the other way round.
  if (reason.message.startsWith('The member')) return ` Is "${word}" a misspelling of it?`;
  return ` Did you mean "${word}"?`;
};
