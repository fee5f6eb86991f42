import { useEffect, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { callThrough } from '../page/call.ts';
import { type Loading, useCall } from '../page/data.tsx';

type StoryPage = ResponseOf<'workspace.story'>;

/** Pages of fifty messages that one look at a story reads: the picture has them all. */
const maxPages = 8;

/** Messages of a story from one on; what the later pages say about the story is newer. */
const joinedPages = (one: StoryPage, later: StoryPage): StoryPage => {
  const { next: _, ...before } = one;
  return { ...before, ...later, messages: [...one.messages, ...later.messages] };
};

/** The messages of a story after a number, page by page. */
export const useStory = (w: string, correlation: string, after: string): Loading<StoryPage> => {
  const first = useCall('workspace.story', { names: { w }, query: { correlation, after } });
  const begin = first.value;
  const [whole, setWhole] = useState<{ readonly of: StoryPage; readonly read: StoryPage }>();
  useEffect(() => {
    let isOver = false;
    const readOn = async (page: StoryPage) => {
      let read = page;
      for (let pages = 1; pages < maxPages && read.next !== undefined && !isOver; pages += 1) {
        const query = { correlation, after: read.next };
        const reply = await callThrough('workspace.story', { names: { w }, query });
        if (isOver || reply.kind !== 'ok') return;
        read = joinedPages(read, reply.value);
        setWhole({ of: page, read });
      }
    };
    if (begin?.next !== undefined) void readOn(begin);
    return () => {
      isOver = true;
    };
  }, [begin, w, correlation]);
  const value = whole?.of === begin ? whole?.read : begin;
  return { ...first, value };
};
