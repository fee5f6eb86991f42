import { spawnSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import type { CheckKind } from '../lib/contract/portal/checks.ts';
import { pythonClient, runOnFaultyBus, typescriptClient } from '../test/campaign/faulty-bus.ts';
import { tryMutatedTokens } from '../test/campaign/mutated-tokens.ts';
import { killNewsroom } from '../test/campaign/newsroom.ts';
import { checkPlanted } from '../test/campaign/planted-faults.ts';
import { type Pause, rotateUnderLoad } from '../test/campaign/rotations.ts';
import { compareEngines } from '../test/local/engines/dynamodb/differential/compare.ts';
import { pythonTools } from './python-tools.ts';

// Long runs of what the tests try in short: `npm run campaign -- <name> [count]`.

/** Lets every cache expire between two steps. */
const elevenSeconds: Pause = { outlivesCaches: true, until: () => setTimeout(11_000) };

const plantedFaults =
  (kind: CheckKind) =>
  async (count = 1_000) => {
    const figures = await checkPlanted(kind, count, one => console.error(JSON.stringify(one)));
    return {
      figures: { ...figures, wrong: figures.wrong.length },
      good: figures.isReferenceGood && figures.wrong.length === 0,
    };
  };

/** Each responds with its figures, and with whether they are as they should be. */
const campaigns: Readonly<
  Record<string, (count?: number) => Promise<{ figures: object; good: boolean }>>
> = {
  'mutated-tokens': async (count = 100_000) => {
    const { tried, accepted } = tryMutatedTokens(count);
    return { figures: { tried, accepted: accepted.length }, good: accepted.length === 0 };
  },
  differential: async (count = 24_000) => {
    const env = { ...process.env, SOMBUS_DIFFERENTIAL_RUNS: String(count) };
    const options = { env, stdio: 'inherit' } as const;
    const { status } = spawnSync(
      'node_modules/.bin/jest',
      ['test/long/schemas-differential'],
      options,
    );
    return { figures: { messages: count }, good: status === 0 };
  },
  dynamodb: async (count = 100_000) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const figures = await compareEngines(count, seed);
    if (figures.shortest) console.error(JSON.stringify(figures.shortest, undefined, 2));
    return { figures: { seed, ...figures }, good: !figures.shortest };
  },
  rotations: async (count = 50) => {
    const { failures, ...figures } = await rotateUnderLoad(count, elevenSeconds);
    return {
      figures: { ...figures, failures: failures.slice(0, 10) },
      good: failures.length === 0,
    };
  },
  'executor-faults': plantedFaults('executor'),
  'producer-faults': plantedFaults('producer'),
  'consumer-faults': plantedFaults('consumer'),
  newsroom: async (count = 20) => {
    const figures = await killNewsroom(count, Math.floor(Math.random() * 2 ** 31));
    return { figures, good: figures.missing.length === 0 && figures.others.length === 0 };
  },
  clients: async (count = 10_000) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const tools = pythonTools('httpx==0.28.1');
    const runs = [typescriptClient, ...(tools ? [pythonClient(tools.bin('python'))] : [])];
    const figures = [];
    for (const client of runs) figures.push(await runOnFaultyBus(client, count, seed));
    tools?.close();
    return {
      figures: { seed, runs: figures },
      good:
        figures.length === 2 &&
        figures.every(({ broken, twice }) => broken.length === 0 && twice === 0),
    };
  },
};

const [name = '', count] = process.argv.slice(2);
const campaign = campaigns[name];
if (campaign) {
  const start = performance.now();
  // One that does not come to its end has not been good.
  process.exitCode = 1;
  void campaign(count === undefined ? undefined : Number(count)).then(({ figures, good }) => {
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(
      `${name}: ${JSON.stringify(figures)} in ${seconds} s: ${good ? 'as it should be' : 'WRONG'}`,
    );
    process.exitCode = good ? 0 : 1;
  });
} else {
  console.error(
    `Usage: npm run campaign -- <name> [count]; names: ${Object.keys(campaigns).join(', ')}`,
  );
  process.exitCode = 2;
}
