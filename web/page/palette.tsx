import Autosuggest, { type AutosuggestProps } from '@cloudscape-design/components/autosuggest';
import Modal from '@cloudscape-design/components/modal';
import { useEffect, useRef, useState } from 'react';
import type { SearchMatch, SearchResponse } from '../../lib/contract/portal/overview-responses.ts';
import { pageTitles, workspacePlaces } from '../places.ts';
import { call } from './call.ts';
import { useValue } from './cell.ts';
import { goTo, urlBelow, urlOf } from './location.ts';
import { workspace } from './workspaces.ts';

type Option = AutosuggestProps.Option & { readonly value: string };

/** Before a call is made: somebody may be typing on. */
const pauseMilliseconds = 250;

/** Parts of a search that the field reads by itself: each says how far it came. */
const maxParts = 4;

const optionOf = (w: string, one: SearchMatch): Option => {
  switch (one.kind) {
    case 'message':
      return {
        value: urlOf('message', { w, m: one.message_id }),
        label: one.message_type ?? 'Message',
        labelTag: 'Message',
        iconName: 'file',
        description: `${one.accepted_at === undefined ? 'refused' : 'accepted'} · ${one.message_id}`,
      };
    case 'story':
      return {
        value: urlOf('story', { w }, { correlation: one.correlation_id }),
        label: one.headline ?? one.slug ?? one.story_id,
        labelTag: 'Story',
        iconName: 'folder',
        description: one.story_id,
      };
    case 'connection':
      return {
        value: urlOf('connection', { w, c: one.connection_id }),
        label: one.app_name,
        labelTag: 'Connection',
        iconName: 'share',
        description: one.connection_id,
      };
    case 'rule':
      return {
        value: urlOf('activity', { w }, { rule: one.rule, kind: 'refused' }),
        label: one.rule,
        labelTag: 'Rule',
        iconName: 'status-warning',
        description: 'refusals by this rule',
      };
  }
};

const kinds = [
  ['connection', 'Connections'],
  ['story', 'Stories'],
  ['message', 'Messages'],
  ['rule', 'Rules'],
] as const;

/** The pages that fit what was typed; all of them before that. */
const pageOptions = (w: string | undefined, text: string): readonly Option[] => {
  const places = w === undefined ? [] : workspacePlaces;
  const pages = [
    { label: pageTitles.home, value: urlOf('home') },
    ...places.map(one => ({ label: one.text, value: urlOf(one.page, { w: w ?? '' }) })),
    { label: pageTitles.skills, value: urlOf('skills') },
    { label: 'Documentation', value: urlBelow('/docs') },
  ];
  return pages
    .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
    .map(one => ({ ...one, labelTag: 'Page', iconName: 'angle-right' }));
};

interface State {
  readonly found: readonly SearchMatch[];
  /** What is known of how far the search came. */
  readonly words: string;
  readonly isOver: boolean;
}

const nothingFound = 'Nothing here has this id, headline, slug, name or rule.';

const wordsOf = ({ next, not_searched: left = [] }: SearchResponse, count: number): string => {
  if (next !== undefined) return 'Not everything was searched: type more to narrow it down.';
  if (left.includes('stories'))
    return 'Other organisations’ messages and story titles were not searched: you are a guest here.';
  return count === 0 ? nothingFound : '';
};

/** Searches part by part, and shows what each one found for as long as `show` wants more. */
const search = async (w: string, q: string, show: (state: State) => boolean): Promise<void> => {
  let found: readonly SearchMatch[] = [];
  let after = '';
  for (let part = 1; part <= maxParts; part += 1) {
    const reply = await call('workspace.search', { names: { w }, query: { q, after } });
    if (reply.kind !== 'ok') {
      show({ found, words: reply.message, isOver: true });
      return;
    }
    found = [...found, ...reply.value.found];
    after = reply.value.next ?? '';
    const isOver = after === '' || part === maxParts;
    const isWanted = show({ found, words: wordsOf(reply.value, found.length), isOver });
    if (isOver || !isWanted) return;
  }
};

/** Shorter texts fit nearly everything. */
const minCharacters = 2;

/** What a workspace has of a text, once somebody has stopped typing. */
const useFound = (w: string | undefined, wanted: string): State | undefined => {
  const [state, setState] = useState<State | undefined>(undefined);
  useEffect(() => {
    setState(undefined);
    if (w === undefined || wanted.length < minCharacters) return;
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
  return state;
};

const useSearch = (w: string | undefined) => {
  const [text, setText] = useState('');
  const wanted = text.trim();
  const state = useFound(w, wanted);
  const found = kinds.map(([kind, label]) => {
    const these = state?.found.filter(one => one.kind === kind) ?? [];
    return { label, options: these.map(one => optionOf(w ?? '', one)) };
  });
  const pages = { label: 'Pages', options: pageOptions(w, wanted) };
  const groups = [...found, pages].filter(({ options }) => options.length > 0);
  const isLooking = w !== undefined && wanted.length >= minCharacters && !state?.isOver;
  return { text, setText, groups, state, isLooking };
};

/** The documentation is no page of the portal: the browser itself goes there. */
const leave = (url: string): void => {
  if (url === urlBelow('/docs')) location.assign(url);
  else goTo(url);
};

/** Finds a page, a message, a story, a connection or a rule, and says of each which it is. */
export const Palette = ({ close }: { close(): void }) => {
  const w = useValue(workspace)?.id;
  const field = useRef<AutosuggestProps.Ref>(null);
  const { text, setText, groups, state, isLooking } = useSearch(w);
  // The dialog has put the focus on its first button by then.
  useEffect(() => {
    const frame = requestAnimationFrame(() => field.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  const open = (url: string) => {
    close();
    leave(url);
  };
  return (
    <Modal visible position="top" header="Find anything" size="large" onDismiss={close}>
      <div className="palette">
        <Autosuggest
          ref={field}
          value={text}
          ariaLabel="Search"
          placeholder="An id, a headline, a name, a rule or a page"
          options={groups}
          filteringType="manual"
          hideEnteredTextOption
          statusType={isLooking ? 'loading' : 'finished'}
          loadingText="Searching…"
          finishedText={state?.words ?? ''}
          empty={state?.words ?? nothingFound}
          onChange={({ detail }) => setText(detail.value)}
          onSelect={({ detail }) => {
            const found = groups.flatMap(({ options }) => options.map(({ value }) => value));
            // Enter selects what was typed if the arrow keys have reached nothing.
            const chosen = found.includes(detail.value) ? detail.value : found[0];
            if (chosen !== undefined) open(chosen);
          }}
        />
      </div>
    </Modal>
  );
};
