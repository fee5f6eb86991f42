import { limits } from '../../contract/limits.ts';
import { type RuleId, type Violation, violation } from '../../contract/rules.ts';
import { pointerTo } from './pointer.ts';
import { quoteValue, shorten } from './quote-value.ts';

const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literal = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them raw
const string = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them raw
const stringBody = /[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;
const loneSurrogate = /\p{Surrogate}/u;
const undeliverable = /[\ufffe\uffff]/;

/**
 * Reads a text as strict JSON and collects what is wrong with it. It is slow next to JSON.parse, and only asked
 * when something is wrong already or may be. Its methods answer whether to read on.
 */
class JsonInspector {
  readonly faults: Violation[] = [];
  #at = 0;
  readonly #path: (string | number)[] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#skipSpace();
    if (this.#text[this.#at] !== '{') return void this.#notAnObject();
    if (!this.#object()) return;
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#syntax('the end of the message');
  }

  #notAnObject(): boolean {
    if (this.#at === this.#text.length) {
      return this.#only('The body is empty; expected one JSON object.');
    }
    const found = shorten(this.#text.slice(this.#at, this.#at + 41));
    return this.#only(`The body begins with ${JSON.stringify(found)}; expected one JSON object.`);
  }

  #value(): boolean {
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === '{') return this.#object();
    if (first === '[') return this.#array();
    if (first === '"') return this.#string() !== undefined;
    return this.#take(literal) !== undefined || this.#number();
  }

  #object(): boolean {
    if (!this.#open()) return false;
    const names = new Set<string>();
    for (let first = true; ; first = false) {
      this.#skipSpace();
      if (first && this.#text[this.#at] === '}') break;
      const name = this.#text[this.#at] === '"' ? this.#string() : undefined;
      if (name === undefined) return this.#syntax(first ? 'a member name or "}"' : 'a member name');
      this.#path.push(name);
      if (names.has(name)) this.#duplicate(name);
      names.add(name);
      this.#skipSpace();
      if (this.#text[this.#at] !== ':') return this.#syntax('":"');
      this.#at++;
      if (!this.#value() || this.#isFull()) return false;
      this.#path.pop();
      this.#skipSpace();
      if (this.#text[this.#at] !== ',') break;
      this.#at++;
    }
    return this.#close('}');
  }

  #array(): boolean {
    if (!this.#open()) return false;
    for (let i = 0; ; i++) {
      this.#skipSpace();
      if (i === 0 && this.#text[this.#at] === ']') break;
      this.#path.push(i);
      if (!this.#value() || this.#isFull()) return false;
      this.#path.pop();
      this.#skipSpace();
      if (this.#text[this.#at] !== ',') break;
      this.#at++;
    }
    return this.#close(']');
  }

  #open(): boolean {
    this.#at++;
    if (this.#path.length < limits.messageDepth) return true;
    this.#report(
      'message.too_deep',
      `Nested more than ${limits.messageDepth} levels deep; flatten the content.`,
    );
    return false;
  }

  #close(bracket: '}' | ']'): boolean {
    if (this.#text[this.#at] !== bracket) return this.#syntax(`"," or "${bracket}"`);
    this.#at++;
    return true;
  }

  #string(): string | undefined {
    const start = this.#at;
    const token = this.#take(string);
    if (token === undefined) {
      stringBody.lastIndex = start + 1;
      stringBody.test(this.#text);
      this.#at = stringBody.lastIndex;
      this.#syntax(
        this.#at === this.#text.length ? 'a closing quote' : 'a character or escape that JSON allows',
      );
      return undefined;
    }
    const value: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1);
    this.#characters(value, token);
    return value;
  }

  #characters(value: string, token: string): void {
    if (token.includes('\\u') && loneSurrogate.test(value)) {
      this.#report(
        'message.invalid_character',
        'A string holds half of a surrogate pair (\\ud800 to \\udfff); write both halves.',
      );
    }
    if (undeliverable.test(token)) {
      this.#report(
        'message.invalid_character',
        'A string holds U+FFFE or U+FFFF, which queues cannot carry; leave it out.',
      );
    }
  }

  #number(): boolean {
    const token = this.#take(number);
    if (token === undefined) return this.#syntax('a value');
    if (Number.isFinite(Number(token))) return true;
    this.#report(
      'message.not_json',
      `The number ${shorten(token)} is too large for a double (RFC 7493 section 2.2).`,
    );
    return true;
  }

  #duplicate(name: string): void {
    this.#report(
      'message.duplicate_member',
      `The member ${quoteValue(name)} is there twice in one object; keep one of them.`,
    );
  }

  #take(token: RegExp): string | undefined {
    token.lastIndex = this.#at;
    const match = token.exec(this.#text);
    if (match === null) return undefined;
    this.#at = token.lastIndex;
    return match[0];
  }

  #skipSpace(): void {
    this.#take(space);
  }

  #isFull(): boolean {
    return this.faults.length >= limits.violationsReported;
  }

  #report(rule: RuleId, message: string): void {
    this.faults.push(violation(rule, message, pointerTo(this.#path)));
  }

  /** A text that is no JSON has no members and strings to complain about. */
  #only(message: string): false {
    this.faults.splice(0, this.faults.length, violation('message.not_json', message));
    return false;
  }

  #syntax(expected: string): false {
    if (this.faults.at(-1)?.message.startsWith('Not JSON')) return false;
    const before = this.#text.slice(0, this.#at);
    const line = before.split('\n').length;
    const column = this.#at - before.lastIndexOf('\n');
    const character = this.#text[this.#at];
    const found = character === undefined ? 'the end' : JSON.stringify(character);
    return this.#only(`Not JSON at line ${line}, column ${column}: found ${found}, expected ${expected}.`);
  }
}

/** What keeps a text from being strict I-JSON (RFC 7493) with an object at the top; empty when nothing does. */
export const inspectJson = (text: string): readonly Violation[] => {
  const inspector = new JsonInspector(text);
  inspector.document();
  return inspector.faults;
};
