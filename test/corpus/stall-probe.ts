import { verdict } from '../../lib/domain/message/verdict.ts';
import { producer } from './connections.ts';
import { hostileBodies, items, longTexts, storyWith } from './hostile.ts';
import { bytesOf, envelope, fullStory } from './messages.ts';

/** Milliseconds of the shortest of three verdicts: what the code needs, not what a busy machine adds. */
const stallOf = (body: Uint8Array): number => {
  const runs = [1, 2, 3].map(() => {
    const start = performance.now();
    verdict(body, producer(), {});
    return performance.now() - start;
  });
  return Math.min(...runs);
};

for (let i = 0; i < 200; i++) verdict(bytesOf(envelope('story.context', fullStory())), producer(), {});

const tags = Array.from({ length: 5000 }, (_, i) => ({ scheme: 'newsroom', value: `${i}` }));
const bodies: readonly (readonly [string, Uint8Array])[] = [
  ...hostileBodies.map(([what, body]) => [what, body] as const),
  ...longTexts,
  ['5,000 distinct tags', storyWith({ tags })],
  ['12,000 distinct tags', items('tags', i => `{"value":"${i}"}`)],
];

process.stdout.write(JSON.stringify(bodies.map(([what, body]) => [what, stallOf(body)])));
