import { useEffect, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { StoryMessage } from '../../lib/contract/portal/work-responses.ts';
import { call } from '../page/call.ts';

/** Pages of a story that one look for an earlier snapshot reads. */
const maxPages = 16;

/**
 * The message of the same type before one: among its neighbours, or further back. A story may have
 * many links between two snapshots.
 */
export const usePrevious = (
  w: string,
  life: ResponseOf<'workspace.message'>,
  neighbours: readonly StoryMessage[],
): StoryMessage | undefined => {
  const [previous, setPrevious] = useState<StoryMessage | undefined>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a message does not change
  useEffect(() => {
    const find = async () => {
      let page = neighbours;
      let from = life.message_id;
      for (let count = 0; count < maxPages; count += 1) {
        const at = page.findIndex(one => one.message_id === from);
        const earlier = page.slice(0, Math.max(0, at));
        const found = earlier.findLast(one => one.message_type === life.message_type);
        setPrevious(found);
        const [first] = earlier;
        if (found || !first) return;

        from = first.message_id;
        // A page around a message begins before it.
        const query = { correlation: life.correlation_id ?? '', around: from };
        const reply = await call('workspace.story', { names: { w }, query });
        if (reply.kind !== 'ok') return;
        page = reply.value.messages;
      }
    };
    void find();
  }, [life.message_id, neighbours]);
  return previous;
};
