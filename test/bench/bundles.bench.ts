import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awaitedFunctions, bundleFunction, emptyBundle, printedNumber } from '../infra/support/bundles.ts';

const most = 1.5;

const startMilliseconds = (file: string): number =>
  printedNumber(
    `const t=process.hrtime.bigint();require(${JSON.stringify(file)});console.log(Number(process.hrtime.bigint()-t)/1e6)`,
  );

/** The shortest of some starts, taken in turns: what the machine does beside disturbs both the same. */
const fastest = (a: string, b: string) => {
  let [first, second] = [startMilliseconds(a), startMilliseconds(b)];
  for (let turns = 1; turns < 9 || (turns < 50 && first > most * second); turns += 1) {
    first = Math.min(first, startMilliseconds(a));
    second = Math.min(second, startMilliseconds(b));
  }
  return [first, second] as const;
};

const folder = mkdtempSync(join(tmpdir(), 'sombus-bundles-'));
process.stdout.write(
  `bundles: how long a function starts, at most ${most} times an empty one with the same SDK clients\n`,
);
try {
  for (const [name, ports] of awaitedFunctions) {
    const [ours, empty] = fastest(bundleFunction(folder, name), emptyBundle(folder, ports));
    const columns = [
      `${ours.toFixed(0)} ms`,
      `empty ${empty.toFixed(0)} ms`,
      `${(ours / empty).toFixed(2)} times`,
    ];
    process.stdout.write(`${name.padEnd(12)} ${columns.join('  ')}\n`);
    if (ours > most * empty) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
