import {
  Composer,
  CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { nameAsWritten, numberAsWritten } from './as-written.ts';
import { quotedText, unprintable } from './submitted.ts';
import { shorten } from './value.ts';

/**
 * How large and how deep a YAML text may be, whatever its bytes: the time to read it follows from
 * these.
 */
const yamlLimits = { tokens: 32_000, depth: 32, aliases: 1_000, aliasedSize: 10_000 } as const;

interface YamlBounds {
  readonly maxTokens: number;
  readonly maxDepth: number;
}

/** Why a YAML text cannot be used; a clause without its full stop. */
interface YamlError {
  readonly kind: 'error';
  readonly reason: string;
}

const yamlError = (reason: string): YamlError => ({ kind: 'error', reason });

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const at = (lines: LineCounter, offset: number): string => {
  const { line, col } = lines.linePos(offset);
  return `line ${line}, column ${col}`;
};

/**
 * The text's syntax tokens. The library reads nested collections recursively and reports every
 * error it finds, so depth and count are checked while its parser works, before anything is
 * composed.
 */
const tokensOf = (
  text: string,
  lines: LineCounter,
  { maxTokens, maxDepth }: YamlBounds,
): CST.Token[] | YamlError => {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > maxDepth)
      return yamlError(
        `${at(lines, parser.offset)}: lists and maps are nested more than ${maxDepth} deep`,
      );
    if (++count > maxTokens)
      return yamlError(
        `there are more than ${maxTokens} YAML tokens; send the instances in parts, or as JSON`,
      );
  }
  tokens.push(...parser.end());
  return tokens;
};

/**
 * The library records a stack trace with every error, which takes most of its time on broken texts.
 */
const withoutStackTraces = <Result>(work: () => Result): Result => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};

const documentOf = (tokens: CST.Token[], length: number): Document.Parsed | undefined => {
  // Duplicate keys are looked for elsewhere: the library compares each key with all others.
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false,
  });
  for (const document of composer.compose(tokens, true, length)) return document;
  return undefined;
};

/**
 * One YAML 1.2 document as the library composes it, in bounded time; tags, keys and aliases are not
 * judged yet.
 */
const yamlDocument = (
  text: string,
  bounds: YamlBounds,
): { document: Document.Parsed; lines: LineCounter } | YamlError => {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const odd = unprintable.exec(text)?.[0];
  if (odd !== undefined) return yamlError(`it holds the control character ${codePoint(odd)}`);
  const tokens = tokensOf(text, lines, bounds);
  if (!Array.isArray(tokens)) return tokens;
  const broken = tokens.find(token => token.type === 'error');
  if (broken)
    return yamlError(
      `${at(lines, broken.offset)}: ${CST.isCollection(broken) ? '' : broken.message}`,
    );
  const documents = tokens.filter(({ type }) => type === 'document').length;
  if (documents > 1) return yamlError(`it holds ${documents} documents, and only one is read`);
  const document = withoutStackTraces(() => documentOf(tokens, text.length));
  if (!document) return yamlError('it holds no document');
  if (document.directives?.yaml.version === '1.1')
    return yamlError(
      'it begins with %YAML 1.1, and this is read as YAML 1.2, where yes and no are text: take that line out',
    );
  const [error] = document.errors;
  if (error) return yamlError(`${at(lines, error.pos[0])}: ${error.message.slice(0, 200)}`);
  return { document, lines };
};

const coreTags = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map(name => `tag:yaml.org,2002:${name}`),
);

const charactersPerNode = 50;

/**
 * A converted node and its size: the nodes in it, those behind aliases included, where long texts
 * count for more.
 */
interface Read {
  readonly value: unknown;
  readonly size: number;
}

/** Thrown inside this file only, to end the recursive conversion at once. */
class Unusable extends Error {
  readonly node: unknown;
  constructor(reason: string, node: unknown) {
    super(reason);
    this.node = node;
  }
}

/** A key in quotes is a member of that name. */
const refuseMerge = ({ key, value }: Pair<unknown, unknown>): void => {
  if (!isScalar(key) || key.type !== 'PLAIN') return;
  const what = isAlias(value) ? `the members of *${shorten(value.source, 60)}` : 'its members';
  throw new Unusable(
    `the merge key << is of YAML 1.1, and this is read as YAML 1.2: write ${what} out`,
    key,
  );
};

class Conversion {
  readonly #anchors = new Map<string, Read>();
  #aliases = 0;
  #aliased = 0;
  readonly #isAsWritten: boolean;

  constructor(isAsWritten: boolean) {
    this.#isAsWritten = isAsWritten;
  }

  read(node: unknown): Read {
    if (node === null) return { value: null, size: 1 };
    if (isAlias(node)) return this.#alias(node.source, node);
    if (!isScalar(node) && !isMap(node) && !isSeq(node))
      throw new Unusable('there is something unknown', node);
    if (node.tag !== undefined && !coreTags.has(node.tag))
      throw new Unusable(`the tag ${quotedText(node.tag)} is not one of YAML's core schema`, node);
    const read = this.#content(node);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, read);
    return read;
  }

  #content(node: Scalar | YAMLMap | YAMLSeq): Read {
    if (isScalar(node)) return this.#scalar(node);
    return isSeq(node) ? this.#list(node.items) : this.#map(node);
  }

  #scalar({ value, source = '' }: Scalar): Read {
    const size = 1 + source.length / charactersPerNode;
    if (!this.#isAsWritten || typeof value !== 'number') return { value, size };
    return { value: numberAsWritten(value, source), size };
  }

  #alias(name: string, node: Node): Read {
    const read = this.#anchors.get(name);
    if (!read) throw new Unusable(`the alias *${shorten(name, 60)} has no anchor before it`, node);
    this.#aliases += 1;
    this.#aliased += read.size;
    if (this.#aliases > yamlLimits.aliases || this.#aliased > yamlLimits.aliasedSize)
      throw new Unusable('the aliases stand for too much', node);
    return read;
  }

  #list(items: readonly unknown[]): Read {
    const reads = items.map(item => this.read(item));
    return {
      value: reads.map(({ value }) => value),
      size: reads.reduce((sum, { size }) => sum + size, 1),
    };
  }

  #map(map: YAMLMap<unknown, unknown>): Read {
    const members = new Map<string, unknown>();
    let size = 1;
    for (const pair of map.items) {
      const key = this.#key(pair, map);
      if (key === '<<') refuseMerge(pair);
      if (members.has(key) || members.has(nameAsWritten(key)))
        throw new Unusable(`the key ${quotedText(key)} is there twice`, pair.key);
      const read = this.read(pair.value);
      members.set(this.#isAsWritten ? nameAsWritten(key) : key, read.value);
      size += read.size + 1;
    }
    // Defines own members for all names: an assignment to __proto__ would not.
    return { value: Object.fromEntries(members), size };
  }

  #key({ key }: Pair<unknown, unknown>, map: Node): string {
    if (!isScalar(key) || key.value === null) throw new Unusable('a key is not text', key ?? map);
    this.read(key);
    if (typeof key.value === 'string') return key.value;
    return key.source ?? String(key.value);
  }
}

interface ReadOptions extends Partial<YamlBounds> {
  readonly isAsWritten?: boolean;
}

const whereOf = (error: Unusable, lines: LineCounter): string => {
  const range = (error.node as ParsedNode | null)?.range;
  if (!range) return '';
  const { line, col } = lines.linePos(range[0]);
  return `line ${line}, column ${col}: `;
};

/**
 * The value of one YAML 1.2 document under the core schema: lists, plain objects with own members,
 * text, numbers, true, false and null. Other tags, a second document, a repeated key, a merge key
 * and aliases that stand for too much are errors.
 *
 * @param maxTokens as for what a stranger sends; a user's own file may be of any length
 * @param maxDepth as for what a stranger sends, too
 * @param isAsWritten whether {@link textAsWritten} shall give each number with all its digits, and
 * the members in their order
 */
export const readYaml = (
  text: string,
  {
    maxTokens = yamlLimits.tokens,
    maxDepth = yamlLimits.depth,
    isAsWritten = false,
  }: ReadOptions = {},
): { kind: 'value'; value: unknown } | YamlError => {
  const composed = yamlDocument(text, { maxTokens, maxDepth });
  if ('kind' in composed) return composed;
  try {
    const { value } = new Conversion(isAsWritten).read(composed.document.contents);
    return { kind: 'value', value };
  } catch (error) {
    if (error instanceof Unusable) return yamlError(whereOf(error, composed.lines) + error.message);
    throw error;
  }
};
