import Input from '@cloudscape-design/components/input';
import { useEffect, useState } from 'react';
import { useValue } from './cell.ts';
import { filters, setFilters } from './location.ts';

/** Before the lists are read again: somebody may be typing on. */
const pauseMilliseconds = 300;

interface FindProps {
  readonly label: string;
  /** The filters that say which page of the lists is shown: what is found begins anew. */
  readonly pages: readonly string[];
}

/** What is to be found stands in the URL: the service looks for it in all that there is. */
export const Find = ({ label, pages }: FindProps) => {
  const given = useValue(filters).get('find') ?? '';
  const [text, setText] = useState(given);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pages are always the same
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text === (filters.value.get('find') ?? '')) return;
      const first = Object.fromEntries(pages.map(name => [name, '']));
      setFilters({ ...first, find: text });
    }, pauseMilliseconds);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <Input
      type="search"
      value={text}
      ariaLabel={label}
      placeholder={label}
      onChange={({ detail }) => setText(detail.value)}
    />
  );
};
