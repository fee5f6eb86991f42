import type { JsonObject } from '../../../platform/json/value.ts';
import { mapOf, textInput, textMapOf } from '../aws-json/input.ts';
import { invalid } from './requests.ts';
import reservedWords from './reserved-words.json';
import { readValue, type Value } from './values.ts';

const tokens = /[A-Za-z][A-Za-z0-9_]*|[#:][A-Za-z0-9_]+|<>|<=|>=|[^\s]/g;

const identifier = /^[A-Za-z]/;

const maxExpressionBytes = 4096;

/**
 * Amazon DynamoDB Developer Guide, "Reserved words in DynamoDB": expressions need a placeholder for
 * them, in any case.
 */
const reserved: ReadonlySet<string> = new Set(
  Object.values(reservedWords).flatMap(words => words.split(' ')),
);

type Kind = 'ConditionExpression' | 'KeyConditionExpression' | 'UpdateExpression';

/** The names and values that a call's expressions stand for with `#` and `:`. */
export class Placeholders {
  readonly #input: JsonObject;
  readonly #names: ReadonlyMap<string, string>;
  readonly #values: ReadonlyMap<string, Value>;
  readonly #unused: Set<string>;

  constructor(input: JsonObject) {
    this.#input = input;
    const names = textMapOf(input, 'ExpressionAttributeNames');
    const values = mapOf(input, 'ExpressionAttributeValues');
    if ([names, values].some(given => given && Object.keys(given).length === 0))
      throw invalid('ExpressionAttributeNames and ExpressionAttributeValues must not be empty');
    this.#names = new Map(Object.entries(names ?? {}));
    this.#values = new Map(
      Object.entries(values ?? {}).map(([key, value]) => [key, readValue(value)]),
    );
    this.#unused = new Set([...this.#names.keys(), ...this.#values.keys()]);
  }

  name(key: string): string | undefined {
    this.#unused.delete(key);
    return this.#names.get(key);
  }

  value(key: string): Value | undefined {
    this.#unused.delete(key);
    return this.#values.get(key);
  }

  /**
   * What `reader` makes of the call's expression of a kind, which it reads to its end; undefined if
   * the call has none.
   */
  read<T>(kind: Kind, reader: (expression: ExpressionReader) => T): T | undefined {
    const text = textInput(this.#input, kind);
    if (text === undefined) return undefined;
    const expression = new ExpressionReader(kind, text, this);
    const result = reader(expression);
    if (!expression.isAtEnd) throw expression.syntaxError();
    return result;
  }

  checkAllUsed(): void {
    if (this.#unused.size > 0)
      throw invalid(
        `Value provided unused in expressions: keys: {${[...this.#unused].join(', ')}}`,
      );
  }
}

/** The text of an expression, read from its start to its end. */
export class ExpressionReader {
  readonly #kind: Kind;
  readonly #placeholders: Placeholders;
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(kind: Kind, text: string, placeholders: Placeholders) {
    this.#kind = kind;
    this.#placeholders = placeholders;
    this.#tokens = text.match(tokens) ?? [];
    if (Buffer.byteLength(text) > maxExpressionBytes)
      throw this.error('Expression size has exceeded the maximum allowed size');
  }

  /** Takes the next token if it is one of these: symbols, or keywords in any case. */
  take<T extends string>(...wanted: readonly T[]): T | undefined {
    const next = this.#tokens[this.#at]?.toUpperCase();
    const found = wanted.find(each => each === next);
    if (found !== undefined) this.#at += 1;
    return found;
  }

  expect<T extends string>(...wanted: readonly T[]): T {
    const found = this.take(...wanted);
    if (found === undefined) throw this.syntaxError();
    return found;
  }

  /** Takes the name of a function and its opening parenthesis. */
  call<T extends string>(...names: readonly T[]): T | undefined {
    const name = this.#tokens[this.#at] ?? '';
    const next = this.#tokens[this.#at + 1];
    if (next !== '(' || !identifier.test(name)) return undefined;
    const found = names.find(each => each === name);
    if (found === undefined) throw this.error(`Invalid function name; function: ${name}`);
    this.#at += 2;
    return found;
  }

  attribute(): string {
    const token = this.#tokens[this.#at] ?? '';
    const isPlaceholder = token.startsWith('#');
    const name = isPlaceholder ? this.#placeholders.name(token) : token;
    if (name === undefined)
      throw this.error(
        `An expression attribute name used in the document path is not defined; attribute name: ${token}`,
      );
    if (!isPlaceholder && !identifier.test(token)) throw this.syntaxError();
    if (reserved.has(token.toUpperCase()))
      throw this.error(`Attribute name is a reserved keyword; reserved keyword: ${token}`);
    this.#at += 1;
    return name;
  }

  /** Takes the next token if it stands for a value. */
  value(): Value | undefined {
    const token = this.#tokens[this.#at] ?? '';
    if (!token.startsWith(':')) return undefined;
    const value = this.#placeholders.value(token);
    if (value === undefined)
      throw this.error(
        `An expression attribute value used in expression is not defined; attribute value: ${token}`,
      );
    this.#at += 1;
    return value;
  }

  requiredValue(): Value {
    const value = this.value();
    if (value === undefined) throw this.syntaxError();
    return value;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  error(reason: string) {
    return invalid(`Invalid ${this.#kind}: ${reason}`);
  }

  syntaxError() {
    const near = this.#tokens.slice(Math.max(0, this.#at - 1), this.#at + 2).join(' ');
    return this.error(
      `Syntax error; token: "${this.#tokens[this.#at] ?? '<EOF>'}", near: "${near}"`,
    );
  }
}
