import { compareValues } from './compare.ts';
import {
  type Comparator,
  type Condition,
  type FunctionName,
  type Operand,
  parseCondition,
} from './conditions.ts';
import { type Path, pathText, samePath } from './paths.ts';
import type { Placeholders } from './placeholders.ts';
import { invalidExpression } from './tokens.ts';
import { typeOf, type Value, type ValueType } from './values.ts';

/** An operand whose names and values are known. */
export type BoundOperand =
  | { readonly path: Path }
  | { readonly value: Value }
  | { readonly sizeOf: BoundOperand };

/** A condition whose names and values are known, and whose operands have types that its operators accept. */
export type BoundCondition =
  | { readonly operator: 'AND' | 'OR'; readonly conditions: readonly [BoundCondition, BoundCondition] }
  | { readonly operator: 'NOT'; readonly condition: BoundCondition }
  | {
      readonly operator: Comparator | 'BETWEEN' | 'IN' | Exclude<FunctionName, 'size'>;
      readonly operands: readonly BoundOperand[];
    };

type ConditionKind = Parameters<typeof parseCondition>[0];

interface Binding {
  readonly kind: ConditionKind;
  readonly placeholders: Placeholders;
}

const fail = ({ kind }: Binding, reason: string) => invalidExpression(kind, reason);

const wrongOperand = (binding: Binding, operator: string, type: string) =>
  fail(
    binding,
    `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`,
  );

/** The type that an operand surely has; undefined for a path. */
const knownType = (operand: BoundOperand): ValueType | undefined => {
  if ('value' in operand) return typeOf(operand.value);
  return 'sizeOf' in operand ? 'N' : undefined;
};

const bindOperand = (binding: Binding, operand: Operand): BoundOperand => {
  if ('path' in operand) return { path: binding.placeholders.path(binding.kind, operand.path) };
  if ('value' in operand) return { value: binding.placeholders.value(binding.kind, operand.value) };
  const [measured, ...others] = operand.operands.map(inner => bindOperand(binding, inner));
  checkCount(binding, operand.call, operand.operands.length);
  if (operand.call !== 'size' || measured === undefined || others.length > 0)
    throw fail(
      binding,
      `The function is not allowed to be used this way in an expression; function: ${operand.call}`,
    );
  checkType(binding, 'size', measured, sizedTypes);
  return { sizeOf: measured };
};

const sizedTypes: readonly ValueType[] = ['S', 'B', 'SS', 'NS', 'BS', 'L', 'M'];
const orderedTypes: readonly ValueType[] = ['S', 'N', 'B'];
const prefixTypes: readonly ValueType[] = ['S', 'B'];
const typeNames: readonly string[] = ['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M'];

const checkType = (
  binding: Binding,
  operator: string,
  operand: BoundOperand,
  allowed: readonly ValueType[],
): void => {
  const type = knownType(operand);
  if (type !== undefined && !allowed.includes(type)) throw wrongOperand(binding, operator, type);
};

const operandCounts: Readonly<Record<string, number>> = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  attribute_type: 2,
  begins_with: 2,
  contains: 2,
  size: 1,
};

const checkCount = (binding: Binding, call: string, count: number): void => {
  if (operandCounts[call] !== count)
    throw fail(
      binding,
      `Incorrect number of operands for operator or function; operator or function: ${call}, number of operands: ${count}`,
    );
};

const checkDistinct = (binding: Binding, operator: string, operands: readonly BoundOperand[]): void => {
  const [first, ...others] = operands;
  if (first === undefined || !('path' in first)) return;
  if (others.some(other => 'path' in other && samePath(first.path, other.path)))
    throw fail(
      binding,
      `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: ${pathText(first.path)}`,
    );
};

const shown = (value: Value): string => {
  const [type, content] = Object.entries(value)[0] ?? [];
  const text = content instanceof Uint8Array ? Buffer.from(content).toString('base64') : String(content);
  return `AttributeValue: {${type}:${text}}`;
};

const checkBounds = (binding: Binding, lower: BoundOperand, upper: BoundOperand): void => {
  if (!('value' in lower) || !('value' in upper)) return;
  const bounds = `lower bound operand: ${shown(lower.value)}, upper bound operand: ${shown(upper.value)}`;
  if (typeOf(lower.value) !== typeOf(upper.value))
    throw fail(binding, `The BETWEEN operator requires same data type for lower and upper bounds; ${bounds}`);
  if ((compareValues(lower.value, upper.value) ?? 0) > 0)
    throw fail(
      binding,
      `The BETWEEN operator requires upper bound to be greater than or equal to lower bound; ${bounds}`,
    );
};

const checkCall = (binding: Binding, call: string, operands: readonly BoundOperand[]): void => {
  const [first, second] = operands;
  if (call === 'attribute_exists' || call === 'attribute_not_exists') {
    if (first !== undefined && !('path' in first))
      throw fail(binding, `Operator or function requires a document path; operator or function: ${call}`);
  } else if (call === 'begins_with') {
    for (const operand of operands) checkType(binding, call, operand, prefixTypes);
  } else if (call === 'attribute_type' && second !== undefined) {
    checkTypeName(binding, second);
  }
};

const checkTypeName = (binding: Binding, operand: BoundOperand): void => {
  if (!('value' in operand) || !('S' in operand.value))
    throw wrongOperand(binding, 'attribute_type', knownType(operand) ?? '{NS,SS,L,BS,N,M,B,BOOL,NULL,S}');
  const type = operand.value.S;
  if (!typeNames.includes(type))
    throw fail(
      binding,
      `Invalid attribute type name found; type: ${type}, valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}`,
    );
};

const isOrdering = (operator: string): boolean => !['=', '<>', 'IN'].includes(operator);

const bindComparison = (
  binding: Binding,
  {
    operator,
    operands,
  }: Extract<Condition, { operands: unknown }> & { operator: Comparator | 'BETWEEN' | 'IN' },
): BoundCondition => {
  const bound = operands.map(operand => bindOperand(binding, operand));
  checkDistinct(binding, operator, operator === 'BETWEEN' ? [] : bound);
  const [, lower, upper] = bound;
  if (isOrdering(operator)) for (const operand of bound) checkType(binding, operator, operand, orderedTypes);
  if (operator === 'BETWEEN' && lower && upper) checkBounds(binding, lower, upper);
  return { operator, operands: bound };
};

const bindCall = (binding: Binding, call: string, operands: readonly Operand[]): BoundCondition => {
  const bound = operands.map(operand => bindOperand(binding, operand));
  checkCount(binding, call, bound.length);
  checkDistinct(binding, call, bound);
  checkCall(binding, call, bound);
  return { operator: call as Exclude<FunctionName, 'size'>, operands: bound };
};

const bind = (binding: Binding, condition: Condition): BoundCondition => {
  if ('conditions' in condition) {
    const [left, right] = condition.conditions;
    return { operator: condition.operator, conditions: [bind(binding, left), bind(binding, right)] };
  }
  if ('condition' in condition) return { operator: 'NOT', condition: bind(binding, condition.condition) };
  if (condition.operator === 'call') return bindCall(binding, condition.call, condition.operands);
  return bindComparison(binding, { ...condition, operator: condition.operator });
};

/**
 * The condition of an expression, ready to be evaluated.
 *
 * @throws AwsError if the expression is not valid
 */
export const boundCondition = (
  kind: ConditionKind,
  text: string,
  placeholders: Placeholders,
): BoundCondition => bind({ kind, placeholders }, parseCondition(kind, text));
