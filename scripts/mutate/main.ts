import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../../test/simulation/random.ts';
import { readSources } from '../import-graph.ts';
import { bytesAsText, type Mutant, mutantsOf, mutated, textAsBytes } from './mutants.ts';
import { type Outcome, Trials } from './trials.ts';

// npm run mutate -- [--count 200] [--seed 1] [--only lib/x] [--survivors FILE]: plants small changes in the code, one at a
// time, and reports those that no test notices. --quick leaves out suites that do not import the code; --minutes N tries no
// other mutant after that time.
// npm run mutate -- --again FILE: tries the survivors in FILE again.

/** The least share of the valid mutants that must be found, in percent. */
const target = 95;

/** A mutant that no test can find, because the program does the same. */
interface Equivalent {
  readonly file: string;
  readonly change: readonly string[];
  readonly reason: string;
}

const textOf = (file: string): string => bytesAsText(readFileSync(file));

/** The lines that a mutant changes, as a diff has them. */
const diffOf = (mutant: Mutant): readonly string[] => {
  const text = textOf(mutant.file);
  const start = text.lastIndexOf('\n', mutant.from - 1) + 1;
  const end = text.indexOf('\n', mutant.to);
  const after = mutated(text, mutant);
  const lines = (part: string, sign: string) =>
    textAsBytes(part)
      .toString()
      .split('\n')
      .map(line => `${sign} ${line.trim()}`);
  return [
    ...lines(text.slice(start, end), '-'),
    ...lines(after.slice(start, end + mutant.text.length - (mutant.to - mutant.from)), '+'),
  ];
};

const equivalents = (): readonly Equivalent[] =>
  JSON.parse(readFileSync('scripts/mutate/equivalent.json', 'utf8'));

const isIn = (known: readonly Equivalent[], mutant: Mutant): boolean =>
  known.some(({ file, change }) => file === mutant.file && change.join('\n') === diffOf(mutant).join('\n'));

const folderOf = ({ file }: Mutant): string => file.split('/').slice(0, 2).join('/');

const shuffled = <T>(from: readonly T[], random: Random): readonly T[] => {
  const left = [...from];
  return from.flatMap(() => left.splice(random.below(left.length), 1));
};

/** Mutants of one folder, in the order in which they are tried, and how many valid ones are wanted. */
interface Stratum {
  readonly share: number;
  readonly mutants: readonly Mutant[];
}

/** As many of each folder as its share of all mutants, one at least; the rest of each folder replaces invalid ones. */
const sampleOf = (all: readonly Mutant[], count: number, random: Random): readonly Stratum[] =>
  [...new Set(all.map(folderOf))].map(folder => {
    const mutants = all.filter(mutant => folderOf(mutant) === folder);
    const share = Math.max(1, Math.round((count * mutants.length) / all.length));
    return { share, mutants: shuffled(mutants, random).slice(0, 3 * share) };
  });

interface Asked {
  readonly seed: number;
  readonly count: number;
  /** The beginning of the paths of the files to change. */
  readonly only: string;
  /** A file with survivors of an earlier run, to try again. */
  readonly again: string | undefined;
}

const print = (line: string): void => console.log(line);

interface Tried {
  readonly mutant: Mutant;
  readonly outcome: Outcome;
}

const show = (mutant: Mutant, outcome: Outcome | undefined): void => {
  print(`${outcome} ${mutant.file}:${mutant.line}`);
  if (outcome !== 'found') for (const line of diffOf(mutant)) print(`    ${line}`);
};

/**
 * The first mutants of each folder that compile and are not known to be equivalent, as many as it is to have. Mixed, so that a run
 * that is stopped has tried some of each.
 */
const validOf = (trials: Trials, strata: readonly Stratum[]): readonly Mutant[] => {
  const known = equivalents();
  const dropped = { wrong: 0, equivalent: 0 };
  const valid = strata.flatMap(({ share, mutants }) => {
    const taken: Mutant[] = [];
    for (const mutant of mutants) {
      if (taken.length === share) break;
      if (isIn(known, mutant)) dropped.equivalent += 1;
      else if (trials.compiles(mutant)) taken.push(mutant);
      else dropped.wrong += 1;
    }
    return taken;
  });
  print(`left out: ${dropped.wrong} that do not compile, ${dropped.equivalent} known as equivalent`);
  return shuffled(valid, new Random(0));
};

/** How long it may take. */
interface Patience {
  /** Leaves out suites that do not import the code. */
  readonly isQuick: boolean;
  /** After these minutes, no other mutant is tried. */
  readonly minutes: number;
}

/** Tries each mutant with the suites near it, and those that survive with all that reach them, unless it is to be quick. */
const tryAll = async (
  trials: Trials,
  mutants: readonly Mutant[],
  { isQuick, minutes }: Patience,
): Promise<readonly Tried[]> => {
  const tried = new Map<Mutant, Outcome>();
  const end = Date.now() + minutes * 60_000;
  for (const mutant of mutants) {
    if (Date.now() > end) break;
    tried.set(mutant, await trials.tryNear(mutant));
    show(mutant, tried.get(mutant));
  }
  const left = mutants.filter(mutant => tried.get(mutant) === 'survived');
  if (!isQuick && left.length > 0) {
    print(
      `${left.length} survive the suites near them: all others run once, to see which of them reach the rest`,
    );
    for (const [mutant, suites] of await trials.others(left)) {
      tried.set(mutant, await trials.tryOn(mutant, suites));
      show(mutant, tried.get(mutant));
    }
  }
  for (const mutant of await trials.doubtful()) {
    print('The tests that found this one fail without it, too:');
    tried.set(mutant, 'survived');
    show(mutant, 'survived');
  }
  return [...tried].map(([mutant, outcome]) => ({ mutant, outcome }));
};

/** Prints the figures; returns the share of the mutants that was found, in percent. */
const report = (tried: readonly Tried[]): number => {
  const count = (asked: Outcome) => tried.filter(({ outcome }) => outcome === asked).length;
  const found = count('found') + count('hung');
  const share = tried.length === 0 ? 100 : (100 * found) / tried.length;
  print(`${found} of ${tried.length} mutants found: ${share.toFixed(1)} % (target: ${target} %)`);
  print(`${count('hung')} of them by tests that did not end; ${count('survived')} survived`);
  return share;
};

const strataOf = ({ seed, count, only, again }: Asked): readonly Stratum[] => {
  if (again !== undefined) {
    const mutants: readonly Mutant[] = JSON.parse(readFileSync(again, 'utf8'));
    return [{ share: mutants.length, mutants }];
  }
  const sources = readSources('.', ['lib']).filter(({ path }) => path.startsWith(only));
  const all = sources.flatMap(({ path }) => mutantsOf(path, textOf(path)));
  return sampleOf(all, count, new Random(seed));
};

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '200' },
      only: { type: 'string', default: 'lib/' },
      survivors: { type: 'string' },
      again: { type: 'string' },
      quick: { type: 'boolean', default: false },
      minutes: { type: 'string', default: 'Infinity' },
    },
  });
  const { only, survivors, again, quick } = values;
  const [seed, count] = [Number(values.seed), Number(values.count)];
  return { seed, count, only, survivors, again, isQuick: quick, minutes: Number(values.minutes) };
};

const main = async (): Promise<void> => {
  const { survivors, isQuick, minutes, ...asked } = readOptions();
  const strata = strataOf(asked);
  // Nobody waits for this: everything else on the machine goes first.
  setPriority(10);
  const trials = new Trials(resolve('.'));
  const stop = () => {
    trials.close();
    process.exit(130);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const tried: Tried[] = [];
  try {
    tried.push(...(await tryAll(trials, validOf(trials, strata), { isQuick, minutes })));
  } finally {
    trials.close();
  }
  if (survivors !== undefined) {
    const left = tried.filter(({ outcome }) => outcome === 'survived').map(({ mutant }) => mutant);
    writeFileSync(survivors, JSON.stringify(left, undefined, 1));
  }
  process.exitCode = report(tried) >= target ? 0 : 1;
};

void main();
