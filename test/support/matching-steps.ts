import { parse } from 'regexp-tree';
import type { Assertion, AstNode, Repetition } from 'regexp-tree/ast';

/** Continues a match from a position; whether all the rest matches. */
type Rest = (at: number) => boolean;
type Matcher = (at: number, rest: Rest) => boolean;

const wordCharacter = /^\w$/;

/** Enough to call it more than linear; an exponential expression would go on for ever. */
const maxSteps = 300_000;

class TooManySteps extends Error {}

const isOneCharacter = ({ type }: { readonly type: string }): boolean =>
  type === 'Char' || type === 'CharacterClass' || type === 'UnicodeProperty';

/** The text of a node in the expression's source. */
const sourceOf = ({ loc }: AstNode, whole: string): string =>
  whole.slice(loc?.start.offset, loc?.end.offset);

/** Which characters a node for one character matches, as the real engine has it. */
const characterTest = (source: string, flags: string): ((character: string) => boolean) => {
  const expression = new RegExp(`^(?:${source})$`, flags.replace(/[gy]/g, ''));
  const known = new Map<string, boolean>();
  return character => {
    const before = known.get(character);
    if (before !== undefined) return before;
    const isMatch = expression.test(character);
    known.set(character, isMatch);
    return isMatch;
  };
};

/**
 * A backtracking matcher that takes the steps of the real one (ECMA-262, "Pattern Semantics") and
 * counts them, since V8 does not tell. It knows what the project's expressions use; anything else
 * is an error.
 */
export class CountedExpression {
  readonly characters: readonly ((character: string) => boolean)[];
  readonly root: AstNode | null;
  readonly #whole: string;
  readonly #flags: string;
  readonly #matcher: Matcher;
  readonly #tests = new Map<AstNode, (character: string) => boolean>();
  #text: readonly string[] = [];
  #steps = 0;

  constructor(source: string, flags: string) {
    this.#whole = String(new RegExp(source, flags));
    this.#flags = flags;
    this.root = parse(this.#whole, { captureLocations: true }).body;
    this.#matcher = this.#compile(this.root, 1);
    this.characters = [...this.#tests.values()];
  }

  /** The characters that a node for one character matches. */
  testOf(node: AstNode): (character: string) => boolean {
    const test = this.#tests.get(node);
    if (test === undefined) throw new Error(`${this.#whole} has no such character.`);
    return test;
  }

  /** How many steps it takes to find every match in a text. */
  stepsOn(text: string): number {
    this.#text = /[uv]/.test(this.#flags) ? Array.from(text) : text.split('');
    this.#steps = 0;
    try {
      this.#search();
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error;
    }
    return this.#steps;
  }

  #search(): void {
    const isAnchored = this.#flags.includes('y') || this.#beginsAtStart();
    let end = -1;
    for (let at = 0; at <= this.#text.length; at += 1) {
      const isFound = this.#matcher(at, reached => {
        end = reached;
        return true;
      });
      if (isAnchored || (isFound && !this.#flags.includes('g'))) return;
      if (isFound && end > at) at = end - 1;
    }
  }

  #beginsAtStart(): boolean {
    const first = this.root?.type === 'Alternative' ? this.root.expressions[0] : this.root;
    return first?.type === 'Assertion' && first.kind === '^' && !this.#flags.includes('m');
  }

  #step(): void {
    this.#steps += 1;
    if (this.#steps > maxSteps) throw new TooManySteps();
  }

  /** @param direction 1, or -1 within a look behind */
  #compile(node: AstNode | null, direction: 1 | -1): Matcher {
    if (node === null) return (at, rest) => rest(at);
    if (isOneCharacter(node)) return this.#character(node, direction);
    switch (node.type) {
      case 'Alternative':
        return this.#sequence(node.expressions, direction);
      case 'Disjunction': {
        const left = this.#compile(node.left, direction);
        const right = this.#compile(node.right, direction);
        return (at, rest) => left(at, rest) || right(at, rest);
      }
      case 'Group':
        return this.#compile(node.expression, direction);
      case 'Repetition':
        return this.#repetition(node, direction);
      case 'Assertion':
        return this.#assertion(node);
      default:
        throw new Error(
          `${this.#whole} has a ${node.type}, which the counting matcher does not know.`,
        );
    }
  }

  #character(node: AstNode, direction: 1 | -1): Matcher {
    const test = characterTest(sourceOf(node, this.#whole), this.#flags);
    this.#tests.set(node, test);
    return (at, rest) => {
      this.#step();
      const character = this.#text[direction === 1 ? at : at - 1];
      return character !== undefined && test(character) && rest(at + direction);
    };
  }

  #sequence(nodes: readonly AstNode[], direction: 1 | -1): Matcher {
    const matchers = nodes.map(node => this.#compile(node, direction));
    if (direction === 1) matchers.reverse();
    return (at, rest) => {
      let all = rest;
      for (const matcher of matchers) {
        const after = all;
        all = reached => matcher(reached, after);
      }
      return all(at);
    };
  }

  #repetition(node: Repetition, direction: 1 | -1): Matcher {
    const body = this.#compile(node.expression, direction);
    const { min, max } = boundsOf(node);
    const isGreedy = node.quantifier.greedy;
    const from = (at: number, count: number, rest: Rest): boolean => {
      const once = () =>
        count < max &&
        body(at, reached => (reached !== at || count < min) && from(reached, count + 1, rest));
      const leave = () => count >= min && rest(at);
      return isGreedy ? once() || leave() : leave() || once();
    };
    return (at, rest) => from(at, 0, rest);
  }

  #assertion(node: Assertion): Matcher {
    const holds = this.#condition(node);
    return (at, rest) => {
      this.#step();
      return holds(at) && rest(at);
    };
  }

  #condition(node: Assertion): Rest {
    const isMultiline = this.#flags.includes('m');
    const isWord = (at: number) => wordCharacter.test(this.#text[at] ?? '');
    switch (node.kind) {
      case '^':
        return at => at === 0 || (isMultiline && this.#text[at - 1] === '\n');
      case '$':
        return at => at === this.#text.length || (isMultiline && this.#text[at] === '\n');
      case '\\b':
        return at => isWord(at - 1) !== isWord(at);
      case '\\B':
        return at => isWord(at - 1) === isWord(at);
      default: {
        const matcher = this.#compile(node.assertion, node.kind === 'Lookahead' ? 1 : -1);
        return at => matcher(at, () => true) !== Boolean(node.negative);
      }
    }
  }
}

export const boundsOf = ({ quantifier }: Repetition) => {
  switch (quantifier.kind) {
    case '*':
      return { min: 0, max: Number.POSITIVE_INFINITY };
    case '+':
      return { min: 1, max: Number.POSITIVE_INFINITY };
    case '?':
      return { min: 0, max: 1 };
    default:
      return { min: quantifier.from, max: quantifier.to ?? Number.POSITIVE_INFINITY };
  }
};

/** Of all kinds of characters that an expression may tell apart. */
const alphabet = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...['\u0085', '\u00a0', 'é', 'ß', '\u2028', '\u200f', '界', '\ud83d', '\ude00', '😀', '\uffff'],
];

/**
 * One character of each kind that the expression tells apart, those first that the fewest of its
 * parts match.
 */
const kindsOf = ({ characters }: CountedExpression): readonly string[] => {
  const byKind = new Map<string, string>();
  for (const character of alphabet) {
    const kind = characters.map(test => (test(character) ? '1' : '0')).join('');
    if (!byKind.has(kind)) byKind.set(kind, character);
  }
  const parts = (kind: string) => kind.replaceAll('0', '').length;
  const kinds = [...byKind].sort(([one], [other]) => parts(one) - parts(other));
  return kinds.map(([, character]) => character);
};

/** A repetition of at most so many takes a constant number of steps. */
const few = 16;

interface Place {
  /** A text that leads to it. */
  readonly before: string;
  /** A text that its body matches. */
  readonly body: string;
  /** A text that what comes after it matches. */
  readonly next: string;
}

class Samples {
  readonly #expression: CountedExpression;

  constructor(expression: CountedExpression) {
    this.#expression = expression;
  }

  /** A short text that a node matches. */
  text(node: AstNode | null): string {
    if (node === null || node.type === 'Assertion') return '';
    if (isOneCharacter(node)) {
      const test = this.#expression.testOf(node);
      return (
        alphabet.findLast(character => character < '\u007f' && test(character)) ??
        alphabet.find(test) ??
        ''
      );
    }
    if (node.type === 'Alternative') return node.expressions.map(one => this.text(one)).join('');
    if (node.type === 'Disjunction') return this.text(node.left) || this.text(node.right);
    if (node.type === 'Group') return this.text(node.expression);
    if (node.type !== 'Repetition') return '';
    return this.text(node.expression).repeat(Math.max(1, boundsOf(node).min));
  }

  /** The repetitions below a node. */
  places(node: AstNode | null, before: string): readonly Place[] {
    if (node === null || isOneCharacter(node)) return [];
    if (node.type === 'Alternative') {
      const texts = node.expressions.map(one => this.text(one));
      return node.expressions.flatMap((one, index) => {
        const next = texts.slice(index + 1).join('');
        const places = this.places(one, before + texts.slice(0, index).join(''));
        return places.map(place => ({ ...place, next: place.next + next }));
      });
    }
    if (node.type === 'Disjunction')
      return [...this.places(node.left, before), ...this.places(node.right, before)];
    if (node.type === 'Assertion')
      return 'assertion' in node ? this.places(node.assertion, before) : [];
    if (node.type === 'Group') return this.places(node.expression, before);
    if (node.type !== 'Repetition') return [];
    const inner = this.places(node.expression, before);
    if (boundsOf(node).max <= few) return inner;
    return [{ before, body: this.text(node.expression), next: '' }, ...inner];
  }
}

/** Texts are this long and twice as long. */
const length = 60;

const fewKinds = 9;

/** Pairs of the kinds of characters, if there are few. */
const pairsOf = (kinds: readonly string[]): readonly string[] =>
  kinds.length > fewKinds ? [] : kinds.flatMap(one => kinds.map(other => one + other));

/** What follows: nothing, or what the fewest parts of the expression match. */
const following = (kinds: readonly string[]): readonly string[] => ['', ...kinds.slice(0, 2)];

interface Attack {
  readonly before: string;
  readonly body: string;
}

const attacksOn = (places: readonly Place[], kinds: readonly string[]): readonly Attack[] => {
  const befores = ['', ...kinds.slice(0, 2), ...places.map(({ before }) => before)];
  const bodies = [...kinds, ...places.flatMap(({ body, next }) => [body, next])];
  return [
    ...befores.flatMap(before => bodies.map(body => ({ before, body }))),
    ...pairsOf(kinds).map(body => ({ before: '', body })),
  ].filter(({ body }) => body !== '');
};

/**
 * The beginning of a text on which an expression takes more than linear steps; undefined when none
 * was found. What it repeats, what comes after that, and each kind of character that it tells
 * apart, is repeated: after nothing, and after what leads there.
 */
export const costlyText = (source: string, flags: string): string | undefined => {
  const expression = new CountedExpression(source, flags);
  const places = new Samples(expression).places(expression.root, '');
  // Without a repetition, each match ends after so many characters.
  if (places.length === 0) return undefined;
  const kinds = kindsOf(expression);
  for (const { before, body } of attacksOn(places, kinds)) {
    for (const after of following(kinds)) {
      const text = (times: number) => before + body.repeat(times) + after;
      const twice = expression.stepsOn(text(2 * length));
      if (twice < 20 * length) continue;
      if (twice > maxSteps || twice > 3 * expression.stepsOn(text(length))) return text(3);
    }
  }
  return undefined;
};
