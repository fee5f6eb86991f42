import { fstatSync, readFileSync, writeSync } from 'node:fs';
import { errorCode } from '../../local/engines/machine.ts';

/**
 * Where a command writes, line by line. Texts of others are shown as they are, but for what
 * controls something (see `visible`).
 */
export interface Terminal {
  out(line: string): void;
  /**
   * Also standard output: resolves once the line is written, with false if it could not be, or its
   * reader is gone.
   */
  deliver(line: string): Promise<boolean>;
  error(line: string): void;
  /**
   * Resolves once all is written: with why standard output took no more, unless its reader left.
   */
  writeError(): Promise<Error | undefined>;
}

/**
 * What a terminal would act on instead of showing it: C0 but tab, DEL, C1, and the marks that
 * reorder text or break lines (Unicode Standard Annex 9, "Directional Formatting Characters"). What
 * a CI system would act on: `##[…]` (GitHub, "Workflow commands"), `##vso[…]`, `##teamcity[…]`.
 */
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the text must not contain.
  /[\0-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|#(?=#\w*\[)/g;

/** What a CI system would act on at the start of a line: `::…` (GitHub, "Workflow commands"). */
const workflowCommand = /^(\s*):(?=:)/;

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A line that is safe to show, whoever wrote it: what controls something appears as `\uXXXX`, as
 * JSON would escape it.
 */
export const visible = (text: string): string =>
  text
    .replace(workflowCommand, (_, space: string) => space + escaped(':'))
    .replace(controls, escaped);

/**
 * Writes all of a line: a full disk may take a part of it, and tells of the rest only when that is
 * written too.
 */
const writeWhole = (descriptor: number, line: string): void => {
  let rest: Uint8Array = Buffer.from(line);
  while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
};

type Write = (line: string, done: (error: unknown) => void) => void;

const writeOf = (stream: NodeJS.WritableStream & { fd: number }): Write => {
  if (!fstatSync(stream.fd).isFile()) return (line, done) => stream.write(line, done);
  return (line, done) => {
    try {
      writeWhole(stream.fd, line);
      done(undefined);
    } catch (error) {
      done(error);
    }
  };
};

/** Its reader left (`sombus dev | head -3`): nobody misses what comes later. */
const isGone = (error: unknown): boolean => errorCode(error) === 'EPIPE';

/** Writes lines until one cannot be written: later ones are dropped. */
class Lines {
  readonly #write: Write;
  #error: Error | undefined;
  #last: Promise<boolean> = Promise.resolve(true);

  constructor(stream: NodeJS.WritableStream & { fd: number }) {
    this.#write = writeOf(stream);
    stream.on('error', error => this.#fail(error));
  }

  #fail(error: unknown): void {
    this.#error ??= error instanceof Error ? error : new Error(String(error));
  }

  /** Whether the line was written. */
  write(line: string): Promise<boolean> {
    if (this.#error) return Promise.resolve(false);
    this.#last = new Promise(resolve => {
      this.#write(`${visible(line)}\n`, error => {
        if (error) this.#fail(error);
        resolve(!error);
      });
    });
    return this.#last;
  }

  async error(): Promise<Error | undefined> {
    await this.#last;
    return isGone(this.#error) ? undefined : this.#error;
  }
}

export const processTerminal = (): Terminal => {
  const output = new Lines(process.stdout);
  const complaints = new Lines(process.stderr);
  return {
    deliver: line => output.write(line),
    out: line => void output.write(line),
    error: line => void complaints.write(line),
    writeError: () => output.error(),
  };
};

/** Until Ctrl-C, or for so many seconds. */
export const untilStopped = (seconds?: number): AbortSignal => {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // Not AbortSignal.timeout: Node 20 collects one that only AbortSignal.any refers to, and it never
  // fires.
  if (seconds !== undefined) setTimeout(() => stop.abort(), seconds * 1000).unref();
  return stop.signal;
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
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return String(value ?? '-');
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

/** A record, or several as a table; with `json`, as one line of JSON. */
const linesOf = (records: object, json: boolean): readonly string[] => {
  if (json) return [JSON.stringify(records)];
  if (Array.isArray(records)) return tableLines(records);
  return recordLines(records);
};

/** Prints a record, or several as a table; with `json`, as one line of JSON. */
export const print = (terminal: Terminal, records: object, json: boolean): void => {
  for (const line of linesOf(records, json)) terminal.out(line);
};

/**
 * Prints what nobody can print again.
 *
 * @param another how to get another one, told if this one could not be written
 */
export const printOnce = async (
  terminal: Terminal,
  records: object,
  { json, another }: { json: boolean; another: string },
): Promise<void> => {
  const written = await Promise.all(linesOf(records, json).map(line => terminal.deliver(line)));
  if (written.every(Boolean)) return;
  terminal.error(`It is shown only once, and could not be written. ${another}`);
};
