import { type RawPath, rememberParsed, Tokens } from './tokens.ts';

/** The right side of a SET action. */
export type SetValue =
  | { readonly path: RawPath }
  | { readonly value: string }
  | {
      readonly call: 'if_not_exists' | 'list_append' | '+' | '-' | string;
      readonly operands: readonly SetValue[];
    };

/** One action of an update expression: its names and values are not looked up yet. */
export type UpdateAction =
  | { readonly action: 'SET'; readonly path: RawPath; readonly to: SetValue }
  | { readonly action: 'REMOVE'; readonly path: RawPath }
  | { readonly action: 'ADD' | 'DELETE'; readonly path: RawPath; readonly value: string };

const sections = ['SET', 'REMOVE', 'ADD', 'DELETE'] as const;

const functions: readonly string[] = ['if_not_exists', 'list_append'];

const conditionFunctions: readonly string[] = [
  'attribute_exists',
  'attribute_not_exists',
  'attribute_type',
  'begins_with',
  'contains',
  'size',
];

/** Parses by the grammar of "Using update expressions in DynamoDB" (Amazon DynamoDB Developer Guide). */
class UpdateParser {
  readonly #tokens: Tokens;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  whole(): readonly UpdateAction[] {
    const actions: UpdateAction[] = [];
    const seen = new Set<string>();
    do actions.push(...this.#section(seen));
    while (this.#tokens.peek() !== undefined);
    this.#tokens.end();
    return actions;
  }

  #section(seen: Set<string>): readonly UpdateAction[] {
    const section = sections.find(word => this.#tokens.takeWord(word));
    if (section === undefined) throw this.#tokens.syntaxError();
    if (seen.has(section))
      this.#tokens.problem(
        'section',
        `The "${section}" section can only be used once in an update expression;`,
      );
    seen.add(section);
    const actions = [this.#action(section)];
    while (this.#tokens.take(',')) actions.push(this.#action(section));
    return actions;
  }

  #action(action: (typeof sections)[number]): UpdateAction {
    const path = this.#tokens.path();
    if (action === 'REMOVE') return { action, path };
    if (action === 'SET') {
      this.#tokens.expect('=');
      return { action, path, to: this.#sum() };
    }
    const value = this.#tokens.takePlaceholder(':');
    if (value === undefined) throw this.#tokens.syntaxError();
    return { action, path, value };
  }

  #sum(): SetValue {
    const tokens = this.#tokens;
    const left = this.#operand();
    const call = tokens.take('+') ? '+' : tokens.take('-') ? '-' : undefined;
    if (call === undefined) return left;
    tokens.countOperator();
    return { call, operands: [this.#inner(left), this.#inner(this.#operand())] };
  }

  /** A list cannot be part of a sum. */
  #inner(operand: SetValue): SetValue {
    if ('call' in operand && operand.call === 'list_append')
      this.#tokens.problem(
        'use',
        `The function is not allowed to be used this way in an expression; function: ${operand.call}`,
      );
    return operand;
  }

  #operand(): SetValue {
    const tokens = this.#tokens;
    if (tokens.take('(')) {
      if (tokens.peek() === '(') tokens.problem('parentheses', 'The expression has redundant parentheses;');
      const inner = this.#sum();
      tokens.expect(')');
      return inner;
    }
    const value = tokens.takePlaceholder(':');
    if (value !== undefined) return { value };
    return tokens.atName() && tokens.peek(1) === '(' ? this.#call() : { path: tokens.path() };
  }

  #call(): SetValue {
    const tokens = this.#tokens;
    const { call, operands } = tokens.takeCall(() => this.#operand());
    if (conditionFunctions.includes(call))
      tokens.problem('function', `The function is not allowed in an update expression; function: ${call}`);
    else if (!functions.includes(call))
      tokens.problem('function', `Invalid function name; function: ${call}`);
    return { call, operands };
  }
}

/**
 * The actions of an update expression, in its order.
 *
 * @throws AwsError if it does not follow the grammar
 */
export const parseUpdate = rememberParsed((text: string): readonly UpdateAction[] =>
  new UpdateParser(new Tokens('UpdateExpression', text)).whole(),
);

/** The paths of a projection expression. */
export const parseProjection = rememberParsed((text: string): readonly RawPath[] => {
  const tokens = new Tokens('ProjectionExpression', text);
  const paths = [tokens.path()];
  while (tokens.take(',')) paths.push(tokens.path());
  tokens.end();
  return paths;
});
