const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literal = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them raw
const string = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;

/** A place in a JSON text, and what stands there (RFC 8259 section 2). */
export class JsonTokens {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next character that is no space; undefined at the end. */
  peek(): string | undefined {
    // Only these four are spaces, and all of them are below the first character that opens a token.
    if (this.#text.charCodeAt(this.#at) <= 0x20) this.#take(space);
    return this.#text[this.#at];
  }

  /** The next characters, at most `length`. */
  ahead(length: number): string {
    return this.#text.slice(this.#at, this.#at + length);
  }

  /** Steps over `character` if it is next. */
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
    return first === 't' || first === 'f' || first === 'n' ? this.#take(literal) : undefined;
  }

  /** A string with its quotes; where it is broken, the place moves to what breaks it. */
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
    return `line ${line}, column ${column}: found ${character === undefined ? 'the end' : JSON.stringify(character)}`;
  }

  #take(token: RegExp): string | undefined {
    token.lastIndex = this.#at;
    const match = token.exec(this.#text);
    if (match === null) return undefined;
    this.#at = token.lastIndex;
    return match[0];
  }
}
