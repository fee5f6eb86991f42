import { jsonLanguage } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, syntaxHighlighting } from '@codemirror/language';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension, Text } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  WidgetType,
} from '@codemirror/view';
import { changesBetween } from './changes.ts';
import { colours, theme } from './code-look.ts';
import { hidden, type Line, shortLines } from './short-lines.ts';

/** A part of a text, and what is to be said about it below its line. */
export interface CodeMark {
  readonly from: number;
  readonly to: number;
  readonly words: string;
}

/** What to show. */
export interface Code {
  readonly text: string;
  /** Names the text for a screen reader. */
  readonly label: string;
  /** The same in short lines, if they are known. */
  readonly lines?: readonly Line[];
  /** Shows what changed since this text. */
  readonly before?: string;
  readonly marks?: readonly CodeMark[];
}

type Input = Parameters<typeof jsonLanguage.parser.startParse>[0];

/**
 * A string may be on several lines here, which JSON does not know: to its parser, each break of a
 * line is a space.
 */
const onOneLine = (input: Exclude<Input, string>): Input => ({
  length: input.length,
  lineChunks: false,
  chunk: from => input.chunk(from).replaceAll('\n', ' '),
  read: (from, to) => input.read(from, to).replaceAll('\n', ' '),
});

const language = jsonLanguage.configure({
  wrap: (_inner, input, fragments, ranges) =>
    jsonLanguage.parser.startParse(onOneLine(input), fragments, ranges),
});

/** Colours and folding of more lines would take longer than a frame. */
const maxColouredLines = 5_000;

const shownIn = (lines: readonly Line[]): Text => Text.of(lines.map(({ shown }) => shown));

/** Where a place that is shown is in the text itself. */
const placeIn = ({ doc }: EditorState, lines: readonly Line[], at: number): number => {
  const line = doc.lineAt(at);
  return (lines[line.number - 1]?.from ?? 0) + at - line.from;
};

/** What is selected, as it stands in the text: without the breaks that only the page has made. */
const selectedIn = (state: EditorState, text: string, lines: readonly Line[]): string =>
  state.selection.ranges
    .map(({ from, to, empty }) => {
      const own = state.doc.lineAt(from);
      const [start, end] = empty ? [own.from, own.to] : [from, to];
      const isAll = end === state.doc.length;
      return text.slice(
        placeIn(state, lines, start),
        isAll ? text.length : placeIn(state, lines, end),
      );
    })
    .join('\n');

/** The numbers of the text itself; a piece of a long line has a sign. */
const numberOf = (lines: readonly Line[], shown: number): string => {
  const line = lines[shown - 1];
  return line?.isContinued ? '↪' : `${line?.number ?? shown}`;
};

/** A browser by itself selects the lines in view only. */
const selectAll = keymap.of([
  {
    key: 'Mod-a',
    run: view => {
      view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
      return true;
    },
  },
]);

const sinceThen = (before: string): Extension =>
  unifiedMergeView({
    original: shownIn(shortLines(before)),
    mergeControls: false,
    collapseUnchanged: {},
    diffConfig: { override: changesBetween },
  });

class Words extends WidgetType {
  readonly #words: string;

  constructor(words: string) {
    super();
    this.#words = words;
  }

  toDOM(): HTMLElement {
    const element = document.createElement('div');
    element.className = 'mark-words';
    element.textContent = this.#words;
    return element;
  }
}

/** Where a place of the text itself is in what is shown. */
const shownPlace = (doc: Text, lines: readonly Line[], at: number): number => {
  const index = lines.findLastIndex(({ from }) => from <= at);
  const line = lines[index];
  if (line === undefined) return 0;
  const shown = doc.line(index + 1);
  return Math.min(shown.from + at - line.from, shown.to);
};

/** Underlines parts of the text, and says below each what is wrong with it. */
const marked = (doc: Text, lines: readonly Line[], marks: readonly CodeMark[]): Extension => {
  const ranges = marks.flatMap(({ from, to, words }) => {
    const [start, end] = [shownPlace(doc, lines, from), shownPlace(doc, lines, to)];
    const first = doc.lineAt(start);
    const below = Decoration.widget({ widget: new Words(words), block: true, side: 1 });
    // Of a whole object, its first line.
    const last = Math.min(end, first.to);
    const part = last > start ? [Decoration.mark({ class: 'mark' }).range(start, last)] : [];
    return [...part, below.range(first.to)];
  });
  return EditorView.decorations.of(Decoration.set(ranges, true));
};

/**
 * Shows a JSON text that nobody can change. Only what is in view becomes elements, and long lines
 * are shown in pieces, so that long texts stay quick; what is copied is the text itself. In a
 * shadow root it adds its styles as sheets: a style element would need `unsafe-inline` (the page's
 * content security policy).
 *
 * @returns removes it
 */
export const showCode = (
  host: HTMLElement,
  { text, label, before, marks = [], lines = shortLines(text) }: Code,
): (() => void) => {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const extensions: Extension[] = [
    lineNumbers({ formatNumber: shown => numberOf(lines, shown) }),
    foldGutter(),
    highlightSpecialChars({ specialChars: new RegExp(hidden.source, 'gu') }),
    bracketMatching(),
    selectAll,
    ...(lines.length > maxColouredLines ? [] : [language, syntaxHighlighting(colours)]),
    theme,
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-readonly': 'true',
      tabindex: '0',
    }),
    EditorView.lineWrapping,
    EditorView.clipboardOutputFilter.of((_shown, state) => selectedIn(state, text, lines)),
    ...(before === undefined ? [] : [sinceThen(before)]),
  ];
  const doc = shownIn(lines);
  const view = new EditorView({
    state: EditorState.create({ doc, extensions: [...extensions, marked(doc, lines, marks)] }),
    parent: root,
    root,
  });
  return () => view.destroy();
};
