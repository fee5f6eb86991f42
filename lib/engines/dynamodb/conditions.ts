import { compareValues, sameValues } from './compare.ts';
import {
  type Comparison,
  type Condition,
  type ConditionKind,
  type Operand,
  type Operator,
  parseCondition,
} from './condition-parser.ts';
import type { Placeholders } from './placeholders.ts';
import { invalidExpression } from './tokens.ts';
import { type Attributes, attributeOf, typeOf, type Value, type ValueType } from './values.ts';

export type BoundCondition = Condition<Value>;

const orderedTypes: readonly ValueType[] = ['S', 'N', 'B'];

const allowedTypes: Readonly<Partial<Record<Operator, readonly ValueType[]>>> = {
  '<': orderedTypes,
  '<=': orderedTypes,
  '>': orderedTypes,
  '>=': orderedTypes,
  BETWEEN: orderedTypes,
  begins_with: ['S', 'B'],
};

const knownType = (operand: Operand<Value>): ValueType | undefined => {
  if ('value' in operand) return typeOf(operand.value);
  return 'sizeOf' in operand ? 'N' : undefined;
};

/** Why a comparison can be true of no item, or is meant otherwise; undefined if it is sound. */
const problemOf = ({ operator, operands }: Comparison<Value>): string | undefined => {
  const [first, ...others] = operands;
  const takesAttribute = operator === 'attribute_exists' || operator === 'attribute_not_exists';
  if (first && takesAttribute && !('attribute' in first))
    return `Operator or function requires a document path; operator or function: ${operator}`;
  const isFirst = (other: Operand<Value>): boolean =>
    first !== undefined &&
    'attribute' in first &&
    'attribute' in other &&
    first.attribute === other.attribute;
  if (others.some(isFirst))
    return `The first operand must be distinct from the remaining operands; operator: ${operator}`;
  const allowed = allowedTypes[operator];
  const wrong = operands.map(knownType).find(type => type && allowed && !allowed.includes(type));
  if (wrong !== undefined)
    return `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${wrong}`;
  return operator === 'BETWEEN' ? problemOfBounds(others) : undefined;
};

const problemOfBounds = ([lower, upper]: readonly Operand<Value>[]): string | undefined => {
  if (!lower || !upper || !('value' in lower) || !('value' in upper)) return undefined;
  const order = compareValues(lower.value, upper.value);
  if (order === undefined) return 'The BETWEEN operator requires same data type for lower and upper bounds';
  return order > 0
    ? 'The BETWEEN operator requires upper bound to be greater than or equal to lower bound'
    : undefined;
};

interface Binding {
  readonly kind: ConditionKind;
  readonly placeholders: Placeholders;
}

const bindOperand = ({ kind, placeholders }: Binding, operand: Operand<string>): Operand<Value> => {
  if ('value' in operand) return { value: placeholders.value(kind, operand.value) };
  return 'sizeOf' in operand
    ? { sizeOf: placeholders.attribute(kind, operand.sizeOf) }
    : { attribute: placeholders.attribute(kind, operand.attribute) };
};

const bind = (binding: Binding, condition: Condition<string>): BoundCondition => {
  if ('joint' in condition) {
    const [left, right] = condition.conditions;
    return { joint: condition.joint, conditions: [bind(binding, left), bind(binding, right)] };
  }
  if ('not' in condition) return { not: bind(binding, condition.not) };
  const operands = condition.operands.map(operand => bindOperand(binding, operand));
  const bound = { operator: condition.operator, operands };
  const problem = problemOf(bound);
  if (problem !== undefined) throw invalidExpression(binding.kind, problem);
  return bound;
};

/** The condition of an expression, ready to be evaluated. @throws AwsError if the expression is not valid */
export const boundCondition = (
  kind: ConditionKind,
  text: string,
  placeholders: Placeholders,
): BoundCondition => bind({ kind, placeholders }, parseCondition[kind](text));

/** DynamoDB's function `size`; undefined for types that have none. */
const sizeOf = (value: Value): number | undefined => {
  if ('S' in value) return value.S.length;
  if ('B' in value) return value.B.length;
  if ('L' in value) return value.L.length;
  if ('M' in value) return Object.keys(value.M).length;
  if ('SS' in value) return value.SS.length;
  return 'NS' in value ? value.NS.length : undefined;
};

const operandValue = (item: Attributes, operand: Operand<Value>): Value | undefined => {
  if ('value' in operand) return operand.value;
  if ('attribute' in operand) return attributeOf(item, operand.attribute);
  const measured = attributeOf(item, operand.sizeOf);
  const size = measured && sizeOf(measured);
  return size === undefined ? undefined : { N: String(size) };
};

const contains = (container: Value, member: Value): boolean => {
  if ('S' in container) return 'S' in member && container.S.includes(member.S);
  if ('SS' in container) return 'S' in member && container.SS.includes(member.S);
  if ('NS' in container) return 'N' in member && container.NS.includes(member.N);
  if ('B' in container) return 'B' in member && Buffer.from(container.B).includes(Buffer.from(member.B));
  return 'L' in container && container.L.some(element => sameValues(element, member));
};

const beginsWith = (value: Value, prefix: Value): boolean => {
  if ('S' in value) return 'S' in prefix && value.S.startsWith(prefix.S);
  if (!('B' in value) || !('B' in prefix)) return false;
  return Buffer.compare(value.B.subarray(0, prefix.B.length), prefix.B) === 0;
};

/** Whether `a` is to `b` as the signs say; never for values that have no order. */
const ordered = (a: Value, b: Value, holds: (sign: number) => boolean): boolean => {
  const sign = compareValues(a, b);
  return sign !== undefined && holds(sign);
};

const tests: Readonly<
  Record<
    Exclude<Operator, 'attribute_exists' | 'attribute_not_exists' | '<>' | 'IN'>,
    (first: Value, second: Value, third?: Value) => boolean
  >
> = {
  '=': sameValues,
  '<': (a, b) => ordered(a, b, sign => sign < 0),
  '<=': (a, b) => ordered(a, b, sign => sign <= 0),
  '>': (a, b) => ordered(a, b, sign => sign > 0),
  '>=': (a, b) => ordered(a, b, sign => sign >= 0),
  BETWEEN: (a, lower, upper) =>
    upper !== undefined && ordered(a, lower, sign => sign >= 0) && ordered(a, upper, sign => sign <= 0),
  begins_with: beginsWith,
  contains,
};

const test = (operator: Operator, values: readonly (Value | undefined)[]): boolean => {
  const [first, second, third] = values;
  if (operator === 'attribute_exists') return first !== undefined;
  if (operator === 'attribute_not_exists') return first === undefined;
  if (operator === '<>') return !(first && second && sameValues(first, second));
  if (operator === 'IN')
    return first !== undefined && values.slice(1).some(value => value && sameValues(first, value));
  if (first === undefined || second === undefined) return false;
  return tests[operator](first, second, third);
};

export const conditionHolds = (condition: BoundCondition, item: Attributes): boolean => {
  if ('joint' in condition) {
    const [left, right] = condition.conditions;
    if (condition.joint === 'AND') return conditionHolds(left, item) && conditionHolds(right, item);
    return conditionHolds(left, item) || conditionHolds(right, item);
  }
  if ('not' in condition) return !conditionHolds(condition.not, item);
  return test(
    condition.operator,
    condition.operands.map(operand => operandValue(item, operand)),
  );
};
