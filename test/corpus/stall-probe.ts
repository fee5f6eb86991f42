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

/** Milliseconds of one verdict. */
const millisecondsOf = (body: Uint8Array): number => {
  const [start, used] = [performance.now(), process.cpuUsage()];
  judgementOf(body, producer(), {});
  return Math.min(performance.now() - start, processorMilliseconds(used));
};

const tags = Array.from({ length: 5000 }, (_, i) => ({ scheme: 'newsroom', value: `${i}` }));
const acceptedTags = storyWith({ tags });

/**
 * Milliseconds of the shortest verdict: what the code needs, not what a busy machine adds. Asks up to ten times; where the
 * first was not quick, also for 5,000 accepted tags, in turns, so that both meet the same machine.
 */
const stallOf = (body: Uint8Array): readonly [stall: number, accepted: number] => {
  let stall = millisecondsOf(body);
  if (stall <= quick) return [stall, 0];
  let accepted = millisecondsOf(acceptedTags);
  for (let run = 1; run < 10 && stall > quick; run++) {
    stall = Math.min(stall, millisecondsOf(body));
    accepted = Math.min(accepted, millisecondsOf(acceptedTags));
  }
  return [stall, accepted];
};

for (let i = 0; i < 200; i++) judgementOf(bytesOf(envelope('story.context', fullStory())), producer(), {});

const bodies: readonly (readonly [string, Uint8Array])[] = [
  ...hostileBodies.map(([what, body]) => [what, body] as const),
  ...longTexts,
  ['5,000 distinct tags', acceptedTags],
  ['12,000 distinct tags', items('tags', i => `{"value":"${i}"}`)],
];

process.stdout.write(JSON.stringify(bodies.map(([what, body]) => [what, ...stallOf(body)])));
