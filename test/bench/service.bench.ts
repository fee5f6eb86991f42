import { parseArgs } from 'node:util';
import { type Checkout, checkoutAt } from './checkout.ts';
import {
  digits,
  type Figure,
  type Goal,
  isMet,
  type Measure,
  median,
  print,
  type Settings,
  table,
} from './figures.ts';
import { underLoad } from './under-load.ts';
import { storage } from './waiting.ts';

/*
 * npm run bench -- service [--checkout .] [--against ../other] [--only alone,burst] [--rounds 3]
 * [--seconds 10] [--steady 60]
 *   [--waiting 100000] [--archived 1000000] [--minutes 60] [--rate 200]
 * What lasts longest is only measured if asked for: --archived and --minutes.
 */
const { values } = parseArgs({
  options: {
    checkout: { type: 'string', default: '.' },
    against: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    steady: { type: 'string', default: '60' },
    waiting: { type: 'string', default: '100000' },
    archived: { type: 'string', default: '0' },
    minutes: { type: 'string', default: '0' },
    rate: { type: 'string', default: '200' },
  },
});

const settings: Settings = {
  seconds: Number(values.seconds),
  steadySeconds: Number(values.steady),
  waiting: Number(values.waiting),
  archived: Number(values.archived),
  minutes: Number(values.minutes),
  rate: Number(values.rate),
};

const asked = values.only?.split(',');
const isAsked = ({ name }: Measure): boolean => {
  if (asked) return asked.includes(name);
  if (name === 'archived') return settings.archived > 0;
  return name !== 'soak' || settings.minutes > 0;
};

const checkouts: readonly Checkout[] = [
  checkoutAt(values.checkout),
  ...(values.against ? [checkoutAt(values.against)] : []),
];

/** The medians of all rounds, each figure by itself. */
const mediansOf = (rounds: readonly (readonly Figure[])[]): readonly Figure[] =>
  (rounds[0] ?? []).map((figure, at) => ({
    ...figure,
    value: median(rounds.map(figures => figures[at]?.value ?? Number.NaN)),
  }));

/** One row with a column for each checkout, taken in turns. */
const measureAll = async (measure: Measure): Promise<readonly (readonly Figure[])[]> => {
  const results = checkouts.map((): (readonly Figure[])[] => []);
  const rounds = measure.isShort ? Number(values.rounds) : 1;
  for (let round = 0; round < rounds; round += 1) {
    const inTurn = [...checkouts.entries()];
    // Whichever is measured first seems slower by some percent, even beside itself.
    if (round % 2 === 1) inTurn.reverse();
    for (const [at, checkout] of inTurn) {
      const figures = await measure.measure(checkout, settings);
      results[at]?.push(figures);
      process.stderr.write(`${checkout.name}, round ${round + 1} of ${rounds}\n`);
      for (const { name, value } of figures)
        process.stderr.write(`  ${digits(value).padStart(8)}  ${name}\n`);
    }
  }
  return results.map(mediansOf);
};

const goalText = (goal: Goal | undefined): string => {
  if (!goal) return '';
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
};

const rowsOf = (columns: readonly (readonly Figure[])[]): readonly (readonly string[])[] =>
  (columns[0] ?? []).map((figure, at) => {
    const other = columns[1]?.[at];
    const compared = other ? [digits(other.value), digits(figure.value / other.value)] : [];
    const name = figure.unit === '' ? figure.name : `${figure.name}, ${figure.unit}`;
    return [
      name,
      digits(figure.value),
      ...compared,
      goalText(figure.goal),
      isMet(figure) ? '' : 'missed',
    ];
  });

const main = async (): Promise<void> => {
  const rows: (readonly string[])[] = [];
  for (const measure of [...underLoad, ...storage].filter(isAsked)) {
    const columns = await measureAll(measure);
    rows.push(...rowsOf(columns));
    if (columns[0]?.some(figure => !isMet(figure))) process.exitCode = 1;
  }
  const compared = checkouts.slice(1).flatMap(({ name }) => [name, 'times']);
  print(table([`node ${process.version}`, 'this', ...compared, 'target', ''], rows));
};

void main();
