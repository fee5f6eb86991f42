import { busReader, publishing, readBeside } from './bus.ts';
import { openLoop, percentile, together } from './load.ts';
import type { Measure } from './measures.ts';
import { withService } from './under-load.ts';

/** Publishes at a steady rate and a consumer that takes them, minute after minute; the first two are not compared. */
export const soak: Measure = {
  name: 'soak',
  isShort: false,
  measure: (checkout, { minutes, rate }) =>
    withService(checkout, async service => {
      const minute = async () => {
        const target = await publishing(service, 4_096);
        const reader = await busReader(service);
        const [{ steady }] = await readBeside(
          reader,
          openLoop(target, { perSecond: rate, seconds: 60, burst: 0 }),
        );
        reader.close();
        return steady;
      };
      for (let warm = 0; warm < 2; warm += 1) await minute();
      const before = await service.ask('heap');
      const loads = [];
      for (let done = 0; done < Math.floor(minutes / 2); done += 1) loads.push(await minute());
      const half = await service.ask('heap');
      while (loads.length < minutes) loads.push(await minute());
      const after = await service.ask('heap');
      const load = together(loads);
      const growth = (from: typeof before): number =>
        (100 * (after.heapUsed - from.heapUsed)) / from.heapUsed;
      const what = `${minutes} minutes of ${rate} a second`;
      return [
        { name: `${what}: heap before`, unit: 'MB', value: before.heapUsed / 1024 / 1024 },
        { name: `${what}: heap after`, unit: 'MB', value: after.heapUsed / 1024 / 1024 },
        { name: `${what}: growth`, unit: '%', value: growth(before), goal: { atMost: 5 } },
        { name: `${what}: growth in the second half`, unit: '%', value: growth(half) },
        { name: `${what}: resident memory before`, unit: 'MB', value: before.rss / 1024 / 1024 },
        { name: `${what}: resident memory after`, unit: 'MB', value: after.rss / 1024 / 1024 },
        { name: `${what}: p99`, unit: 'ms', value: percentile(load, 99) },
        { name: `${what}: refused`, unit: '', value: load.refused, goal: { atMost: 0 } },
      ];
    }),
};
