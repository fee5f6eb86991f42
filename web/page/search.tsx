import Autosuggest, { type AutosuggestProps } from '@cloudscape-design/components/autosuggest';
import { useEffect, useRef, useState } from 'react';
import type { Found, SearchResponse } from '../../lib/contract/portal/overview-responses.ts';
import { call } from './call.ts';
import { useValue } from './cell.ts';
import { goTo, urlOf } from './location.ts';
import { workspace } from './workspaces.ts';

type Option = AutosuggestProps.Option & { readonly value: string };

/** Before a call is made: somebody may be typing on. */
const pauseMilliseconds = 250;

/** Parts of a search that the field reads by itself: each says how far it came. */
const maxParts = 4;

const optionOf = (w: string, one: Found): Option => {
  switch (one.kind) {
    case 'message':
      return {
        value: urlOf('message', { w, m: one.message_id }),
        label: one.message_type ?? 'Message',
        description: `${one.accepted_at === undefined ? 'refused' : 'accepted'} · ${one.message_id}`,
      };
    case 'story':
      return {
        value: urlOf('story', { w }, { correlation: one.correlation_id }),
        label: one.headline ?? one.slug ?? one.story_id,
        description: one.story_id,
      };
    case 'connection':
      return {
        value: urlOf('connection', { w, c: one.connection_id }),
        label: one.app_name,
        description: one.connection_id,
      };
    case 'rule':
      return {
        value: urlOf('activity', { w }, { rule: one.rule, kind: 'refused' }),
        label: one.rule,
        description: 'refusals by this rule',
      };
  }
};

const kinds = [
  ['message', 'Messages'],
  ['story', 'Stories'],
  ['connection', 'Connections'],
  ['rule', 'Rules'],
] as const;

interface State {
  readonly found: readonly Found[];
  /** What is known of how far the search came. */
  readonly words: string;
  readonly isOver: boolean;
}

const wordsOf = ({ next, not_searched: left = [] }: SearchResponse, count: number): string => {
  if (next !== undefined) return 'Not everything was searched: type more to narrow it down.';
  if (left.includes('stories'))
    return 'Other organisations’ messages and story titles were not searched: you are a guest here.';
  return count === 0 ? 'Nothing here has this id, headline, slug, name or rule.' : '';
};

/** Searches part by part, and shows what each one found. */
const search = async (w: string, q: string, show: (state: State) => boolean): Promise<void> => {
  let [found, after]: [readonly Found[], string] = [[], ''];
  for (let part = 1; part <= maxParts; part += 1) {
    const reply = await call('workspace.search', { names: { w }, query: { q, after } });
    if (reply.kind !== 'ok') {
      show({ found, words: reply.message, isOver: true });
      return;
    }
    found = [...found, ...reply.value.found];
    after = reply.value.next ?? '';
    const isOver = after === '' || part === maxParts;
    if (!show({ found, words: wordsOf(reply.value, found.length), isOver }) || isOver) return;
  }
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

const useSearch = (w: string) => {
  const [text, setText] = useState('');
  const [state, setState] = useState<State | undefined>(undefined);
  const wanted = text.trim();
  useEffect(() => {
    setState(undefined);
    if (wanted.length < 2) return;
    let isLeft = false;
    const show = (next: State) => {
      if (!isLeft) setState(next);
      return !isLeft;
    };
    const timer = setTimeout(() => void search(w, wanted, show), pauseMilliseconds);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [w, wanted]);
  const groups = kinds
    .map(([kind, label]) => ({
      label,
      options: (state?.found ?? []).filter(one => one.kind === kind).map(one => optionOf(w, one)),
    }))
    .filter(({ options }) => options.length > 0);
  return { text, setText, groups, state, isLooking: wanted.length > 1 && !state?.isOver };
};

/** Finds a message, a story, a connection or a rule from every page; `/` leads here. */
const WorkspaceSearch = ({ w }: { readonly w: string }) => {
  const field = useRef<AutosuggestProps.Ref>(null);
  const { text, setText, groups, state, isLooking } = useSearch(w);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
  const open = (url: string) => {
    setText('');
    goTo(url);
  };
  return (
    <Autosuggest
      ref={field}
      value={text}
      ariaLabel="Search"
      placeholder={innerWidth < 700 ? 'Search' : 'Search ( / )'}
      options={groups}
      filteringType="manual"
      hideEnteredTextOption
      statusType={isLooking ? 'loading' : 'finished'}
      loadingText="Searching…"
      finishedText={state?.words ?? ''}
      empty={state?.words ?? 'Type an id, a headline, a slug, a name or a rule'}
      onChange={({ detail }) => setText(detail.value)}
      onSelect={({ detail }) => open(detail.value)}
      onKeyDown={({ detail }) => {
        const first = groups[0]?.options[0];
        if (detail.key === 'Enter' && first && text.trim() !== '') open(first.value);
      }}
    />
  );
};

export const Search = () => {
  const w = useValue(workspace)?.id;
  return w === undefined ? null : <WorkspaceSearch key={w} w={w} />;
};
