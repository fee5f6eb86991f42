import type { BoundCondition, BoundOperand } from './bound-conditions.ts';
import { compareValues, sameValues } from './compare.ts';
import { valueAt } from './paths.ts';
import { type Attributes, typeOf, type Value } from './values.ts';

/** DynamoDB's function `size`; undefined for types that have none. */
const sizeOf = (value: Value): number | undefined => {
  if ('S' in value) return value.S.length;
  if ('B' in value) return value.B.length;
  if ('L' in value) return value.L.length;
  if ('M' in value) return Object.keys(value.M).length;
  if ('SS' in value) return value.SS.length;
  if ('NS' in value) return value.NS.length;
  return 'BS' in value ? value.BS.length : undefined;
};

const operandValue = (item: Attributes, operand: BoundOperand): Value | undefined => {
  if ('path' in operand) return valueAt(item, operand.path);
  if ('value' in operand) return operand.value;
  const measured = operandValue(item, operand.sizeOf);
  const size = measured && sizeOf(measured);
  return size === undefined ? undefined : { N: String(size) };
};

const contains = (container: Value, member: Value): boolean => {
  if ('S' in container) return 'S' in member && container.S.includes(member.S);
  if ('SS' in container) return 'S' in member && container.SS.includes(member.S);
  if ('NS' in container) return 'N' in member && container.NS.includes(member.N);
  if ('B' in container) return 'B' in member && Buffer.from(container.B).includes(Buffer.from(member.B));
  if ('BS' in container)
    return 'B' in member && container.BS.some(bytes => Buffer.compare(bytes, member.B) === 0);
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

type Test = Extract<BoundCondition, { operands: unknown }>['operator'];

/** A test of values that are all there. */
const tests: Readonly<
  Record<
    Exclude<Test, 'attribute_exists' | 'attribute_not_exists' | '<>' | 'IN'>,
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
  attribute_type: (a, type) => 'S' in type && typeOf(a) === type.S,
};

const test = (operator: Test, values: readonly (Value | undefined)[]): boolean => {
  const [first, second, third] = values;
  if (operator === 'attribute_exists') return first !== undefined;
  if (operator === 'attribute_not_exists') return first === undefined;
  if (operator === '<>') return !(first && second && sameValues(first, second));
  if (operator === 'IN')
    return first !== undefined && values.slice(1).some(value => value && sameValues(first, value));
  if (first === undefined || second === undefined) return false;
  return tests[operator](first, second, third);
};

/** Whether a condition holds for an item. An item that does not exist has no attributes. */
export const conditionHolds = (condition: BoundCondition, item: Attributes): boolean => {
  if ('conditions' in condition) {
    const [left, right] = condition.conditions;
    if (condition.operator === 'AND') return conditionHolds(left, item) && conditionHolds(right, item);
    return conditionHolds(left, item) || conditionHolds(right, item);
  }
  if ('condition' in condition) return !conditionHolds(condition.condition, item);
  return test(
    condition.operator,
    condition.operands.map(operand => operandValue(item, operand)),
  );
};
