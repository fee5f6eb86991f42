import { addTo, type CountHistory, noSums, type Sums } from '../activity/counts.ts';
import { type Clock, iso } from '../contract/outside.ts';
import type { VolumePoint, VolumeResponse } from '../contract/overview-responses.ts';
import { latenciesOf, producerCounts } from './overview.ts';

const ranges = {
  hour: { steps: 60, stepSeconds: 60 },
  day: { steps: 96, stepSeconds: 900 },
  week: { steps: 168, stepSeconds: 3_600 },
} as const satisfies Record<VolumeResponse['range'], object>;

const pointOf = (at: number, sums: Sums): VolumePoint => {
  const { delivered, pulled, acknowledged } = sums.counts;
  return { at: iso(at), ...producerCounts(sums), delivered, pulled, acknowledged, ...latenciesOf(sums) };
};

/** How much some connections published and consumed, step by step; of all connections if none are named. */
export const readVolume = async (
  { clock, counts }: { readonly clock: Clock; readonly counts: CountHistory },
  workspace: string,
  {
    range,
    only,
  }: { readonly range: VolumeResponse['range']; readonly only: ReadonlySet<string> | undefined },
): Promise<VolumeResponse> => {
  const { steps, stepSeconds } = ranges[range];
  const step = stepSeconds * 1000;
  const now = clock.now();
  const first = Math.floor(now / step) * step - (steps - 1) * step;
  const read = await counts[range === 'week' ? 'days' : 'hours'](workspace, { from: first, to: now });
  const sums = Array.from({ length: steps }, noSums);
  for (const one of read.hours)
    if (only === undefined || only.has(one.connection))
      addTo(time => sums[Math.floor((time - first) / step)], one);
  return {
    range,
    points: sums.map((one, index) => pointOf(first + index * step, one)),
    is_complete: read.isComplete,
  };
};
