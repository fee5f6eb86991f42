import { type ExpressionKind, rememberParsed, Tokens } from './tokens.ts';

export type Operand<V> = { readonly attribute: string } | { readonly value: V } | { readonly sizeOf: string };

type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Operator =
  | Comparator
  | 'BETWEEN'
  | 'IN'
  | 'attribute_exists'
  | 'attribute_not_exists'
  | 'begins_with'
  | 'contains';

export interface Comparison<V> {
  readonly operator: Operator;
  readonly operands: readonly Operand<V>[];
}

export type Condition<V> =
  | { readonly joint: 'AND' | 'OR'; readonly conditions: readonly [Condition<V>, Condition<V>] }
  | { readonly not: Condition<V> }
  | Comparison<V>;

type Parsed = Operand<string> | Condition<string>;

const isOperand = (parsed: Parsed): parsed is Operand<string> =>
  'attribute' in parsed || 'value' in parsed || 'sizeOf' in parsed;

const comparators: readonly Comparator[] = ['=', '<>', '<', '<=', '>', '>='];

const counts = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  begins_with: 2,
  contains: 2,
  size: 1,
} as const;

const keywords = new Set(['AND', 'OR', 'NOT', 'BETWEEN', 'IN']);

/**
 * Parses conditions by the grammar of "Condition and filter expressions, operators, and functions" (Amazon DynamoDB Developer
 * Guide): comparisons first, then NOT, then AND, then OR. Something in parentheses may turn out to be an operand or a condition.
 */
class ConditionParser {
  readonly #tokens: Tokens;
  readonly #grouped = new WeakSet<Parsed>();

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  whole(): Condition<string> {
    const condition = this.#asCondition(this.#or());
    this.#tokens.end();
    return condition;
  }

  #or(): Parsed {
    let left = this.#and();
    while (this.#tokens.takeWord('OR')) left = this.#joined('OR', left, this.#and());
    return left;
  }

  #and(): Parsed {
    let left = this.#not();
    while (this.#tokens.takeWord('AND')) left = this.#joined('AND', left, this.#not());
    return left;
  }

  #joined(joint: 'AND' | 'OR', left: Parsed, right: Parsed): Parsed {
    return { joint, conditions: [this.#asCondition(left), this.#asCondition(right)] };
  }

  #not(): Parsed {
    if (!this.#tokens.takeWord('NOT')) return this.#comparison();
    return { not: this.#asCondition(this.#not()) };
  }

  #asCondition(parsed: Parsed): Condition<string> {
    if (isOperand(parsed)) throw this.#tokens.syntaxError();
    return parsed;
  }

  #asOperand(parsed: Parsed): Operand<string> {
    if (!isOperand(parsed)) throw this.#tokens.syntaxError();
    return parsed;
  }

  #comparison(): Parsed {
    const left = this.#primary();
    const tokens = this.#tokens;
    const comparator = comparators.find(symbol => tokens.peek() === symbol);
    if (comparator === undefined && !tokens.atWord('BETWEEN') && !tokens.atWord('IN')) return left;
    const first = this.#asOperand(left);
    if (comparator !== undefined) {
      tokens.expect(comparator);
      return { operator: comparator, operands: [first, this.#operand()] };
    }
    return tokens.takeWord('BETWEEN') ? this.#between(first) : this.#in(first);
  }

  #between(first: Operand<string>): Condition<string> {
    const lower = this.#operand();
    if (!this.#tokens.takeWord('AND')) throw this.#tokens.syntaxError();
    return { operator: 'BETWEEN', operands: [first, lower, this.#operand()] };
  }

  #in(first: Operand<string>): Condition<string> {
    this.#tokens.takeWord('IN');
    this.#tokens.expect('(');
    const operands = [first, this.#operand()];
    while (this.#tokens.take(',')) operands.push(this.#operand());
    this.#tokens.expect(')');
    return { operator: 'IN', operands };
  }

  #operand(): Operand<string> {
    return this.#asOperand(this.#primary());
  }

  #primary(): Parsed {
    const tokens = this.#tokens;
    if (!tokens.take('(')) return this.#bare();
    const inner = this.#or();
    if (this.#grouped.has(inner)) throw tokens.error('The expression has redundant parentheses;');
    tokens.expect(')');
    this.#grouped.add(inner);
    return inner;
  }

  #bare(): Parsed {
    const tokens = this.#tokens;
    const value = tokens.takeValue();
    if (value !== undefined) return { value };
    if (keywords.has(tokens.peek()?.toUpperCase() ?? '')) throw tokens.syntaxError();
    return tokens.atCall() ? this.#call() : { attribute: tokens.attribute() };
  }

  #call(): Parsed {
    const [name, operands] = this.#tokens.call(counts, () => this.#operand());
    if (name !== 'size') return { operator: name as keyof typeof counts & Operator, operands }; // one of `counts`
    const [measured] = operands;
    if (measured && 'attribute' in measured) return { sizeOf: measured.attribute };
    throw this.#tokens.error('Operator or function requires a document path; operator or function: size');
  }
}

const parserOf = (kind: ConditionKind) =>
  rememberParsed((text: string) => new ConditionParser(new Tokens(kind, text)).whole());

export type ConditionKind = Extract<ExpressionKind, 'ConditionExpression' | 'KeyConditionExpression'>;

/** The tree of an expression. @throws AwsError if it does not follow the grammar */
export const parseCondition: Readonly<Record<ConditionKind, (text: string) => Condition<string>>> = {
  ConditionExpression: parserOf('ConditionExpression'),
  KeyConditionExpression: parserOf('KeyConditionExpression'),
};
