import { readFileSync } from 'node:fs';

/** Where a command writes, line by line. Texts of others are shown as they are, but for what controls something (see `visible`). */
export interface Terminal {
  out(line: string): void;
  /** Also standard output: resolves once the line is written, with false if the reader is gone. */
  deliver(line: string): Promise<boolean>;
  error(line: string): void;
}

/**
 * What a terminal would act on instead of showing it: C0 but tab, DEL, C1, and the marks that reorder text or break lines (Unicode
 * Standard Annex 9, "Directional Formatting Characters"). What a CI system would act on: `::…` at the start of a line and `##[…]` (GitHub,
 * "Workflow commands"), `##vso[…]`, `##teamcity[…]`.
 */
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the text must not contain.
  /[\0-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|(?<=^\s*):(?=:)|#(?=#\w*\[)/g;

/** A line that is safe to show, whoever wrote it: what controls something appears as `\uXXXX`, as JSON would escape it. */
export const visible = (text: string): string =>
  text.replace(controls, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Writes lines until the reader is gone (`sombus dev | head -3`): later lines are dropped, and nothing fails.
 * Resolves with whether the line was written.
 */
const lineWriter = (stream: NodeJS.WritableStream): ((line: string) => Promise<boolean>) => {
  let readable = true;
  stream.on('error', () => {
    readable = false;
  });
  return line =>
    new Promise(resolve => {
      if (readable) stream.write(`${visible(line)}\n`, error => resolve(!error));
      else resolve(false);
    });
};

export const processTerminal = (): Terminal => {
  const deliver = lineWriter(process.stdout);
  const complain = lineWriter(process.stderr);
  return { deliver, out: line => void deliver(line), error: line => void complain(line) };
};

const standardInput = 0;

/** The bytes of a file, or of standard input for `-`. @throws Error when it cannot be read */
export const inputBytes = (file: string): Uint8Array => {
  try {
    return readFileSync(file === '-' ? standardInput : file);
  } catch (cause) {
    throw new Error(`The file ${file} cannot be read.`, { cause });
  }
};

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return value.join(' ') || '-';
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-');
};

const recordLines = (record: object): readonly string[] => {
  const width = Math.max(...Object.keys(record).map(name => name.length));
  return Object.entries(record).map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`);
};

const tableLines = (records: readonly object[]): readonly string[] => {
  const names = Object.keys(records[0] ?? { '(none)': '' });
  const rows = [names, ...records.map(record => Object.values(record).map(shown))];
  const widths = names.map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)));
  return rows.map(row => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return cells.join('  ').trimEnd();
  });
};

/** Prints a record, or several as a table; with `json`, as one line of JSON. */
export const print = (terminal: Terminal, records: object, json: boolean): void => {
  const lines = Array.isArray(records) ? tableLines(records) : recordLines(records);
  for (const line of json ? [JSON.stringify(records)] : lines) terminal.out(line);
};
