import { judgementOf } from '../support/judgement-of.ts';
import { producer } from './connections.ts';
import { fullStory } from './full-story.ts';
import { hostileBodies, items, longTexts, storyWith } from './hostile.ts';
import { bytesOf, envelope } from './messages.ts';

const quick = 25;

/** Processor milliseconds since `before`, of all threads: no less than the event loop's own. */
const processorMilliseconds = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/** Milliseconds of the shortest verdict: what the code needs, not what a busy machine adds. Asks up to forty times. */
const stallOf = (body: Uint8Array): number => {
  let shortest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 40 && shortest > quick; run++) {
    const [start, used] = [performance.now(), process.cpuUsage()];
    judgementOf(body, producer(), {});
    shortest = Math.min(shortest, performance.now() - start, processorMilliseconds(used));
  }
  return shortest;
};

for (let i = 0; i < 200; i++) judgementOf(bytesOf(envelope('story.context', fullStory())), producer(), {});

const tags = Array.from({ length: 5000 }, (_, i) => ({ scheme: 'newsroom', value: `${i}` }));
const bodies: readonly (readonly [string, Uint8Array])[] = [
  ...hostileBodies.map(([what, body]) => [what, body] as const),
  ...longTexts,
  ['5,000 distinct tags', storyWith({ tags })],
  ['12,000 distinct tags', items('tags', i => `{"value":"${i}"}`)],
];

process.stdout.write(JSON.stringify(bodies.map(([what, body]) => [what, stallOf(body)])));
