import { limits } from '../contract/limits.ts';
import type { Family, SchemaName } from '../contract/message-types.ts';
import type { SchemaRuleId, Violation } from '../contract/refusals.ts';
import { schemaFailure } from '../contract/rules.ts';
import * as som from '../generated/som-1.generated.js';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import { describeFailure, inHelpfulOrder } from './describe-failure.ts';

const validators: Readonly<Record<SchemaName, som.SchemaValidator>> = {
  envelope: som.envelope,
  'story-context': som.storyContext,
  'telling-event': som.tellingEvent,
  'link-event': som.linkEvent,
  'delivery-media-available': som.deliveryMediaAvailable,
  'system-audit': som.systemAudit,
  'skill-warning': som.skillWarning,
};

/** How strictly a message is checked: `1.0` exactly; `1.x` with open objects and enums, which later versions may extend. */
export type Strictness = '1.0' | '1.x';

const openness: Readonly<Record<Strictness, som.Openness>> = {
  '1.0': { open: false },
  '1.x': { open: true },
};

const ruleIdOf = (schema: SchemaName, { keyword, params }: som.SchemaFailure): SchemaRuleId => {
  if (keyword === 'false schema') return `${schema}.false_schema`;
  return keyword === 'format' ? `${schema}.format.${params['format']}` : `${schema}.${keyword}`;
};

/** The schema violations of a message's envelope, or of its payload as one of a family; at least the first 50. */
export const schemaViolations = (
  message: JsonObject,
  schema: 'envelope' | Family,
  strictness: Strictness,
): readonly Violation[] => {
  const validate = validators[schema];
  const open = openness[strictness];
  const payload = message['payload'];
  const valid =
    schema === 'envelope'
      ? validate.call(open, message)
      : // The envelope's schema refuses a payload that is not an object.
        !isJsonObject(payload) ||
        validate.call(open, payload, {
          instancePath: '/payload',
          parentData: message,
          parentDataProperty: 'payload',
        });
  if (valid) return [];
  // Each branch of an anyOf may repeat a violation: keep a few times as many as will be reported.
  const failures = (validate.errors ?? []).slice(0, 4 * limits.violationsReported);
  return inHelpfulOrder(failures, message).map(finding => ({
    source: schemaFailure.source,
    rule: ruleIdOf(schema, finding.failure),
    message: describeFailure(finding, message),
    path: finding.failure.instancePath,
  }));
};
