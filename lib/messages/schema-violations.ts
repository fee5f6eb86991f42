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

/**
 * How closely a message is held to the schemas: `1.0` to the letter; `1.x` without closed objects and closed
 * enums, since later minor versions may add to both.
 */
export type Strictness = '1.0' | '1.x';

const strictly = byName(strict);

/** Loaded when the first message of a later 1.x comes: few do, and a cold start need not wait for it. */
const loosely = (): Validators => {
  const loose: typeof strict = require('../generated/som-1.x.generated.js');
  return byName(loose);
};

let loaded: Validators | undefined;

const validatorsOf = (strictness: Strictness): Validators => {
  if (strictness === '1.0') return strictly;
  loaded ??= loosely();
  return loaded;
};

const ruleIdOf = (schema: SchemaName, { keyword, params }: strict.SchemaFailure): SchemaRuleId => {
  if (keyword === 'false schema') return `${schema}.false_schema`;
  return keyword === 'format' ? `${schema}.format.${params['format']}` : `${schema}.${keyword}`;
};

/** What a message's envelope, or its payload as one of `family`, breaks of its schema: the first 50 at least. */
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
      : // A payload that is no object is the envelope's failure.
        !isJsonObject(payload) ||
        validate(payload, { instancePath: '/payload', parentData: message, parentDataProperty: 'payload' });
  if (valid) return [];
  // The same finding may come once per branch of an anyOf: keep a few times what will be reported.
  return (validate.errors ?? []).slice(0, 4 * limits.violationsReported).map(failure => ({
    source: schemaFailure.source,
    rule: ruleIdOf(schema, failure),
    message: describeFailure(failure, message),
    path: failure.instancePath,
  }));
};
