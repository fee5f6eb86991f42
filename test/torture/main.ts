import { parseArgs } from 'node:util';
import { lackOfFullDisks } from './disturb.ts';
import { torture } from './torture.ts';

/** What must not have happened. */
const isClean = (result: Awaited<ReturnType<typeof torture>>): boolean => {
  const { lost, outOfOrder, changed, committedTwice, keptThoughRefused, faults } = result;
  return lost + outOfOrder + changed + committedTwice + keptThoughRefused + faults === 0;
};

const disturb = async (kills: number, asked: number, publishes: number): Promise<boolean> => {
  const lack = asked > 0 ? lackOfFullDisks() : undefined;
  if (lack) console.log(`no full disks: ${lack}`);
  const fullDisks = lack ? 0 : asked;
  const result = await torture({
    kills,
    fullDisks,
    publishes: publishes || (kills + fullDisks) * 100,
    producers: 20,
    stories: 200,
    consumers: 3,
  });
  for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(18)} ${value}`);
  return isClean(result);
};

/**
 * `npm run torture [-- --kills N] [--full-disk N] [--publishes M]`: 100 publishes for each kill and
 * each full disk by default.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string' },
      'full-disk': { type: 'string', default: '0' },
      publishes: { type: 'string', default: '0' },
    },
  });
  const fullDisks = Number(values['full-disk']);
  const kills = Number(values.kills ?? (fullDisks > 0 ? 0 : 50));
  const isOk = await disturb(kills, fullDisks, Number(values.publishes));
  process.exitCode = isOk ? 0 : 1;
};

void main();
