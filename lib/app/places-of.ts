import type { Entry } from '../domain/delivery/log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Correlation, Log } from '../ports/log.ts';

/** One number of a log; without an entry where there is none any more. */
export interface Place {
  readonly number: number;
  readonly entry?: Entry;
}

interface Stretch {
  readonly log: Correlation;
  readonly from: number;
  readonly to: number;
}

const secondLookMilliseconds = 1_000;

const hasHole = (page: readonly Entry[], from: number): boolean =>
  page.at(-1)?.number !== from + page.length - 1;

/** A page of entries. Where one is missing, a second look: what one commit wrote need not become visible at one moment. */
const pageOf = async (
  ports: { readonly clock: Clock; readonly log: Log },
  { log, from, to }: Stretch,
): Promise<readonly Entry[]> => {
  const page = await ports.log.entries(log, from, to);
  if (!hasHole(page, from)) return page;
  await ports.clock.sleep(secondLookMilliseconds);
  return ports.log.entries(log, from, to);
};

/** The places of a stretch in their order, read a page at a time. */
export async function* placesOf(
  ports: { readonly clock: Clock; readonly log: Log },
  stretch: Stretch,
): AsyncGenerator<Place> {
  for (let number = stretch.from; number <= stretch.to; ) {
    const page = await pageOf(ports, { ...stretch, from: number });
    const entries = new Map(page.map(entry => [entry.number, entry]));
    const end = page.at(-1)?.number ?? stretch.to;
    for (; number <= end; number += 1) {
      const entry = entries.get(number);
      yield entry ? { number, entry } : { number };
    }
  }
}
