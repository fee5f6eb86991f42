/** A line as it is shown. */
export interface Line {
  /** Where it begins in the text as it was. */
  readonly from: number;
  /** The number of the line that it belongs to, from 1. */
  readonly number: number;
  /** It continues the line above. */
  readonly isContinued: boolean;
  readonly shown: string;
}

/**
 * Lines up to this length are left whole: the longest text that an ordinary message has on a line.
 */
const maxColumns = 1_000;

/**
 * How long the pieces of longer lines are: about the width of a page, so that none is wrapped
 * there.
 */
const pieceColumns = 120;

/**
 * A character that is shown as a sign of its own is an element, which takes as long to lay out as
 * some characters.
 */
const signColumns = 8;

/** Characters that nobody sees, or that turn the direction of what follows. */
const hiddenRanges = [
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c',
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffc',
].join('');

/** Finds the characters that are shown as signs. */
export const hidden = new RegExp(`[${hiddenRanges}]`, 'u');

const columnsOf = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  // Most characters are of ASCII, and need no search.
  if (code > 31 && code < 127) return 1;
  return hidden.test(text.charAt(at)) ? signColumns : 1;
};

/** How many code units belong together: a JSON escape or a surrogate pair must stay on one line. */
const unitsAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  if (code === 0x5c) return text[at + 1] === 'u' ? 6 : 2;
  return code >= 0xd800 && code < 0xdc00 ? 2 : 1;
};

/** Where the piece ends that begins at a place. */
const endOfPiece = (text: string, from: number): number => {
  let at = from;
  for (let columns = 0; at < text.length && columns < pieceColumns; ) {
    const units = unitsAt(text, at);
    columns += Math.max(units, columnsOf(text, at));
    at += units;
  }
  return Math.min(at, text.length);
};

const endOfLine = (text: string, from: number): number => {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || code === 0x0d) return at;
  }
  return text.length;
};

const isLong = (line: string): boolean => {
  if (line.length > maxColumns) return true;
  if (line.length * signColumns <= maxColumns) return false;
  let columns = 0;
  for (let at = 0; at < line.length; at += 1) columns += columnsOf(line, at);
  return columns > maxColumns;
};

const addPieces = (lines: Line[], { from, number, shown }: Line): void => {
  for (let at = 0; at < shown.length; ) {
    const end = endOfPiece(shown, at);
    lines.push({ from: from + at, number, isContinued: at > 0, shown: shown.slice(at, end) });
    at = end;
  }
};

/**
 * Breaks lines that are too long. A browser takes seconds to wrap one line of 200,000 characters,
 * or of thousands of characters that turn the direction.
 */
export const shortLines = (text: string): readonly Line[] => {
  const lines: Line[] = [];
  let from = 0;
  for (let number = 1; from <= text.length; number += 1) {
    const end = endOfLine(text, from);
    const line = { from, number, isContinued: false, shown: text.slice(from, end) };
    if (isLong(line.shown)) addPieces(lines, line);
    else lines.push(line);
    const lineBreak = text.startsWith('\r\n', end) ? 2 : 1;
    from = end + lineBreak;
  }
  return lines;
};
