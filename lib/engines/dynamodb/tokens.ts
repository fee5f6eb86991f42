import { invalid, unsupported } from './requests.ts';
import { isReservedWord } from './reserved-words.ts';

/** What an expression is for, as its parameter is called. */
export type ExpressionKind =
  | 'ConditionExpression'
  | 'KeyConditionExpression'
  | 'ProjectionExpression'
  | 'UpdateExpression';

export const invalidExpression = (kind: ExpressionKind, reason: string) =>
  invalid(`Invalid ${kind}: ${reason}`);

const pattern = /[A-Za-z][A-Za-z0-9_]*|[#:][A-Za-z0-9_]+|[0-9]+|<>|<=|>=|[^\s]/g;

const identifier = /^[A-Za-z]/;

const maxExpressionBytes = 4096;
/** Of operators and functions together (Developer Guide, "Service quotas", expression parameters). */
const maxOperators = 300;

/** Reads an expression, token by token. */
export class Tokens {
  readonly #kind: ExpressionKind;
  readonly #tokens: readonly string[];
  #at = 0;
  #operators = 0;

  constructor(kind: ExpressionKind, text: string) {
    this.#kind = kind;
    if (text === '') throw this.error('The expression can not be empty;');
    if (Buffer.byteLength(text) > maxExpressionBytes)
      throw this.error('Expression size has exceeded the maximum allowed size');
    this.#tokens = text.match(pattern) ?? [];
  }

  /** The next token, or one after it; undefined at the end. */
  peek(ahead = 0): string | undefined {
    return this.#tokens[this.#at + ahead];
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

  /** The next token, if it is the placeholder of a value. */
  takeValue(): string | undefined {
    const token = this.peek();
    if (token === undefined || token.length < 2 || !token.startsWith(':')) return undefined;
    this.#at += 1;
    return token;
  }

  /** Whether a function begins here. */
  atCall(): boolean {
    return identifier.test(this.peek() ?? '') && this.peek(1) === '(';
  }

  /** The name of an attribute, or its placeholder. */
  attribute(): string {
    const token = this.peek() ?? '';
    if (!identifier.test(token) && !/^#\w/.test(token)) throw this.syntaxError();
    if (isReservedWord(token))
      throw this.error(`Attribute name is a reserved keyword; reserved keyword: ${token}`);
    this.#at += 1;
    if (this.peek() === '.' || this.peek() === '[') throw unsupported('paths into lists and maps');
    return token;
  }

  /** A function with its operands, each read by `operand`; how many it must have is in `counts`. */
  call<T>(counts: Readonly<Record<string, number>>, operand: () => T): readonly [string, readonly T[]] {
    const name = this.peek() ?? '';
    const count = Object.hasOwn(counts, name) ? counts[name] : undefined;
    if (count === undefined) throw this.error(`Invalid function name; function: ${name}`);
    this.#at += 1;
    this.countOperator();
    this.expect('(');
    const operands = [operand()];
    while (this.take(',')) operands.push(operand());
    this.expect(')');
    if (operands.length === count) return [name, operands];
    throw this.error(`Incorrect number of operands for operator or function; operator or function: ${name}`);
  }

  countOperator(): void {
    this.#operators += 1;
    if (this.#operators > maxOperators) throw this.error('The expression contains too many operators');
  }

  /** Checks that nothing is left. */
  end(): void {
    if (this.peek() !== undefined) throw this.syntaxError();
  }

  error(reason: string) {
    return invalidExpression(this.#kind, reason);
  }

  syntaxError() {
    const near = this.#tokens.slice(Math.max(0, this.#at - 1), this.#at + 2).join(' ');
    return this.error(`Syntax error; token: "${this.peek() ?? '<EOF>'}", near: "${near}"`);
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

/** The attributes of a projection expression. */
export const parseProjection = rememberParsed((text: string): readonly string[] => {
  const tokens = new Tokens('ProjectionExpression', text);
  const attributes = [tokens.attribute()];
  while (tokens.take(',')) attributes.push(tokens.attribute());
  tokens.end();
  return attributes;
});
