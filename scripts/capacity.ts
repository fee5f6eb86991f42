import { readFileSync, writeFileSync } from 'node:fs';
import { throttles, windows } from '../lib/contract/limits.ts';
import { percentileOf, simulateHouse } from '../test/simulation/paced-house.ts';
import { between, markdownTable } from './generated-parts.ts';

// Writes the table of newsrooms into docs/scale.md. What a consumer asks for comes from the
// simulation with the official client: a minute of it, when it is in its stride.

const rates = [1, 5, 20] as const;
const systems = [4, 8, 16] as const;
const minutes = 10;

interface Stride {
  readonly perSecond: number;
  readonly isPaced: boolean;
  readonly requestsPerMinute: number;
  readonly lagSeconds: number;
}

/** How a consumer goes on that has as much of an address as it wants. */
const strideOf = async (perSecond: number, isPaced: boolean): Promise<Stride> => {
  const plan = { seed: 1, consumers: 1, minutes, perSecond, correlations: 1_000, allowed: 1e6 };
  const pace = isPaced ? {} : { requestsPerMinute: Number.POSITIVE_INFINITY };
  const { pulls, acks, lags } = await simulateHouse({ ...plan, ...pace });
  const requestsPerMinute = (pulls + acks) / minutes;
  const lagSeconds = percentileOf(lags, 95) / 1000;
  return { perSecond, isPaced, requestsPerMinute, lagSeconds };
};

const perAddress = windows.anyRoutePerAddress.requests;
const perEnvironment = throttles.wholeApi.perSecond * 60;

/** A newsroom has a producer for all that it says, and a consumer in each of its systems. */
const newsrooms = ({ perSecond, requestsPerMinute }: Stride, count: number): string => {
  const requests = 60 * perSecond + count * requestsPerMinute;
  const [ofAddress, ofEnvironment] = [perAddress, perEnvironment].map(one =>
    Math.floor(one / requests),
  );
  return `${ofAddress}, ${ofEnvironment}`;
};

const main = async (): Promise<void> => {
  const rows: string[][] = [];
  for (const perSecond of rates)
    for (const isPaced of [true, false]) {
      const stride = await strideOf(perSecond, isPaced);
      const { requestsPerMinute, lagSeconds } = stride;
      rows.push([
        String(perSecond),
        isPaced ? 'yes' : 'no',
        requestsPerMinute.toFixed(0),
        `${lagSeconds.toFixed(1)} s`,
        ...systems.map(count => newsrooms(stride, count)),
      ]);
    }
  const head = [
    'messages a second',
    'paced',
    'requests of a consumer a minute',
    'lag, 95 of 100',
    ...systems.map(count => `${count} systems`),
  ];
  const page = readFileSync('docs/scale.md', 'utf8');
  writeFileSync('docs/scale.md', between(page, 'newsrooms', markdownTable(head, rows), 'capacity'));
};

void main();
