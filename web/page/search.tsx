import Autosuggest, { type AutosuggestProps } from '@cloudscape-design/components/autosuggest';
import { useEffect, useRef, useState } from 'react';
import { addressOf, goTo } from './address.ts';
import { call } from './call.ts';
import { useValue } from './cell.ts';
import { connections, workspace } from './places.ts';

type Options = readonly (AutosuggestProps.Option & { readonly value: string })[];

/** Before a call is made: somebody may be typing on. */
const pauseMilliseconds = 250;

const maxShown = 6;

const looksLikeId = (text: string): boolean => /^[0-9a-f]{8}-[0-9a-f-]{10,}$/i.test(text);

const storiesWith = async (w: string, find: string): Promise<Options> => {
  const reply = await call('workspace.stories', { names: { w }, query: { find } });
  if (reply.kind !== 'ok') return [];
  return reply.value.stories.slice(0, maxShown).map(story => ({
    value: addressOf('story', { w }, { correlation: story.correlation_id }),
    label: story.title ?? story.story_id ?? story.correlation_id,
    description: `${story.messages} ${story.messages === 1 ? 'message' : 'messages'}`,
  }));
};

const messageWith = async (w: string, m: string): Promise<Options> => {
  const reply = await call('workspace.message', { names: { w, m } });
  if (reply.kind !== 'ok') return [];
  const { message_type: type = 'Message', verdict } = reply.value;
  return [{ value: addressOf('message', { w, m }), label: type, description: `${verdict} · ${m}` }];
};

const pagesFor = (w: string, text: string): Options => [
  {
    value: addressOf('story', { w }, { find: text }),
    label: `Stories with “${text}”`,
  },
  {
    value: addressOf('activity', { w }, { [looksLikeId(text) ? 'correlation' : 'rule']: text }),
    label: looksLikeId(text) ? 'Activity of this story' : `Refusals by a rule “${text}”`,
  },
];

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

const useSearch = (w: string) => {
  const [text, setText] = useState('');
  const [found, setFound] = useState<{ readonly stories: Options; readonly messages: Options }>();
  const known = useValue(connections);
  const wanted = text.trim();
  useEffect(() => {
    setFound(undefined);
    if (wanted.length < 2) return;
    let isOver = false;
    const look = async () => {
      const [stories, messages] = await Promise.all([
        storiesWith(w, wanted),
        looksLikeId(wanted) ? messageWith(w, wanted) : [],
      ]);
      if (!isOver) setFound({ stories, messages });
    };
    const timer = setTimeout(() => void look(), pauseMilliseconds);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [w, wanted]);
  const named = known
    .filter(one => `${one.app_name} ${one.connection_id}`.toLowerCase().includes(wanted.toLowerCase()))
    .slice(0, maxShown)
    .map(one => ({
      value: addressOf('connection', { w, c: one.connection_id }),
      label: one.app_name,
      description: `${one.kind} · ${one.connection_id}`,
    }));
  const groups = [
    { label: 'Messages', options: found?.messages ?? [] },
    { label: 'Stories', options: found?.stories ?? [] },
    { label: 'Connections', options: named },
    { label: 'Look further', options: pagesFor(w, wanted) },
  ].filter(({ options }) => options.length > 0);
  return { text, setText, groups: wanted === '' ? [] : groups, isLooking: wanted.length > 1 && !found };
};

/** Finds a message, a story, a connection or a rule from every page; `/` leads here. */
const WorkspaceSearch = ({ w }: { readonly w: string }) => {
  const field = useRef<AutosuggestProps.Ref>(null);
  const { text, setText, groups, isLooking } = useSearch(w);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
  const open = (address: string) => {
    setText('');
    goTo(address);
  };
  return (
    <Autosuggest
      ref={field}
      value={text}
      ariaLabel="Search"
      placeholder="Search a message, story, connection or rule ( / )"
      options={groups}
      filteringType="manual"
      hideEnteredTextOption
      statusType={isLooking ? 'loading' : 'finished'}
      loadingText="Searching stories…"
      empty="Type an id, a headline, a name or a rule"
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
