import { limits } from '../../contract/limits.ts';
import type { RuleId } from '../../contract/rules.ts';
import { type Violation, violation } from '../../contract/violation.ts';
import { JsonTokens } from './json-tokens.ts';
import { pointerTo } from './pointer.ts';
import { quoteValue, shorten } from './quote-value.ts';

const loneSurrogate = /\p{Surrogate}/u;
const undeliverable = /[\ufffe\uffff]/;

/**
 * Reads a text as strict JSON and collects what is wrong with it. It is slow next to JSON.parse, and only asked
 * when something is wrong already or may be. Its methods answer whether to read on.
 */
class JsonInspector {
  faults: readonly Violation[] = [];
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
    } else if (this.#object() && this.#tokens.peek() !== undefined) this.#expected('the end of the message');
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
    if (names.has(name)) {
      this.#report('message.duplicate_member', `The object has ${quoteValue(name)} twice; keep one of them.`);
    }
    names.add(name);
    if (!this.#tokens.skip(':')) return this.#expected('":"');
    if (!this.#value()) return false;
    this.#path.pop();
    return this.#goesOn();
  }

  #array(): boolean {
    if (!this.#open('[')) return false;
    if (this.#tokens.skip(']')) return true;
    let i = 0;
    do {
      this.#path.push(i++);
      if (!this.#value()) return false;
      this.#path.pop();
      if (!this.#goesOn()) return false;
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
    if (token.includes('\\u') && loneSurrogate.test(value)) {
      this.#report(
        'message.invalid_character',
        'A string here has half of a surrogate pair; write both halves.',
      );
    }
    if (undeliverable.test(token)) {
      this.#report(
        'message.invalid_character',
        'A string here has U+FFFE or U+FFFF; queues cannot carry it, leave it out.',
      );
    }
    return value;
  }

  #number(): boolean {
    const token = this.#tokens.number();
    if (token === undefined) return this.#expected('a value');
    if (!Number.isFinite(Number(token))) {
      this.#report(
        'message.not_json',
        `The number ${shorten(token)} is beyond a double (RFC 7493 section 2.2).`,
      );
    }
    return true;
  }

  #goesOn(): boolean {
    return this.faults.length < limits.violationsReported;
  }

  #report(rule: RuleId, message: string): void {
    this.faults = [...this.faults, violation(rule, message, pointerTo(this.#path))];
  }

  #expected(what: string): false {
    return this.#notJson(`Not JSON at ${this.#tokens.where()}, expected ${what}.`);
  }

  /** What is no JSON has no members and strings to complain about: this stays the only fault. */
  #notJson(message: string): false {
    if (this.#isJson) this.faults = [violation('message.not_json', message)];
    this.#isJson = false;
    return false;
  }
}

/** What keeps a text from being strict I-JSON (RFC 7493) with an object at the top; empty when nothing does. */
export const inspectJson = (text: string): readonly Violation[] => {
  const inspector = new JsonInspector(text);
  inspector.document();
  return inspector.faults;
};
