import type { ExpressionReader } from './expression.ts';
import { addNumbers, negatedNumber } from './numbers.ts';
import { invalid } from './requests.ts';
import {
  type Attributes,
  attributeOf,
  differenceOf,
  setAttribute,
  unionOf,
  type Value,
} from './values.ts';

type Operand = (item: Attributes) => Value;

/** What becomes of one attribute, by the item as it was before the update; undefined: it goes. */
interface Action {
  readonly attribute: string;
  result(item: Attributes): Value | undefined;
}

const wrongOperand = () =>
  invalid('An operand in the update expression has an incorrect data type');

const readOperand = (expression: ExpressionReader): Operand => {
  const value = expression.value();
  if (value !== undefined) return () => value;
  if (!expression.call('if_not_exists')) {
    const attribute = expression.attribute();
    return item => {
      const found = attributeOf(item, attribute);
      if (found !== undefined) return found;
      throw invalid(
        'The provided expression refers to an attribute that does not exist in the item',
      );
    };
  }
  const attribute = expression.attribute();
  expression.expect(',');
  const orElse = readOperand(expression);
  expression.expect(')');
  return item => attributeOf(item, attribute) ?? orElse(item);
};

const readSource = (expression: ExpressionReader): Operand => {
  const left = readOperand(expression);
  const sign = expression.take('+', '-');
  if (sign === undefined) return left;
  const right = readOperand(expression);
  return item => {
    const a = left(item);
    const b = right(item);
    if (!('N' in a) || !('N' in b)) throw wrongOperand();
    return { N: addNumbers(a.N, sign === '+' ? b.N : negatedNumber(b.N)) };
  };
};

const added = (before: Value | undefined, value: Value): Value => {
  if (before === undefined) return value;
  if ('N' in before && 'N' in value) return { N: addNumbers(before.N, value.N) };
  const union = unionOf(before, value);
  if (union === undefined) throw wrongOperand();
  return union;
};

const without = (before: Value | undefined, value: Value): Value | undefined => {
  if (before === undefined) return undefined;
  const left = differenceOf(before, value);
  if (left === undefined) throw wrongOperand();
  return left === 'empty' ? undefined : left;
};

const sections = ['SET', 'REMOVE', 'ADD', 'DELETE'] as const;

const readAction = (expression: ExpressionReader, section: (typeof sections)[number]): Action => {
  const attribute = expression.attribute();
  if (section === 'REMOVE') return { attribute, result: () => undefined };
  if (section === 'SET') {
    expression.expect('=');
    return { attribute, result: readSource(expression) };
  }
  const value = expression.requiredValue();
  if (!('SS' in value || 'NS' in value || (section === 'ADD' && 'N' in value)))
    throw expression.error(
      `Incorrect operand type for operator or function; operator or function: ${section}`,
    );
  const change = section === 'ADD' ? added : without;
  return { attribute, result: item => change(attributeOf(item, attribute), value) };
};

/**
 * The actions of an UpdateExpression ("Using update expressions in DynamoDB", Amazon DynamoDB
 * Developer Guide).
 *
 * @throws AwsError if it is not valid
 */
export const readUpdate = (expression: ExpressionReader): readonly Action[] => {
  const actions: Action[] = [];
  const seen = new Set<string>();
  do {
    const section = expression.expect(...sections);
    if (seen.has(section))
      throw expression.error(
        `The "${section}" section can only be used once in an update expression;`,
      );
    seen.add(section);
    do actions.push(readAction(expression, section));
    while (expression.take(','));
  } while (!expression.isAtEnd);
  const names = actions.map(({ attribute }) => attribute);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice === undefined) return actions;
  throw expression.error(`Two document paths overlap with each other; path: [${twice}]`);
};

/**
 * The item after an update. Every action reads the item as it was before.
 *
 * @throws AwsError if an operand does not fit the item
 */
export const applyUpdates = (item: Attributes, actions: readonly Action[]): Attributes => {
  const updated: Record<string, Value> = {};
  const results = new Map(actions.map(action => [action.attribute, action.result(item)]));
  for (const [name, value] of Object.entries(item))
    if (!results.has(name)) setAttribute(updated, name, value);
  for (const [name, value] of results) if (value !== undefined) setAttribute(updated, name, value);
  return updated;
};
