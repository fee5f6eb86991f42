import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { type Change, changesIn, roomOf, sampleOf } from './changes.ts';
import { hungAfterMilliseconds, makeScratch, type Scratch } from './scratch.ts';
import { importersIn, suitesOf } from './suites.ts';

// npm run mutate:sample: single changes of the code that a seed picks, one at a time. Do the suites
// tell?

/**
 * The most suites that a change is tried with: those in jest's process, and those that start what
 * was built. Without the latter the types are not asked either: a quick run, whose survivors
 * `--again` tries with more.
 */
interface Bounds {
  readonly near: number;
  readonly built: number;
}

/** Most changes are found by one of these, sooner than the types are checked. */
const nearestSuites = 5;

const wanted = { overall: 0.9, room: 0.8 } as const;

const enoughTried = 10;

/** How a change ended; `by` names what told. */
interface Result {
  readonly change: Change;
  readonly found: boolean;
  readonly by: string;
}

/** What suites say of a change; `unclear` if they were stopped, and are slow without it too. */
type Telling =
  | { readonly kind: 'silent' | 'unclear' }
  | { readonly kind: 'told'; readonly by: string };

/** Nobody can tell such a change from the code as it is. */
interface Equivalent {
  readonly path: string;
  /** What the line has besides: a file may have several that read the same. */
  readonly on: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

const equivalents: readonly Equivalent[] = parse(
  readFileSync('test/mutation/equivalents.yaml', 'utf8'),
);

const lineOf = ({ path, line }: Change): string =>
  readFileSync(path, 'utf8').split('\n')[line - 1] ?? '';

const isEquivalent = (change: Change): boolean =>
  equivalents
    .filter(({ path, from, to }) => isSame({ ...change, path, from, to }, change))
    .some(({ on }) => lineOf(change).includes(on));

const candidates = (): readonly Change[] =>
  readdirSync('lib', { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.startsWith('generated'))
    .flatMap(name => changesIn(`lib/${name}`, readFileSync(`lib/${name}`, 'utf8')))
    .filter(change => !isEquivalent(change));

/** Changes that were tried before somebody said why nobody can tell them are counted apart. */
const withoutEquivalents = (results: readonly Result[]): readonly Result[] => {
  const kept = results.filter(({ change }) => !isEquivalent(change));
  const gone = results.length - kept.length;
  if (gone > 0) console.log(`not counted, because they change nothing: ${gone}`);
  return kept;
};

const failedIn = (output: string): string | undefined => /^FAIL \w+ (\S+)/m.exec(output)?.[1];

/** Suites that fail without a change tell nothing. One that only hangs, on a busy machine, does. */
const telling = (scratch: Scratch) => {
  const known = new Map<string, boolean>();
  return (suite: string): boolean => {
    const before = known.get(suite);
    if (before !== undefined) return before;
    const isTelling = scratch.suites([suite]).status !== 'bad';
    if (!isTelling) console.log(`set aside, because it fails without a change: ${suite}`);
    known.set(suite, isTelling);
    return isTelling;
  };
};

/**
 * A run that was stopped, or that died, tells of a change only if the same suites end well without
 * it, in much less time: on a busy machine they may just be slow.
 */
const endsSoon = (scratch: Scratch, suites: readonly string[]): boolean => {
  const isGood = scratch.suites(suites, hungAfterMilliseconds / 3).status === 'good';
  if (!isGood) console.log('unclear, because it does not end soon without a change either');
  return isGood;
};

const seeker = (scratch: Scratch, bounds: Bounds) => {
  const importers = importersIn(scratch.folder);
  const built = new Set(suitesOf(importers, 'test/support/service-process.ts'));
  const isTelling = telling(scratch);
  const silent = new Set<string>();
  const told = (by: string): Telling => ({ kind: 'told', by });
  const tellsOf = (change: Change, suites: readonly string[], before: () => void): Telling => {
    const asked = suites.filter(suite => !silent.has(suite));
    if (asked.length === 0) return { kind: 'silent' };
    const { status, output } = scratch.during(change, () => {
      before();
      return scratch.suites(asked);
    });
    if (status === 'good') return { kind: 'silent' };
    const suite = failedIn(output);
    if (status === 'hung' || suite === undefined) {
      // An error that nobody awaits ends the whole process.
      const end = status === 'hung' ? 'a run that never ended' : 'a run that died';
      return endsSoon(scratch, asked) ? told(end) : { kind: 'unclear' };
    }
    if (isTelling(suite)) return told(suite);
    silent.add(suite);
    return tellsOf(change, suites, before);
  };
  const resultOf = (change: Change, telling: Telling): Result | undefined => {
    if (telling.kind === 'unclear') return undefined;
    return telling.kind === 'told'
      ? { change, found: true, by: telling.by }
      : { change, found: false, by: '' };
  };
  /** Undefined if it is unclear: the same command tries it again. */
  return (change: Change): Result | undefined => {
    const suites = suitesOf(importers, change.path);
    const near = suites.filter(suite => !built.has(suite)).slice(0, bounds.near);
    const nearest = tellsOf(change, near.slice(0, nearestSuites), () => undefined);
    if (nearest.kind !== 'silent') return resultOf(change, nearest);
    if (bounds.built > 0 && scratch.during(change, scratch.types).status !== 'good')
      return { change, found: true, by: 'types' };
    const first = tellsOf(change, near.slice(nearestSuites), () => undefined);
    if (first.kind !== 'silent' || bounds.built === 0) return resultOf(change, first);
    const far = suites.filter(suite => built.has(suite)).slice(0, bounds.built);
    const second = tellsOf(change, far, scratch.build);
    scratch.build();
    return resultOf(change, second);
  };
};

const shown = ({ path, line, kind, from, to }: Change): string => {
  const short = (text: string) =>
    JSON.stringify(text.length > 160 ? `${text.slice(0, 160)}…` : text);
  return `${path}:${line} (${kind}): ${short(from)} became ${short(to)}`;
};

const resultsIn = (path: string): readonly Result[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line))
    : [];

const isSame = (one: Change, other: Change): boolean =>
  one.path === other.path &&
  one.from === other.from &&
  one.to === other.to &&
  one.kind === other.kind;

/** Where a change is now: a file may have several that read the same, and lines move. */
const changeNow = (asked: readonly Change[], change: Change): readonly Change[] =>
  asked
    .filter(one => isSame(one, change))
    .sort((a, b) => Math.abs(a.line - change.line) - Math.abs(b.line - change.line))
    .slice(0, 1);

/** The last result of each change. */
const latest = (results: readonly Result[]): readonly Result[] =>
  results.filter(
    ({ change }, at) => !results.slice(at + 1).some(later => isSame(later.change, change)),
  );

const share = (results: readonly Result[]): number =>
  results.filter(({ found }) => found).length / Math.max(results.length, 1);

/** Prints how much was found, by a name of each change; the shares. */
const sharesBy = (results: readonly Result[], nameOf: (path: string) => string) => {
  const names = [...new Set(results.map(({ change }) => nameOf(change.path)))].sort();
  return names.map(name => {
    const here = results.filter(({ change }) => nameOf(change.path) === name);
    const found = here.filter(one => one.found).length;
    console.log(`${name.padEnd(20)}${String(found).padStart(4)} of ${here.length}`);
    return { tried: here.length, share: share(here) };
  });
};

const wingOf = (path: string): string => `wing ${path.split('/')[1] ?? ''}`;

/**
 * Prints what was found by room and by wing; whether that is enough. Of four changes one is a
 * quarter: a room in which few were tried is judged with its wing.
 */
const report = (results: readonly Result[]): boolean => {
  for (const { change, found } of results) if (!found) console.log(`survived: ${shown(change)}`);
  const shares = [...sharesBy(results, roomOf), ...sharesBy(results, wingOf)];
  const all = share(results);
  console.log(`${(all * 100).toFixed(1)} % of ${results.length} found`);
  const judged = shares.filter(({ tried }) => tried >= enoughTried);
  return all >= wanted.overall && judged.every(one => one.share >= wanted.room);
};

const options = {
  seed: { type: 'string', default: '1' },
  from: { type: 'string', default: '0' },
  count: { type: 'string', default: '200' },
  rooms: { type: 'string', default: '' },
  near: { type: 'string', default: '30' },
  built: { type: 'string', default: '10' },
  again: { type: 'boolean', default: false },
  results: { type: 'string', default: 'mutation-sample.jsonl' },
} as const;

const main = (): void => {
  const { values } = parseArgs({ options });
  const before = latest(resultsIn(values.results));
  const survivors = before.filter(({ found }) => !found).map(({ change }) => change);
  const rooms = values.rooms.split(',').filter(room => room !== '');
  const from = Number(values.from);
  const asked = candidates().filter(
    ({ path }) => rooms.length === 0 || rooms.includes(roomOf(path)),
  );
  const picked = sampleOf(Number(values.seed), asked).slice(from, from + Number(values.count));
  const sample = values.again
    ? survivors.flatMap(change => changeNow(asked, change))
    : picked.filter(change => !before.some(one => isSame(one.change, change)));
  const scratch = makeScratch();
  if (scratch.types().status !== 'good') throw new Error('The types are wrong without any change.');
  try {
    const resultOf = seeker(scratch, { near: Number(values.near), built: Number(values.built) });
    for (const change of sample) {
      const result = resultOf(change);
      if (!result) continue;
      appendFileSync(values.results, `${JSON.stringify(result)}\n`);
      console.log(`${result.found ? `found by ${result.by}` : 'SURVIVED'}: ${shown(change)}`);
    }
  } finally {
    scratch.remove();
  }
  const counted = withoutEquivalents(latest(resultsIn(values.results)));
  process.exitCode = report(counted) ? 0 : 1;
};

main();
