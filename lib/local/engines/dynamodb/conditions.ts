import type { ExpressionReader } from './expression.ts';
import { type Attributes, attributeOf, compareValues, sameValues, type Value } from './values.ts';

/** Whether an item, which may be empty, fulfils a ConditionExpression. */
export type Condition = (item: Attributes) => boolean;

type Operand = (item: Attributes) => Value | undefined;

/** DynamoDB's function `size`; undefined for types that have none. */
const sizeOf = (value: Value): number | undefined => {
  if ('S' in value) return value.S.length;
  if ('B' in value) return value.B.length;
  if ('L' in value) return value.L.length;
  if ('M' in value) return Object.keys(value.M).length;
  if ('SS' in value) return value.SS.length;
  return 'NS' in value ? value.NS.length : undefined;
};

const contains = (container: Value, member: Value): boolean => {
  if ('S' in container) return 'S' in member && container.S.includes(member.S);
  if ('SS' in container) return 'S' in member && container.SS.includes(member.S);
  if ('NS' in container) return 'N' in member && container.NS.includes(member.N);
  if ('B' in container)
    return 'B' in member && Buffer.from(container.B).includes(Buffer.from(member.B));
  return 'L' in container && container.L.some(element => sameValues(element, member));
};

const comparators = ['=', '<>', '<', '<=', '>', '>='] as const;

const compares = (
  sign: (typeof comparators)[number],
  a: Value | undefined,
  b: Value | undefined,
): boolean => {
  if (sign === '<>') return !(a && b && sameValues(a, b));
  if (!a || !b) return false;
  if (sign === '=') return sameValues(a, b);
  const order = compareValues(a, b);
  if (order === undefined) return false;
  if (order === 0) return sign.endsWith('=');
  return order < 0 === sign.startsWith('<');
};

/**
 * Reads what the adapters use of "Condition and filter expressions, operators, and functions"
 * (Amazon DynamoDB Developer Guide): comparisons first, then NOT, then AND, then OR.
 */
class ConditionReader {
  readonly #expression: ExpressionReader;
  readonly #grouped = new WeakSet<Condition>();

  constructor(expression: ExpressionReader) {
    this.#expression = expression;
  }

  or(): Condition {
    const first = this.#and();
    const parts = [first];
    while (this.#expression.take('OR')) parts.push(this.#and());
    if (parts.length === 1) return first;
    return item => parts.some(part => part(item));
  }

  #and(): Condition {
    const first = this.#not();
    const parts = [first];
    while (this.#expression.take('AND')) parts.push(this.#not());
    if (parts.length === 1) return first;
    return item => parts.every(part => part(item));
  }

  #not(): Condition {
    if (!this.#expression.take('NOT')) return this.#primary();
    const negated = this.#not();
    return item => !negated(item);
  }

  #primary(): Condition {
    if (!this.#expression.take('(')) return this.#test();
    const inner = this.or();
    if (this.#grouped.has(inner))
      throw this.#expression.error('The expression has redundant parentheses;');
    this.#expression.expect(')');
    this.#grouped.add(inner);
    return inner;
  }

  #test(): Condition {
    const expression = this.#expression;
    const name = expression.call('attribute_exists', 'attribute_not_exists', 'contains', 'size');
    if (name === undefined || name === 'size')
      return this.#comparison(name ? this.#size() : this.#operand());
    const attribute = expression.attribute();
    const member = name === 'contains' && expression.expect(',') ? this.#operand() : undefined;
    expression.expect(')');
    if (member === undefined)
      return item => (attributeOf(item, attribute) !== undefined) === (name === 'attribute_exists');
    return item => {
      const all = attributeOf(item, attribute);
      const one = member(item);
      return all !== undefined && one !== undefined && contains(all, one);
    };
  }

  #comparison(first: Operand): Condition {
    const sign = this.#expression.take(...comparators);
    if (sign === undefined) return this.#isIn(first);
    const second = this.#operand();
    return item => compares(sign, first(item), second(item));
  }

  #isIn(first: Operand): Condition {
    this.#expression.expect('IN');
    this.#expression.expect('(');
    const members = [this.#operand()];
    while (this.#expression.take(',')) members.push(this.#operand());
    this.#expression.expect(')');
    return item => members.some(member => compares('=', first(item), member(item)));
  }

  #operand(): Operand {
    const value = this.#expression.value();
    if (value !== undefined) return () => value;
    if (this.#expression.call('size')) return this.#size();
    const attribute = this.#expression.attribute();
    return item => attributeOf(item, attribute);
  }

  #size(): Operand {
    const attribute = this.#expression.attribute();
    this.#expression.expect(')');
    return item => {
      const measured = attributeOf(item, attribute);
      const size = measured && sizeOf(measured);
      if (size === undefined) return undefined;
      return { N: String(size) };
    };
  }
}

/** @throws AwsError if the expression is not valid */
export const readCondition = (expression: ExpressionReader): Condition =>
  new ConditionReader(expression).or();
