import { Composer, CST, type Document, Lexer, LineCounter, Parser } from 'yaml';
import { unprintable } from './text-fault.ts';

/** How large and how deep a YAML text may be, whatever its bytes: the time to read it follows from these. */
export const yamlLimits = { tokens: 32_000, depth: 32, aliases: 1_000, aliasedSize: 10_000 } as const;

/** Why a YAML text cannot be used; a clause without its full stop. */
export interface YamlFault {
  readonly kind: 'fault';
  readonly reason: string;
}

export const yamlFault = (reason: string): YamlFault => ({ kind: 'fault', reason });

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const at = (lines: LineCounter, offset: number): string => {
  const { line, col } = lines.linePos(offset);
  return `line ${line}, column ${col}`;
};

/**
 * The text's syntax tokens. The library reads nested collections by recursion and reports every error it finds, so depth
 * and number are watched while its parser works, before anything is composed.
 */
const tokensOf = (text: string, lines: LineCounter): CST.Token[] | YamlFault => {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > yamlLimits.depth) {
      return yamlFault(
        `${at(lines, parser.offset)}: lists and maps are nested more than ${yamlLimits.depth} deep`,
      );
    }
    if (++count > yamlLimits.tokens) {
      return yamlFault(
        `there are more than ${yamlLimits.tokens} YAML tokens; send the instances in parts, or as JSON`,
      );
    }
  }
  tokens.push(...parser.end());
  return tokens;
};

/** The library keeps a stack trace with every error it reports, which takes most of its time on broken texts. */
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
  const composer = new Composer({ version: '1.2', schema: 'core', merge: false, uniqueKeys: false });
  for (const document of composer.compose(tokens, true, length)) return document;
  return undefined;
};

/** One YAML 1.2 document as the library composes it, in bounded time; tags, keys and aliases are not judged yet. */
export const yamlDocument = (text: string): { document: Document.Parsed; lines: LineCounter } | YamlFault => {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const odd = unprintable.exec(text)?.[0];
  if (odd !== undefined) return yamlFault(`it holds the control character ${codePoint(odd)}`);
  const tokens = tokensOf(text, lines);
  if (!Array.isArray(tokens)) return tokens;
  const broken = tokens.find(token => token.type === 'error');
  if (broken)
    return yamlFault(`${at(lines, broken.offset)}: ${CST.isCollection(broken) ? '' : broken.message}`);
  const documents = tokens.filter(({ type }) => type === 'document').length;
  if (documents > 1) return yamlFault(`it holds ${documents} documents, and only one is read`);
  const document = withoutStackTraces(() => documentOf(tokens, text.length));
  if (!document) return yamlFault('it holds no document');
  const [error] = document.errors;
  return error
    ? yamlFault(`${at(lines, error.pos[0])}: ${error.message.slice(0, 200)}`)
    : { document, lines };
};
