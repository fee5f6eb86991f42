import { producer } from '../corpus/connections.ts';
import { costlyBodies } from '../corpus/costly-bodies.ts';
import { fullStory } from '../corpus/full-story.ts';
import { bytesOf, envelope } from '../corpus/messages.ts';
import { judgementOf } from '../support/judgement-of.ts';

const longestStallMilliseconds = 50;
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

const stalls = costlyBodies
  .map(([what, body]) => [what, stallOf(body)] as const)
  .sort(([, a], [, b]) => b - a);
process.stdout.write(
  `hostile-input: how long a verdict of ${stalls.length} hostile bodies keeps the event loop, at most ${longestStallMilliseconds} ms\n`,
);
for (const [what, milliseconds] of stalls.slice(0, 3))
  process.stdout.write(`${milliseconds.toFixed(1).padStart(6)} ms  ${what}\n`);
if (stalls.some(([, milliseconds]) => milliseconds >= longestStallMilliseconds)) process.exitCode = 1;
