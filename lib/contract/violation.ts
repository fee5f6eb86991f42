import type { Rule, Source } from './rule.ts';
import { type RuleId, rules, schemaFailure } from './rules.ts';
import type { SchemaName } from './schema-names.ts';

/** A JSON Schema failure: `<family>.<keyword>`, with `false schema` written `false_schema` and formats as `format.<name>`. */
export type SchemaRuleId = `${SchemaName}.${string}`;

/** One reason in an answer. `message` is for people and may change; `rule` is stable. */
export interface Violation {
  readonly source: Source;
  readonly rule: RuleId | SchemaRuleId;
  readonly message: string;
  /** JSON Pointer (RFC 6901) into the submitted message. */
  readonly path?: string;
}

/** The catalogue's row of a rule id. */
export const ruleOf = (id: Violation['rule']): Rule =>
  Object.hasOwn(rules, id) ? rules[id as RuleId] : schemaFailure;

/** A violation of a catalogued rule; `message` defaults to the rule's meaning. */
export const violation = (id: RuleId, message: string = rules[id].meaning, path?: string): Violation => ({
  source: rules[id].source,
  rule: id,
  message,
  ...(path === undefined ? {} : { path }),
});
