import { limits } from '../contract/limits.ts';
import type { Family, SchemaName } from '../contract/message-types.ts';
import type { SchemaRuleId, Violation } from '../contract/refusals.ts';
import { schemaFailure } from '../contract/rules.ts';
import * as strict from '../generated/som-1.0.generated.js';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import { describeFailure } from './describe-failure.ts';

type Validators = Readonly<Record<SchemaName, strict.SchemaValidator>>;

const byName = (set: typeof strict): Validators => ({
  envelope: set.envelope,
  'story-context': set.storyContext,
  'telling-event': set.tellingEvent,
  'link-event': set.linkEvent,
  'delivery-media-available': set.deliveryMediaAvailable,
  'system-audit': set.systemAudit,
  'skill-warning': set.skillWarning,
});

/** How strictly a message is checked: `1.0` exactly; `1.x` with open objects and enums, which later versions may extend. */
export type Strictness = '1.0' | '1.x';

const strictValidators = byName(strict);

/** Loaded for the first message of a later 1.x: these messages are rare, and a cold start must not wait for it. */
const loadTolerant = (): Validators => {
  const tolerant: typeof strict = require('../generated/som-1.x.generated.js');
  return byName(tolerant);
};

let loaded: Validators | undefined;

const validatorsOf = (strictness: Strictness): Validators => {
  if (strictness === '1.0') return strictValidators;
  loaded ??= loadTolerant();
  return loaded;
};

const ruleIdOf = (schema: SchemaName, { keyword, params }: strict.SchemaFailure): SchemaRuleId => {
  if (keyword === 'false schema') return `${schema}.false_schema`;
  return keyword === 'format' ? `${schema}.format.${params['format']}` : `${schema}.${keyword}`;
};

/** The schema violations of a message's envelope, or of its payload as one of a family; at least the first 50. */
export const schemaViolations = (
  message: JsonObject,
  schema: 'envelope' | Family,
  strictness: Strictness,
): readonly Violation[] => {
  const validate = validatorsOf(strictness)[schema];
  const payload = message['payload'];
  const valid =
    schema === 'envelope'
      ? validate(message)
      : // The envelope's schema refuses a payload that is not an object.
        !isJsonObject(payload) ||
        validate(payload, { instancePath: '/payload', parentData: message, parentDataProperty: 'payload' });
  if (valid) return [];
  // Each branch of an anyOf may repeat a violation: keep a few times as many as will be reported.
  return (validate.errors ?? []).slice(0, 4 * limits.violationsReported).map(failure => ({
    source: schemaFailure.source,
    rule: ruleIdOf(schema, failure),
    message: describeFailure(failure, message),
    path: failure.instancePath,
  }));
};
