import { invalid } from './errors.ts';
import { isReservedWord } from './reserved-words.ts';

/** What an expression is for, as its parameter is called. */
export type ExpressionKind =
  | 'ConditionExpression'
  | 'FilterExpression'
  | 'KeyConditionExpression'
  | 'ProjectionExpression'
  | 'UpdateExpression';

export const invalidExpression = (kind: ExpressionKind, reason: string) =>
  invalid(`Invalid ${kind}: ${reason}`);

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const pattern = /[A-Za-z][A-Za-z0-9_]*|[#:][A-Za-z0-9_]+|[0-9]+|<>|<=|>=|[^\s]/g;

const identifier = /^[A-Za-z]/;

/** Names in a document path: `#name` for a placeholder. A number is an index of a list. */
export type RawPath = readonly (string | number)[];

const maxExpressionBytes = 4096;
const maxIndex = 2 ** 31 - 1;
/** Of operators and functions together (Developer Guide, "Service quotas", expression parameters). */
const maxOperators = 300;

/** Kinds of problems that DynamoDB reports once the whole expression is known to follow the grammar, in this order. */
const problemOrder = ['parentheses', 'function', 'use', 'reserved', 'section', 'index', 'count'] as const;

type Problem = (typeof problemOrder)[number];

/** Reads an expression, token by token. */
export class Tokens {
  readonly kind: ExpressionKind;
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #problems = new Map<Problem, string>();
  #at = 0;
  #operators = 0;

  constructor(kind: ExpressionKind, text: string) {
    this.kind = kind;
    this.#text = text;
    if (text === '') throw invalidExpression(kind, 'The expression can not be empty;');
    if (Buffer.byteLength(text) > maxExpressionBytes)
      throw invalidExpression(
        kind,
        `Expression size has exceeded the maximum allowed size; expression size: ${Buffer.byteLength(text)}`,
      );
    this.#tokens = Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({
      text: found,
      start: index,
      end: index + found.length,
    }));
  }

  /** The next token, or one after it; undefined at the end. */
  peek(ahead = 0): string | undefined {
    return this.#tokens[this.#at + ahead]?.text;
  }

  /** Whether the next token is a keyword; keywords may be written in any case. */
  atWord(word: string): boolean {
    return this.peek()?.toUpperCase() === word;
  }

  /** Takes the next token if it is `text`. */
  take(text: string): boolean {
    if (this.peek() !== text) return false;
    this.#at += 1;
    return true;
  }

  takeWord(word: string): boolean {
    if (!this.atWord(word)) return false;
    this.#at += 1;
    return true;
  }

  expect(text: string): void {
    if (!this.take(text)) throw this.syntaxError();
  }

  expectWord(word: string): void {
    if (!this.takeWord(word)) throw this.syntaxError();
  }

  /** The next token, if it begins with `first`. */
  takePlaceholder(first: '#' | ':'): string | undefined {
    const token = this.peek();
    if (token === undefined || token.length < 2 || !token.startsWith(first)) return undefined;
    this.#at += 1;
    return token;
  }

  /** Whether the next token is a name. */
  atName(): boolean {
    return identifier.test(this.peek() ?? '');
  }

  takeName(): string {
    const token = this.peek();
    if (token === undefined || !identifier.test(token)) throw this.syntaxError();
    this.#at += 1;
    return token;
  }

  path(): RawPath {
    const path: (string | number)[] = [this.#pathName()];
    for (;;) {
      if (this.take('.')) path.push(this.#pathName());
      else if (this.take('[')) path.push(this.#index());
      else return path;
    }
  }

  #pathName(): string {
    const placeholder = this.takePlaceholder('#');
    if (placeholder !== undefined) return placeholder;
    const name = this.takeName();
    if (isReservedWord(name))
      this.problem('reserved', `Attribute name is a reserved keyword; reserved keyword: ${name}`);
    return name;
  }

  #index(): number {
    const token = this.peek() ?? '';
    if (!/^[0-9]/.test(token)) throw this.syntaxError();
    this.#at += 1;
    this.expect(']');
    if (Number(token) > maxIndex)
      this.problem('index', `List index is not within the allowable range; index: [${token}]`);
    return Number(token);
  }

  /** A function with its operands, each read by `operand`. */
  takeCall<T>(operand: () => T): { readonly call: string; readonly operands: readonly T[] } {
    const call = this.takeName();
    this.countOperator();
    this.expect('(');
    const operands = [operand()];
    while (this.take(',')) operands.push(operand());
    this.expect(')');
    return { call, operands };
  }

  countOperator(): void {
    this.#operators += 1;
    if (this.#operators > maxOperators)
      this.problem('count', `The expression contains too many operators; operator count: ${this.#operators}`);
  }

  /** Remembers the first problem of a kind: errors of grammar are reported before it. */
  problem(kind: Problem, message: string): void {
    if (!this.#problems.has(kind)) this.#problems.set(kind, message);
  }

  /** Checks that nothing is left, and that there were no problems. */
  end(): void {
    if (this.peek() !== undefined) throw this.syntaxError();
    for (const kind of problemOrder) {
      const message = this.#problems.get(kind);
      if (message !== undefined) throw invalidExpression(this.kind, message);
    }
  }

  syntaxError() {
    const [before, token, after] = [this.#at - 1, this.#at, this.#at + 1].map(at => this.#tokens[at]);
    const start = before?.start ?? token?.start ?? 0;
    const end = after?.end ?? token?.end ?? this.#text.length;
    const near = this.#text.slice(start, token === undefined ? (before?.end ?? this.#text.length) : end);
    return invalidExpression(this.kind, `Syntax error; token: "${token?.text ?? '<EOF>'}", near: "${near}"`);
  }
}

/** Remembers what `parse` made of the last expressions; the number of different ones in use is small. */
export const rememberParsed = <T>(parse: (text: string) => T): ((text: string) => T) => {
  const known = new Map<string, T>();
  return text => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const parsed = parse(text);
    if (known.size >= maxRemembered) known.clear();
    known.set(text, parsed);
    return parsed;
  };
};

const maxRemembered = 500;
