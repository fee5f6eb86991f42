import { json } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--paper)', fontSize: '0.875rem' },
  '.cm-scroller': { fontFamily: 'var(--mono)', maxHeight: '70vh', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', border: 'none' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-specialChar': { color: 'var(--wrong)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--raised)',
    color: 'var(--quiet)',
    border: '1px solid var(--line)',
  },
  '&.cm-merge-b .cm-changedText': { background: 'var(--added)' },
  '&.cm-merge-b .cm-changedLine': { background: 'var(--added-line)' },
  '.cm-deletedChunk': { background: 'var(--removed-line)', color: 'var(--ink)' },
  '.cm-deletedChunk .cm-deletedText': { background: 'var(--removed)' },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--right)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--open)' },
]);

/** What to show. */
export interface Code {
  readonly text: string;
  /** Names the text for a screen reader. */
  readonly label: string;
  /** Shows what changed since this text. */
  readonly before?: string;
  /** One line for each member: long lines are broken. */
  readonly isIndented: boolean;
}

/**
 * Shows a JSON text that nobody can change. Only what is in view becomes elements, so that long texts stay quick. In a shadow root it
 * adds its styles as sheets: a style element would need `unsafe-inline` (the page's content security policy).
 *
 * @returns removes it
 */
export const showCode = (host: HTMLElement, { text, label, before, isIndented }: Code): (() => void) => {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const extensions: Extension[] = [
    lineNumbers(),
    foldGutter(),
    highlightSpecialChars(),
    bracketMatching(),
    json(),
    syntaxHighlighting(colours),
    theme,
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
    ...(isIndented ? [EditorView.lineWrapping] : []),
    ...(before === undefined
      ? []
      : [unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: {} })]),
  ];
  const view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: root, root });
  return () => view.destroy();
};
