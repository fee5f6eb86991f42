import Icon from '@cloudscape-design/components/icon';
import { Suspense, useEffect } from 'react';
import { cell, useValue } from './cell.ts';
import { lazyPart } from './lazy-part.ts';

const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Whether a key asks for the search: Ctrl or ⌘ with K from anywhere, and `/` outside of fields. */
const asksForSearch = (event: KeyboardEvent): boolean => {
  const { key, ctrlKey, metaKey } = event;
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k';
  // An editor is in a shadow root: to the document, its host is the target.
  const [target = null] = event.composedPath();
  return key === '/' && !isTyping(target);
};

const isOpen = cell(false);

const open = (): void => {
  isOpen.value = true;
};

/**
 * Opens the search from every page. The head is laid out twice, seen and to be measured: what it
 * opens stands apart from it.
 */
export const SearchButton = () => (
  <button type="button" className="find" onClick={open}>
    <Icon name="search" /> <span>Search</span> <kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
  </button>
);

/** The search, which keys open too. */
export const Search = () => {
  const isShown = useValue(isOpen);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!asksForSearch(event)) return;
      event.preventDefault();
      open();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
  const close = () => {
    isOpen.value = false;
  };
  return (
    isShown && (
      <Suspense>
        <Palette close={close} />
      </Suspense>
    )
  );
};
