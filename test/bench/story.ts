import { randomUUID } from 'node:crypto';
import { storyContext } from '../support/messages.ts';

const words =
  'the river rose again last night and the bridge at Karlsbruecke is closed until further notice; '.split(
    ' ',
  );

const assetOf = (index: number) => ({
  asset_id: `asset-${index}-${randomUUID()}`,
  asset_type: 'VIDEO',
  status: 'READY',
  evidential_position: 'PRIMARY',
  media_refs: [
    {
      source: `tams://store/flow-${index}`,
      label: Array.from(
        { length: 24 },
        (_, at) => words[(index * 31 + at * 7) % words.length],
      ).join(' '),
    },
  ],
});

/** A message and the two ids that are to be new each time it is sent. */
export interface Story {
  readonly text: string;
  readonly messageId: string;
  readonly correlationId: string;
}

/**
 * A first snapshot of a story, of about so many bytes, in which words repeat as they do in text.
 */
export const storyOf = (bytes: number): Story => {
  const [messageId, correlationId] = [randomUUID(), randomUUID()];
  const members = { message_id: messageId, correlation_id: correlationId };
  const assets = Array.from({ length: Math.max(1, Math.floor((bytes - 700) / 330)) }, (_, at) =>
    assetOf(at),
  );
  const text = JSON.stringify(storyContext({ story_id: `story-${messageId}`, assets }, members));
  return { text, messageId, correlationId };
};
