/** A message of the log. */
interface Entry {
  readonly at: number;
  readonly correlation: string;
}

/** What a consumer has done with entries above its cursor: hidden until a time, or settled. */
type Touched = ReadonlyMap<number, { readonly hiddenUntil: number } | 'settled'>;

interface Reader {
  readonly cursor: number;
  readonly touched: Touched;
}

/*
 * The lines that decide about consumers that read the log (docs/scale.md): what a pull offers, and how the cursor moves.
 */

/** The first entry of each correlation that is not settled, unless it is hidden: then its correlation waits. */
const offered = (log: readonly Entry[], { cursor, touched }: Reader, now: number): readonly Entry[] => {
  const seen = new Set<string>();
  return log.slice(cursor).filter(({ at, correlation }) => {
    const state = touched.get(at);
    if (state === 'settled' || seen.has(correlation)) return false;
    seen.add(correlation);
    return state === undefined || state.hiddenUntil <= now;
  });
};

const touch = (reader: Reader, at: number, state: 'settled' | { readonly hiddenUntil: number }): Reader => {
  if (at < reader.cursor || reader.touched.get(at) === 'settled') return reader;
  const touched = new Map(reader.touched).set(at, state);
  let { cursor } = reader;
  for (; touched.get(cursor) === 'settled'; cursor += 1) touched.delete(cursor);
  return { cursor, touched };
};

/** Numbers that repeat by their seed (mulberry32). */
const randomOf = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
};

const lease = 5;

/** One consumer of several processes that pull, settle, return and crash; gives what was settled, in order. */
const play = (log: readonly Entry[], seed: number) => {
  const random = randomOf(seed);
  const settled: Entry[] = [];
  let reader: Reader = { cursor: 0, touched: new Map() };
  const held: { readonly entry: Entry; readonly until: number }[] = [];
  let most = 0;
  for (let now = 0; reader.cursor < log.length; now += 1) {
    if (now > 100_000) throw new Error(`Seed ${seed} never ends.`);
    if (random(2) === 0)
      for (const entry of offered(log, reader, now).slice(0, 1 + random(3))) {
        reader = touch(reader, entry.at, { hiddenUntil: now + lease });
        held.push({ entry, until: now + lease });
      }
    const [work] = held.splice(random(held.length || 1), 1);
    // A handle is only good while its lease holds; a process may also crash with it, or return its message.
    if (work === undefined || work.until <= now || random(5) === 0) continue;
    if (random(5) === 0) reader = touch(reader, work.entry.at, { hiddenUntil: now + random(4) });
    else {
      reader = touch(reader, work.entry.at, 'settled');
      settled.push(work.entry);
    }
    most = Math.max(most, reader.touched.size);
  }
  return { settled, most };
};

const logOf = (seed: number): readonly Entry[] => {
  const random = randomOf(seed);
  return Array.from({ length: 60 }, (_, at) => ({ at, correlation: `c${random(8)}` }));
};

test.each([1, 3, 8])(
  'a log of %i readers: each settles every message once, in order per correlation',
  readers => {
    for (let seed = 0; seed < 30; seed += 1) {
      const log = logOf(seed);
      for (let reader = 0; reader < readers; reader += 1) {
        const { settled, most } = play(log, seed * 1_000 + reader);
        expect(settled.map(({ at }) => at).sort((a, b) => a - b)).toEqual(log.map(({ at }) => at));
        const inOrder = log.every(({ correlation }) => {
          const own = settled.filter(one => one.correlation === correlation).map(({ at }) => at);
          return own.every((at, index) => index === 0 || at > (own[index - 1] ?? at));
        });
        expect(inOrder).toBe(true);
        // What is kept of a reader is what lies between its slowest correlation and its newest, no more.
        expect(most).toBeLessThanOrEqual(log.length);
      }
    }
  },
);
