import { limits } from '../../contract/limits.ts';
import { type Violation, violation } from '../../contract/refusals.ts';
import type { RuleId } from '../../contract/rules.ts';
import { pointerTo, quoteValue, shorten } from './value.ts';

const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literal = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them raw
const string = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;

/** The tokens of a JSON text (RFC 8259 section 2), read from a position that only moves forward. */
class JsonTokens {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next character after any whitespace; undefined at the end. */
  peek(): string | undefined {
    // JSON has four whitespace characters, and all of them sort below any character that opens a
    // token.
    if (this.#text.charCodeAt(this.#at) <= 0x20) this.#take(space);
    return this.#text[this.#at];
  }

  ahead(length: number): string {
    return this.#text.slice(this.#at, this.#at + length);
  }

  skip(character: string): boolean {
    if (this.peek() !== character) return false;
    this.#at++;
    return true;
  }

  number(): string | undefined {
    return this.#take(number);
  }

  literal(): string | undefined {
    const first = this.#text[this.#at];
    if (first === 't' || first === 'f' || first === 'n') return this.#take(literal);
    return undefined;
  }

  /**
   * A string with its quotes; undefined for a broken one, and the position is then where it breaks.
   */
  string(): string | undefined {
    const token = this.#take(string);
    if (token === undefined || this.#text[this.#at] !== '"') return undefined;
    this.#at++;
    return `${token}"`;
  }

  /** `line 3, column 7: found "x"`, counted from 1 in characters. */
  where(): string {
    const before = this.#text.slice(0, this.#at);
    const line = before.split('\n').length;
    const column = this.#at - before.lastIndexOf('\n');
    const character = this.#text[this.#at];
    return (
      `line ${line}, column ${column}: found ` +
      `${character === undefined ? 'the end' : JSON.stringify(character)}`
    );
  }

  #take(token: RegExp): string | undefined {
    token.lastIndex = this.#at;
    const match = token.exec(this.#text);
    if (match === null) return undefined;
    this.#at = token.lastIndex;
    return match[0];
  }
}

const loneSurrogate = /\p{Surrogate}/u;
const undeliverable = /[\ufffe\uffff]/;

/**
 * Reads a text as strict JSON and collects what is wrong with it. It is slow compared with
 * JSON.parse, so it is used only when something is wrong or may be. Its methods return whether to
 * read on.
 */
class JsonInspector {
  errors: readonly Violation[] = [];
  #isJson = true;
  readonly #path: (string | number)[] = [];
  readonly #tokens: JsonTokens;

  constructor(text: string) {
    this.#tokens = new JsonTokens(text);
  }

  document(): void {
    const first = this.#tokens.peek();
    if (first === undefined) this.#notJson('The body is empty; expected one JSON object.');
    else if (first !== '{') {
      const found = JSON.stringify(shorten(this.#tokens.ahead(41)));
      this.#notJson(`The body begins with ${found}; expected one JSON object.`);
    } else if (this.#object() && this.#tokens.peek() !== undefined)
      this.#expected('the end of the message');
  }

  #value(): boolean {
    const first = this.#tokens.peek();
    if (first === '{') return this.#object();
    if (first === '[') return this.#array();
    if (first === '"') return this.#string() !== undefined;
    return this.#tokens.literal() !== undefined || this.#number();
  }

  #object(): boolean {
    if (!this.#open('{')) return false;
    if (this.#tokens.skip('}')) return true;
    const names = new Set<string>();
    do {
      if (!this.#member(names)) return false;
    } while (this.#tokens.skip(','));
    return this.#close('}');
  }

  #member(names: Set<string>): boolean {
    if (this.#tokens.peek() !== '"') return this.#expected('a member name in double quotes');
    const name = this.#string();
    if (name === undefined) return false;
    this.#path.push(name);
    if (names.has(name))
      this.#report(
        'message.duplicate_member',
        `The object has ${quoteValue(name)} twice; keep one of them.`,
      );
    names.add(name);
    if (!this.#tokens.skip(':')) return this.#expected('":"');
    if (!this.#value()) return false;
    this.#path.pop();
    return this.#mayGoOn();
  }

  #array(): boolean {
    if (!this.#open('[')) return false;
    if (this.#tokens.skip(']')) return true;
    let i = 0;
    do {
      this.#path.push(i++);
      if (!this.#value()) return false;
      this.#path.pop();
      if (!this.#mayGoOn()) return false;
    } while (this.#tokens.skip(','));
    return this.#close(']');
  }

  #open(bracket: '{' | '['): boolean {
    this.#tokens.skip(bracket);
    if (this.#path.length < limits.messageDepth) return true;
    this.#report(
      'message.too_deep',
      `This is nested more than ${limits.messageDepth} levels deep; flatten it.`,
    );
    return false;
  }

  #close(bracket: '}' | ']'): boolean {
    return this.#tokens.skip(bracket) || this.#expected(`"," or "${bracket}"`);
  }

  #string(): string | undefined {
    const token = this.#tokens.string();
    if (token === undefined) {
      this.#expected('a closing quote, or a character or escape that JSON allows in a string');
      return undefined;
    }
    const value: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1);
    if (token.includes('\\u') && loneSurrogate.test(value))
      this.#report(
        'message.invalid_character',
        'This string has only one half of a surrogate pair; write both halves.',
      );
    if (undeliverable.test(token))
      this.#report(
        'message.invalid_character',
        'This string has U+FFFE or U+FFFF, which a queue cannot carry; leave it out.',
      );
    return value;
  }

  #number(): boolean {
    const token = this.#tokens.number();
    if (token === undefined) return this.#expected('a value');
    if (!Number.isFinite(Number(token)))
      this.#report(
        'message.not_json',
        `The number ${shorten(token)} is too large for a double (RFC 7493 section 2.2).`,
      );
    return true;
  }

  #mayGoOn(): boolean {
    return this.errors.length < limits.violationsReported;
  }

  #report(rule: RuleId, message: string): void {
    this.errors = [...this.errors, violation(rule, message, pointerTo(this.#path))];
  }

  #expected(what: string): false {
    return this.#notJson(`Not JSON at ${this.#tokens.where()}, expected ${what}.`);
  }

  /** A text that is not JSON has only this one error: its members and strings do not count. */
  #notJson(message: string): false {
    if (this.#isJson) this.errors = [violation('message.not_json', message)];
    this.#isJson = false;
    return false;
  }
}

/**
 * What is wrong with a text that should be one strict I-JSON object (RFC 7493); empty when nothing
 * is.
 */
export const inspectJson = (text: string): readonly Violation[] => {
  const inspector = new JsonInspector(text);
  inspector.document();
  return inspector.errors;
};
