import { simulate } from './simulate.ts';

/** How many worlds `npm test` runs; `npm run simulate` runs more. */
const seeds = 400;

const main = async (): Promise<void> => {
  const broken: number[] = [];
  let committed = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const outcome = await simulate(seed);
    committed += outcome.committed;
    if (outcome.violation) broken.push(seed);
  }
  process.stdout.write(JSON.stringify({ seeds, committed, broken }));
};

void main();
