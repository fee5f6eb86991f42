import { type ExpressionKind, type RawPath, rememberParsed, Tokens } from './tokens.ts';

/** A part of a condition that has a value. */
export type Operand =
  | { readonly path: RawPath }
  | { readonly value: string }
  | { readonly call: FunctionName | string; readonly operands: readonly Operand[] };

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type FunctionName =
  | 'attribute_exists'
  | 'attribute_not_exists'
  | 'attribute_type'
  | 'begins_with'
  | 'contains'
  | 'size';

/** The tree of a condition: its names and values are not looked up yet. */
export type Condition =
  | { readonly operator: 'AND' | 'OR'; readonly conditions: readonly [Condition, Condition] }
  | { readonly operator: 'NOT'; readonly condition: Condition }
  | { readonly operator: Comparator | 'BETWEEN' | 'IN'; readonly operands: readonly Operand[] }
  | { readonly operator: 'call'; readonly call: string; readonly operands: readonly Operand[] };

/** Something in parentheses may turn out to be an operand or a condition. */
type Parsed = ({ readonly operand: Operand } | { readonly condition: Condition }) & {
  /** Whether it is in parentheses. */
  readonly grouped?: true;
};

const comparators: readonly string[] = ['=', '<>', '<', '<=', '>', '>='];

const functions: readonly string[] = [
  'attribute_exists',
  'attribute_not_exists',
  'attribute_type',
  'begins_with',
  'contains',
  'size',
];

const updateFunctions: readonly string[] = ['if_not_exists', 'list_append'];

/** Developer Guide, "Condition and filter expressions, operators, and functions". */
const maxChoices = 100;

const keywords = new Set(['AND', 'OR', 'NOT', 'BETWEEN', 'IN']);

/**
 * Parses conditions by the grammar of "Condition and filter expressions, operators, and functions" (Amazon DynamoDB Developer
 * Guide): comparisons first, then NOT, then AND, then OR.
 */
class ConditionParser {
  readonly #tokens: Tokens;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  whole(): Condition {
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

  #joined(operator: 'AND' | 'OR', left: Parsed, right: Parsed): Parsed {
    this.#tokens.countOperator();
    return { condition: { operator, conditions: [this.#asCondition(left), this.#asCondition(right)] } };
  }

  #not(): Parsed {
    if (!this.#tokens.takeWord('NOT')) return this.#comparison();
    this.#tokens.countOperator();
    return { condition: { operator: 'NOT', condition: this.#asCondition(this.#not()) } };
  }

  /** A function may be a condition by itself; no other operand may. */
  #asCondition(parsed: Parsed): Condition {
    if ('condition' in parsed) return parsed.condition;
    const { operand } = parsed;
    if (!('call' in operand)) throw this.#tokens.syntaxError();
    if (operand.call === 'size') this.#misused(operand.call);
    return { operator: 'call', call: operand.call, operands: operand.operands };
  }

  #misused(name: string): void {
    this.#tokens.problem(
      'use',
      `The function is not allowed to be used this way in an expression; function: ${name}`,
    );
  }

  #comparison(): Parsed {
    const left = this.#primary();
    const tokens = this.#tokens;
    const comparator = comparators.find(symbol => tokens.peek() === symbol);
    const compares = comparator !== undefined || tokens.atWord('BETWEEN') || tokens.atWord('IN');
    if (!compares) return left;
    tokens.countOperator();
    if ('condition' in left) throw tokens.syntaxError();
    const first = this.#compared(left.operand);
    if (comparator !== undefined) {
      tokens.expect(comparator);
      return { condition: { operator: comparator as Comparator, operands: [first, this.#comparedNext()] } };
    }
    return { condition: tokens.takeWord('BETWEEN') ? this.#between(first) : this.#in(first) };
  }

  #between(first: Operand): Condition {
    const lower = this.#comparedNext();
    this.#tokens.expectWord('AND');
    return { operator: 'BETWEEN', operands: [first, lower, this.#comparedNext()] };
  }

  #in(first: Operand): Condition {
    this.#tokens.expectWord('IN');
    this.#tokens.expect('(');
    const operands = [first, this.#comparedNext()];
    while (this.#tokens.take(',')) operands.push(this.#comparedNext());
    this.#tokens.expect(')');
    const choices = operands.length - 1;
    if (choices > maxChoices)
      this.#tokens.problem(
        'count',
        `The IN operator is provided with too many operands; number of operands: ${choices}`,
      );
    return { operator: 'IN', operands };
  }

  #comparedNext(): Operand {
    return this.#compared(this.#operand());
  }

  /** Only `size` has a value that can be compared. */
  #compared(operand: Operand): Operand {
    if ('call' in operand && operand.call !== 'size' && functions.includes(operand.call))
      this.#misused(operand.call);
    return operand;
  }

  /** An operand, or anything in parentheses. */
  #primary(): Parsed {
    const tokens = this.#tokens;
    if (!tokens.take('(')) return { operand: this.#bareOperand() };
    const inner = this.#or();
    if (inner.grouped) this.#redundant();
    tokens.expect(')');
    return { ...inner, grouped: true };
  }

  #redundant(): void {
    this.#tokens.problem('parentheses', 'The expression has redundant parentheses;');
  }

  #operand(): Operand {
    const tokens = this.#tokens;
    if (!tokens.take('(')) return this.#bareOperand();
    if (tokens.peek() === '(') this.#redundant();
    const operand = this.#operand();
    tokens.expect(')');
    return operand;
  }

  #bareOperand(): Operand {
    const tokens = this.#tokens;
    const value = tokens.takePlaceholder(':');
    if (value !== undefined) return { value };
    if (keywords.has(tokens.peek()?.toUpperCase() ?? '')) throw tokens.syntaxError();
    if (tokens.atName() && tokens.peek(1) === '(') return this.#call();
    return { path: tokens.path() };
  }

  #call(): Operand {
    const tokens = this.#tokens;
    const { call, operands } = tokens.takeCall(() => this.#operand());
    if (updateFunctions.includes(call))
      tokens.problem('function', `The function is not allowed in a condition expression; function: ${call}`);
    else if (!functions.includes(call))
      tokens.problem('function', `Invalid function name; function: ${call}`);
    return { call, operands };
  }
}

type ConditionKind = Exclude<ExpressionKind, 'ProjectionExpression' | 'UpdateExpression'>;

const parserOf = (kind: ConditionKind) =>
  rememberParsed((text: string): Condition => new ConditionParser(new Tokens(kind, text)).whole());

const parsers: Readonly<Record<ConditionKind, (text: string) => Condition>> = {
  ConditionExpression: parserOf('ConditionExpression'),
  FilterExpression: parserOf('FilterExpression'),
  KeyConditionExpression: parserOf('KeyConditionExpression'),
};

/**
 * The tree of an expression.
 *
 * @throws AwsError if it does not follow the grammar
 */
export const parseCondition = (kind: ConditionKind, text: string): Condition => parsers[kind](text);
