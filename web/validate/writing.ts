import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { jsonLanguage, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, syntaxHighlighting } from '@codemirror/language';
import {
  type Diagnostic,
  forEachDiagnostic,
  linter,
  lintGutter,
  lintKeymap,
  setDiagnostics,
} from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import type { CodeMark } from '../page/code.ts';
import { colours, theme } from '../page/code-look.ts';
import { type Completion, completionsAt } from './completions.ts';

/** Marks of the bus stay until its next verdict; those of the syntax come and go with the text. */
const bySource = 'bus';

/** Takes the place of what is written of a word, its quotes included. */
const complete = (
  view: EditorView,
  { text, isName }: Completion,
  from: number,
  to: number,
): void => {
  const behind = view.state.sliceDoc(to);
  const closed = behind.startsWith('"') ? to + 1 : to;
  const hasColon = /^"?\s*:/.test(behind);
  const insert = isName && !hasColon ? `${text}: ` : text;
  view.dispatch({
    changes: { from, to: closed, insert },
    selection: { anchor: from + insert.length },
    userEvent: 'input.complete',
  });
};

const completing = ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
  const { from, options } = completionsAt(state.sliceDoc(), pos);
  if (options.length === 0 || (from === pos && !explicit)) return null;
  return {
    from,
    options: options.map(one => ({
      // Compared with what is written, which has a quote or none.
      label: state.sliceDoc(from, from + 1) === '"' ? `"${one.label}"` : one.label,
      displayLabel: one.label,
      detail: one.detail,
      info: one.info,
      // What has to be there comes first.
      boost: one.detail.endsWith('required') ? 1 : 0,
      apply: (view, _completion, begin, end) => complete(view, one, begin, end),
      type: one.isName ? 'property' : 'constant',
    })),
  };
};

const syntaxOf = jsonParseLinter();

/** What the browser finds by itself, and what the bus has found before. */
const lint = (view: EditorView): readonly Diagnostic[] => {
  const found: Diagnostic[] = view.state.doc.length === 0 ? [] : syntaxOf(view);
  forEachDiagnostic(view.state, (one, from, to) => {
    if (one.source === bySource) found.push({ ...one, from, to });
  });
  return found;
};

/** The part of a range that is on its first line: the rest of a whole object would scroll away. */
const onItsLine = (state: EditorState, from: number, to: number) => {
  const start = Math.min(from, state.doc.length);
  const line = state.doc.lineAt(start);
  return { from: start, to: Math.max(start, Math.min(to, line.to)) };
};

const extensionsOf = (label: string, edit: (text: string) => void): Extension[] => [
  lineNumbers(),
  foldGutter(),
  lintGutter(),
  linter(lint),
  history(),
  highlightSpecialChars(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  bracketMatching(),
  closeBrackets(),
  // The list opens within an unfinished word only, where Enter means nothing else.
  autocompletion({ override: [completing], icons: false, interactionDelay: 0 }),
  keymap.of([
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...lintKeymap,
    ...historyKeymap,
    // Without Tab, which leaves the editor.
    ...defaultKeymap,
  ]),
  jsonLanguage,
  syntaxHighlighting(colours),
  theme,
  // One may click below the last line.
  EditorView.theme({
    '.cm-content, .cm-gutter': { minHeight: '22rem' },
    // On a narrow screen, what a member says would lie on the list.
    '@media (width < 688px)': { '.cm-completionInfo': { display: 'none' } },
  }),
  placeholder('Paste a message, or drop a file here.'),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) edit(state.sliceDoc());
  }),
];

/** A text that is written. */
export interface Written {
  /** Puts another text in its place. */
  replace(text: string): void;
  /** Marks what the bus has found, in the place of what it found before. */
  mark(marks: readonly CodeMark[]): void;
  select(from: number, to: number): void;
  end(): void;
}

interface Writing {
  readonly text: string;
  /** Names the text for a screen reader. */
  readonly label: string;
  edit(text: string): void;
}

/**
 * Lets people write a JSON text. It stays as it is written: no tool parses it and writes it again.
 * In a shadow root its styles are sheets, which the page's content security policy allows.
 */
export const writeCode = (host: HTMLElement, { text, label, edit }: Writing): Written => {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const state = EditorState.create({ doc: text, extensions: extensionsOf(label, edit) });
  const view = new EditorView({ state, parent: root, root });
  return {
    replace: next => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    mark: marks => {
      const found = marks.map(
        ({ from, to, words }): Diagnostic => ({
          ...onItsLine(view.state, from, to),
          message: words,
          severity: 'error',
          source: bySource,
        }),
      );
      view.dispatch(setDiagnostics(view.state, found));
    },
    select: (from, to) => {
      const part = onItsLine(view.state, from, to);
      view.dispatch({
        selection: { anchor: part.from, head: part.to },
        effects: EditorView.scrollIntoView(part.from, { y: 'center' }),
      });
      view.focus();
    },
    end: () => view.destroy(),
  };
};
