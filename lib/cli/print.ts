import type { Terminal } from './terminal.ts';

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return value.join(' ') || '-';
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-');
};

/** One record: as JSON on one line, or as `name  value` lines. */
export const printRecord = (terminal: Terminal, record: object, json: boolean): void => {
  if (json) {
    terminal.out(JSON.stringify(record));
    return;
  }
  const width = Math.max(...Object.keys(record).map(name => name.length));
  for (const [name, value] of Object.entries(record)) terminal.out(`${name.padEnd(width)}  ${shown(value)}`);
};

/** Many records: as a JSON array on one line, or as a table with a head line. */
export const printTable = (terminal: Terminal, records: readonly object[], json: boolean): void => {
  const [first] = records;
  if (json || !first) {
    terminal.out(json ? JSON.stringify(records) : '(none)');
    return;
  }
  const names = Object.keys(first);
  const rows = [names, ...records.map(record => Object.values(record).map(shown))];
  const widths = names.map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)));
  for (const row of rows)
    terminal.out(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
};
