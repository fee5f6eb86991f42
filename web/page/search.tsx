import Icon from '@cloudscape-design/components/icon';
import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from './lazy-part.ts';

const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Whether a key asks for the search: Ctrl or ⌘ with K from anywhere, and `/` outside of fields. */
const asksForSearch = ({ key, ctrlKey, metaKey, target }: KeyboardEvent): boolean => {
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k';
  return key === '/' && !isTyping(target);
};

/** Opens the search from every page, by keys too. */
export const Search = () => {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!asksForSearch(event)) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
  return (
    <>
      <button type="button" className="find" onClick={() => setOpen(true)}>
        <Icon name="search" /> <span>Search</span> <kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && (
        <Suspense>
          <Palette close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
};
