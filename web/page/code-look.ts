import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The page's own colours, in light and dark, and its type. */
export const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--paper)', fontSize: '0.875rem' },
  '.cm-scroller': { fontFamily: 'var(--mono)', maxHeight: '70vh', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-placeholder': { color: 'var(--quiet)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--raised)' },
  '.cm-tooltip': {
    maxWidth: 'min(32rem, 92vw)',
    color: 'var(--ink)',
    backgroundColor: 'var(--paper)',
    border: '1px solid var(--line)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--paper)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', border: 'none' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-specialChar': { color: 'var(--wrong)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--raised)',
    color: 'var(--quiet)',
    border: '1px solid var(--line)',
  },
  '.mark': { textDecoration: 'underline wavy var(--wrong)', textUnderlineOffset: '3px' },
  '.mark-words': {
    padding: '2px 8px',
    color: 'var(--wrong)',
    backgroundColor: 'var(--removed-line)',
    fontFamily: 'system-ui, sans-serif',
    whiteSpace: 'pre-wrap',
  },
  '&.cm-merge-b .cm-changedText': { background: 'var(--added)' },
  '&.cm-merge-b .cm-changedLine': { background: 'var(--added-line)' },
  '.cm-deletedChunk': { background: 'var(--removed-line)', color: 'var(--ink)' },
  '.cm-deletedChunk .cm-deletedText': { background: 'var(--removed)' },
});

/** The colours of what JSON is made of. */
export const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--right)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--open)' },
]);
