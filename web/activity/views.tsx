import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import { useState } from 'react';
import { useValue } from '../page/cell.ts';
import { filters, setFilters } from '../page/location.ts';
import { kinds, kindWords } from './lines.ts';

const kept = 'activity views';

/**
 * The saved filters, as they stand in a URL. They are this browser's: to show one to a colleague,
 * send the URL.
 */
const savedViews = (): readonly string[] => {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(kept) ?? '[]');
    return Array.isArray(found) ? found.filter(one => typeof one === 'string') : [];
  } catch {
    return [];
  }
};

const viewIn = (given: URLSearchParams): string => {
  const view = new URLSearchParams(given);
  view.delete('message');
  view.sort();
  return `${view}`;
};

const wordsOf = (view: string): string => {
  const words = [...new URLSearchParams(view)].map(([name, value]) => {
    const kind = kinds.find(one => name === 'kind' && one === value);
    return kind ? kindWords(kind) : value;
  });
  return words.join(', ');
};

/** Saves what is shown under its filters' words, and leads back to it. */
export const Views = () => {
  const given = useValue(filters);
  const [saved, setSaved] = useState(savedViews);
  const view = viewIn(given);
  const keep = (next: readonly string[]): void => {
    localStorage.setItem(kept, JSON.stringify(next));
    setSaved(next);
  };
  const open = (wanted: string): void => {
    const cleared = Object.fromEntries([...given.keys()].map(name => [name, '']));
    setFilters({ ...cleared, ...Object.fromEntries(new URLSearchParams(wanted)) });
  };
  const add = { id: '+', text: 'Save this view in this browser', disabled: view === '' };
  const remove = { id: '-', text: 'Delete this view' };
  return (
    <ButtonDropdown
      items={[...saved.map(id => ({ id, text: wordsOf(id) })), saved.includes(view) ? remove : add]}
      expandToViewport
      onItemClick={({ detail: { id } }) => {
        if (id === '+') keep([...saved, view]);
        else if (id === '-') keep(saved.filter(one => one !== view));
        else open(id);
      }}
    >
      Views
    </ButtonDropdown>
  );
};
