import { parseArgs } from 'node:util';
import { temporaryFolder } from '../support/service-process.ts';
import { publishing } from './bus.ts';
import { type Checkout, checkoutAt, type MeasuredService, startMeasured } from './checkout.ts';
import { digits, median, print, table } from './figures.ts';
import { closedLoop, perSecond, send, type Target } from './load.ts';

/*
 * npm run bench -- beside [--against ../other] [--clients 8] [--pairs 30]
 *
 * Two services run at the same time and are loaded by turns, a second each: a machine that changes
 * its speed from minute to minute does so for both. Beside itself, a checkout tells the noise.
 */
const { values } = parseArgs({
  options: {
    checkout: { type: 'string', default: '.' },
    against: { type: 'string', default: '.' },
    clients: { type: 'string', default: '8' },
    pairs: { type: 'string', default: '30' },
  },
});

const messageBytes = 4_096;
/** Messages until the compiler has seen the code. */
const warmUp = 4_000;

interface Competitor {
  readonly service: MeasuredService;
  readonly target: Target;
}

/** What a second of publishes came to. */
interface Slice {
  readonly perSecond: number;
  readonly processorEach: number;
}

const measureSlice = async ({ service, target }: Competitor): Promise<Slice> => {
  const before = await service.usage();
  const load = await closedLoop(target, Number(values.clients), 1);
  const after = await service.usage();
  const processor = after.processorMilliseconds - before.processorMilliseconds;
  return { perSecond: perSecond(load), processorEach: processor / load.milliseconds.length };
};

interface Pair {
  readonly first: Slice;
  readonly second: Slice;
}

const measurePairs = async (first: Competitor, second: Competitor): Promise<readonly Pair[]> => {
  const pairs: Pair[] = [];
  while (pairs.length < Number(values.pairs)) {
    // Each begins every second pair.
    if (pairs.length % 2 === 0)
      pairs.push({ first: await measureSlice(first), second: await measureSlice(second) });
    else {
      const later = await measureSlice(second);
      pairs.push({ first: await measureSlice(first), second: later });
    }
  }
  return pairs;
};

/** Starts both, the first one first: that alone may be worth some percent. */
const beside = async (first: Checkout, second: Checkout): Promise<readonly Pair[]> => {
  const folders = [temporaryFolder(), temporaryFolder()] as const;
  const services: MeasuredService[] = [];
  const compete = async (checkout: Checkout, data: string): Promise<Competitor> => {
    const service = await startMeasured(checkout, data);
    services.push(service);
    const target = await publishing(service, messageBytes);
    await send(target, warmUp, 8);
    return { service, target };
  };
  try {
    const one = await compete(first, folders[0].path);
    return await measurePairs(one, await compete(second, folders[1].path));
  } finally {
    for (const service of services) await service.stop('SIGKILL');
    for (const folder of folders) folder.remove();
  }
};

const rowOf = (
  name: string,
  pairs: readonly Pair[],
  figure: (slice: Slice) => number,
): readonly string[] => [
  name,
  digits(median(pairs.map(({ first }) => figure(first)))),
  digits(median(pairs.map(({ second }) => figure(second)))),
  median(pairs.map(({ first, second }) => figure(first) / figure(second))).toFixed(3),
];

const main = async (): Promise<void> => {
  const [here, there] = [checkoutAt(values.checkout), checkoutAt(values.against)];
  const swapped = await beside(there, here);
  const pairs = [
    ...(await beside(here, there)),
    ...swapped.map(({ first, second }) => ({ first: second, second: first })),
  ];
  const rows = [
    rowOf('publishes, per s', pairs, slice => slice.perSecond),
    rowOf('processor time a message, ms', pairs, slice => slice.processorEach),
  ];
  print(table([`4 KB, ${values.clients} clients`, here.name, there.name, 'times'], rows));
};

void main();
