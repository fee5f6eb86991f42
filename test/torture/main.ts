import { parseArgs } from 'node:util';
import { torture } from './torture.ts';

/** `npm run torture [-- --kills N] [--publishes M]`: 100 publishes for each kill by default. */
const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: { kills: { type: 'string' }, publishes: { type: 'string' } } });
  const kills = Number(values.kills ?? 50);
  const publishes = Number(values.publishes ?? kills * 100);
  const result = await torture({ kills, publishes, producers: 20, stories: 200, consumers: 3 });
  for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(18)} ${value}`);
  const { lost, outOfOrder, changed, committedTwice, keptThoughRefused } = result;
  process.exitCode = lost + outOfOrder + changed + committedTwice + keptThoughRefused === 0 ? 0 : 1;
};

void main();
