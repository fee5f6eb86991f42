import { differenceOf, unionOf } from './compare.ts';
import { addNumbers, negatedNumber } from './numbers.ts';
import type { Placeholders } from './placeholders.ts';
import { invalid } from './requests.ts';
import { invalidExpression, rememberParsed, Tokens } from './tokens.ts';
import { type Attributes, attributeOf, setAttribute, typeOf, type Value } from './values.ts';

type Operand<V> = { readonly value: V } | { readonly attribute: string; readonly orElse?: Operand<V> };

type Source<V> =
  | Operand<V>
  | { readonly sign: '+' | '-'; readonly operands: readonly [Operand<V>, Operand<V>] };

type Action<V> =
  | { readonly action: 'SET'; readonly attribute: string; readonly to: Source<V> }
  | { readonly action: 'REMOVE'; readonly attribute: string }
  | { readonly action: 'ADD' | 'DELETE'; readonly attribute: string; readonly value: V };

/** An action whose names and values are known, and whose values have types that it accepts. */
export type BoundAction = Action<Value>;

const sections = ['SET', 'REMOVE', 'ADD', 'DELETE'] as const;

/** Parses by the grammar of "Using update expressions in DynamoDB" (Amazon DynamoDB Developer Guide). */
class UpdateParser {
  readonly #tokens: Tokens;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  whole(): readonly Action<string>[] {
    const actions: Action<string>[] = [];
    const seen = new Set<string>();
    do {
      const section = sections.find(word => this.#tokens.takeWord(word));
      if (section === undefined) throw this.#tokens.syntaxError();
      if (seen.has(section))
        throw this.#tokens.error(`The "${section}" section can only be used once in an update expression;`);
      seen.add(section);
      do actions.push(this.#action(section));
      while (this.#tokens.take(','));
    } while (this.#tokens.peek() !== undefined);
    return actions;
  }

  #action(action: (typeof sections)[number]): Action<string> {
    const attribute = this.#tokens.attribute();
    if (action === 'REMOVE') return { action, attribute };
    if (action === 'SET') {
      this.#tokens.expect('=');
      return { action, attribute, to: this.#source() };
    }
    const value = this.#tokens.takeValue();
    if (value === undefined) throw this.#tokens.syntaxError();
    return { action, attribute, value };
  }

  #source(): Source<string> {
    const left = this.#operand();
    const sign = (['+', '-'] as const).find(symbol => this.#tokens.take(symbol));
    if (sign === undefined) return left;
    return { sign, operands: [left, this.#operand()] };
  }

  #operand(): Operand<string> {
    const tokens = this.#tokens;
    const value = tokens.takeValue();
    if (value !== undefined) return { value };
    if (!tokens.atCall()) return { attribute: tokens.attribute() };
    const [, [first, orElse]] = tokens.call({ if_not_exists: 2 }, () => this.#operand());
    if (first && orElse && 'attribute' in first && !first.orElse) return { ...first, orElse };
    throw tokens.error('Operator or function requires a document path; operator or function: if_not_exists');
  }
}

const parseUpdate = rememberParsed((text: string) =>
  new UpdateParser(new Tokens('UpdateExpression', text)).whole(),
);

const kind = 'UpdateExpression';

const wrongType = (operator: string, value: Value) =>
  invalidExpression(
    kind,
    `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${typeOf(value)}`,
  );

class Binder {
  readonly #placeholders: Placeholders;

  constructor(placeholders: Placeholders) {
    this.#placeholders = placeholders;
  }

  action(action: Action<string>): BoundAction {
    const attribute = this.#placeholders.attribute(kind, action.attribute);
    if (action.action === 'REMOVE') return { action: 'REMOVE', attribute };
    if (action.action === 'SET') return { action: 'SET', attribute, to: this.#source(action.to) };
    const value = this.#placeholders.value(kind, action.value);
    const isAllowed = 'SS' in value || 'NS' in value || (action.action === 'ADD' && 'N' in value);
    if (!isAllowed) throw wrongType(action.action, value);
    return { action: action.action, attribute, value };
  }

  #source(source: Source<string>): Source<Value> {
    if (!('sign' in source)) return this.#operand(source);
    const { sign, operands } = source;
    const [left, right] = [this.#operand(operands[0]), this.#operand(operands[1])];
    for (const operand of [left, right])
      if ('value' in operand && !('N' in operand.value)) throw wrongType(sign, operand.value);
    return { sign, operands: [left, right] };
  }

  #operand(operand: Operand<string>): Operand<Value> {
    if ('value' in operand) return { value: this.#placeholders.value(kind, operand.value) };
    const attribute = this.#placeholders.attribute(kind, operand.attribute);
    const orElse = operand.orElse && this.#operand(operand.orElse);
    if (orElse && 'attribute' in orElse && orElse.attribute === attribute)
      throw invalidExpression(
        kind,
        'The first operand must be distinct from the remaining operands; operator: if_not_exists',
      );
    return { attribute, ...(orElse && { orElse }) };
  }
}

/** The actions of an update expression, ready to be applied. @throws AwsError if the expression is not valid */
export const boundUpdate = (text: string, placeholders: Placeholders): readonly BoundAction[] => {
  const binder = new Binder(placeholders);
  const actions = parseUpdate(text).map(action => binder.action(action));
  const names = actions.map(({ attribute }) => attribute);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice === undefined) return actions;
  throw invalidExpression(
    kind,
    `Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [${twice}], path two: [${twice}]`,
  );
};

const wrongOperand = () => invalid('An operand in the update expression has an incorrect data type');

const evaluate = (item: Attributes, source: Source<Value>): Value => {
  if ('value' in source) return source.value;
  if ('sign' in source) {
    const [a, b] = [evaluate(item, source.operands[0]), evaluate(item, source.operands[1])];
    if (!('N' in a) || !('N' in b)) throw wrongOperand();
    return { N: addNumbers(a.N, source.sign === '+' ? b.N : negatedNumber(b.N)) };
  }
  const found = attributeOf(item, source.attribute);
  if (found !== undefined) return found;
  if (source.orElse) return evaluate(item, source.orElse);
  throw invalid('The provided expression refers to an attribute that does not exist in the item');
};

const added = (before: Value | undefined, value: Value): Value => {
  if (before === undefined) return value;
  if ('N' in before && 'N' in value) return { N: addNumbers(before.N, value.N) };
  const union = unionOf(before, value);
  if (union === undefined) throw wrongOperand();
  return union;
};

const result = (item: Attributes, action: BoundAction): Value | undefined => {
  if (action.action === 'REMOVE') return undefined;
  if (action.action === 'SET') return evaluate(item, action.to);
  const before = attributeOf(item, action.attribute);
  if (action.action === 'ADD') return added(before, action.value);
  if (before === undefined) return undefined;
  const left = differenceOf(before, action.value);
  if (left === undefined) throw wrongOperand();
  return left === 'empty' ? undefined : left;
};

/** The item after an update. Every action reads the item as it was before. @throws AwsError if an operand does not fit the item */
export const updatedItem = (item: Attributes, actions: readonly BoundAction[]): Attributes => {
  const updated: Record<string, Value> = {};
  const results = new Map(actions.map(action => [action.attribute, result(item, action)]));
  for (const [name, value] of Object.entries(item))
    if (!results.has(name)) setAttribute(updated, name, value);
  for (const [name, value] of results) if (value !== undefined) setAttribute(updated, name, value);
  return updated;
};
