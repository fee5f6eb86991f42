import { temporaryFolder } from '../support/service-process.ts';
import { busReader, nullHandler, publishing } from './bus.ts';
import { type Checkout, type MeasuredService, startMeasured } from './checkout.ts';
import type { Figure, Measure } from './figures.ts';
import {
  closedLoop,
  openLoop,
  percentile,
  perSecond,
  send,
  type Target,
  together,
} from './load.ts';

const small = 4_096;
const large = 240_000;
/** Messages until the compiler has seen the code. */
const warmUp = 400;

/** Runs some work on a service with a new data folder. */
export const withService = async <T>(
  checkout: Checkout,
  work: (service: MeasuredService) => Promise<T>,
): Promise<T> => {
  const folder = temporaryFolder();
  const service = await startMeasured(checkout, folder.path);
  try {
    return await work(service);
  } finally {
    await service.stop('SIGKILL');
    folder.remove();
  }
};

/** Adds consumers that get everything. */
export const addConsumers = async (
  { sombus, ready }: MeasuredService,
  count: number,
): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    const flags = ['--kind', 'consumer', '--workspace', ready.workspace, '--app', `bench-${index}`];
    await sombus('connection', 'create', ...flags);
  }
};

/** A load by 8 clients, and the service's processor time in milliseconds for each request. */
const measuredLoad = async (service: MeasuredService, target: Target, seconds: number) => {
  const before = await service.usage();
  const load = await closedLoop(target, 8, seconds);
  const after = await service.usage();
  const processorEach =
    (after.processorMilliseconds - before.processorMilliseconds) / load.milliseconds.length;
  return { load, processorEach };
};

const goals = new Map([
  [1, undefined],
  [10, { atLeast: 400 }],
]);

/** Publishes of 4 KB by 8 clients, to so many subscribed consumers. */
const throughput = (consumers: number): Measure => ({
  name: `consumers-${consumers}`,
  isShort: true,
  measure: (checkout, { seconds }) =>
    withService(checkout, async service => {
      await addConsumers(service, consumers - 1);
      const target = await publishing(service, small);
      await send(target, warmUp, 8);
      const { load, processorEach } = await measuredLoad(service, target, seconds);
      const what = `4 KB, 8 clients, ${consumers} consumer${consumers > 1 ? 's' : ''}`;
      const goal = goals.get(consumers);
      return [
        { name: what, unit: 'per s', value: perSecond(load), ...(goal ? { goal } : {}) },
        { name: `${what}: p50`, unit: 'ms', value: percentile(load, 50) },
        { name: `${what}: p99`, unit: 'ms', value: percentile(load, 99) },
        { name: `${what}: processor time a message`, unit: 'ms', value: processorEach },
        { name: `${what}: refused`, unit: '', value: load.refused, goal: { atMost: 0 } },
      ];
    }),
});

const floor: Measure = {
  name: 'null-handler',
  isShort: true,
  measure: (checkout, { seconds }) =>
    withService(checkout, async service => {
      await closedLoop(nullHandler(service.port), 8, 1);
      const load = await closedLoop(nullHandler(service.port), 8, seconds);
      return [{ name: 'null handler, 8 clients', unit: 'per s', value: perSecond(load) }];
    }),
};

const alone: Measure = {
  name: 'alone',
  isShort: true,
  measure: (checkout, { seconds }) =>
    withService(checkout, async service => {
      const target = await publishing(service, small);
      await send(target, warmUp, 8);
      const load = await closedLoop(target, 1, seconds);
      return [
        {
          name: '4 KB, one client alone: p50',
          unit: 'ms',
          value: percentile(load, 50),
          goal: { atMost: 5 },
        },
        { name: '4 KB, one client alone: p99', unit: 'ms', value: percentile(load, 99) },
      ];
    }),
};

const burst: Measure = {
  name: 'burst',
  isShort: false,
  measure: (checkout, { steadySeconds }) =>
    withService(checkout, async service => {
      const target = await publishing(service, small);
      await send(target, warmUp, 8);
      const { steady, burst } = await openLoop(target, {
        perSecond: 200,
        seconds: steadySeconds,
        burst: 400,
      });
      const what = `200 a second for ${steadySeconds} s, 400 at once`;
      const refused = steady.refused + burst.refused;
      return [
        { name: `${what}: refused`, unit: '', value: refused, goal: { atMost: 0 } },
        { name: `${what}: p50, steady`, unit: 'ms', value: percentile(steady, 50) },
        {
          name: `${what}: p99, steady`,
          unit: 'ms',
          value: percentile(steady, 99),
          goal: { atMost: 50 },
        },
        {
          name: `${what}: p99, at once`,
          unit: 'ms',
          value: percentile(burst, 99),
          goal: { atMost: 1_500 },
        },
      ];
    }),
};

const largeMessages: Measure = {
  name: 'large',
  isShort: true,
  measure: (checkout, { seconds }) =>
    withService(checkout, async service => {
      const target = await publishing(service, large);
      await send(target, warmUp / 8, 8);
      const { load, processorEach } = await measuredLoad(service, target, seconds);
      return [
        {
          name: '240,000 bytes, 8 clients',
          unit: 'per s',
          value: perSecond(load),
          goal: { atLeast: 120 },
        },
        {
          name: '240,000 bytes: processor time a message',
          unit: 'ms',
          value: processorEach,
          goal: { atMost: 8 },
        },
      ] satisfies readonly Figure[];
    }),
};

/**
 * Publishes at a steady rate and a consumer that takes them, minute after minute; the first two are
 * not compared.
 */
const soak: Measure = {
  name: 'soak',
  isShort: false,
  measure: (checkout, { minutes, rate }) =>
    withService(checkout, async service => {
      const minute = async () => {
        const target = await publishing(service, 4_096);
        const reader = await busReader(service);
        let isOver = false;
        const load = openLoop(target, { perSecond: rate, seconds: 60, burst: 0 }).finally(() => {
          isOver = true;
        });
        while (!isOver) await reader.take(1);
        const { steady } = await load;
        reader.close();
        return steady;
      };
      for (let warm = 0; warm < 2; warm += 1) await minute();
      const before = await service.usage();
      const loads = [];
      for (let done = 0; done < Math.floor(minutes / 2); done += 1) loads.push(await minute());
      const half = await service.usage();
      while (loads.length < minutes) loads.push(await minute());
      const after = await service.usage();
      const load = together(loads);
      const growth = (from: typeof before): number =>
        (100 * (after.heapMegabytes - from.heapMegabytes)) / from.heapMegabytes;
      const what = `${minutes} minutes of ${rate} a second`;
      return [
        { name: `${what}: heap before`, unit: 'MB', value: before.heapMegabytes },
        { name: `${what}: heap after`, unit: 'MB', value: after.heapMegabytes },
        { name: `${what}: growth`, unit: '%', value: growth(before), goal: { atMost: 5 } },
        { name: `${what}: growth in the second half`, unit: '%', value: growth(half) },
        { name: `${what}: resident memory before`, unit: 'MB', value: before.residentMegabytes },
        { name: `${what}: resident memory after`, unit: 'MB', value: after.residentMegabytes },
        { name: `${what}: p99`, unit: 'ms', value: percentile(load, 99) },
        { name: `${what}: refused`, unit: '', value: load.refused, goal: { atMost: 0 } },
      ];
    }),
};

export const underLoad: readonly Measure[] = [
  floor,
  ...[1, 3, 10].map(throughput),
  alone,
  burst,
  largeMessages,
  soak,
];
