import type { Checkout } from './checkout.ts';

/** What the issue asks of a figure. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** One measured number. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly goal?: Goal;
}

export interface Settings {
  /** Of a slice under load. */
  readonly seconds: number;
  /** Of 200 publishes a second, with a burst in the middle. */
  readonly steadySeconds: number;
  /** Messages that wait for a consumer. */
  readonly waiting: number;
  readonly archived: number;
  /** Of a soak; 0: none. */
  readonly minutes: number;
  /** Publishes a second of a soak. */
  readonly rate: number;
}

/** A few rows of the table, measured on a new data folder. */
export interface Measure {
  readonly name: string;
  /**
   * Whether it is short enough to be repeated in turns; the others are measured once on each side.
   */
  readonly isShort: boolean;
  measure(checkout: Checkout, settings: Settings): Promise<readonly Figure[]>;
}

export const isMet = ({ value, goal }: Figure): boolean => {
  if (goal === undefined || !Number.isFinite(value)) return true;
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
};

export const median = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[Math.floor(index)] ?? Number.NaN;
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2;
};

/** A Markdown table; numbers are on the right. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((_, at) =>
    Math.max(1, ...[head, ...rows].map(row => (row[at] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, at) =>
    at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join('\n');
};

/** Three digits that matter, and no more after the point than help. */
export const digits = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
};

export const print = (text: string): void => void process.stdout.write(`${text}\n`);
