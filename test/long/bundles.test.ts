import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  awaitedFunctions,
  bundleFunction,
  emptyBundle,
  functionNames,
  printedNumber,
} from '../infra/support/bundles.ts';
import { defaultStacks, running } from '../infra/support/stacks.ts';

const folder = mkdtempSync(join(tmpdir(), 'sombus-bundles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const stack = running(defaultStacks());
const bundles = new Map(functionNames.map(name => [name, bundleFunction(folder, name)]));

/**
 * The blocks of code that run while a bundle is loaded: V8 counts them, the same number on every
 * machine.
 */
const startSteps = (file: string): number =>
  printedNumber(
    `
      const session = new (require('node:inspector').Session)();
      session.connect();
      session.post('Profiler.enable');
      session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
      require(${JSON.stringify(file)});
      session.post('Profiler.takePreciseCoverage', (error, { result }) => {
        const { functions } = result.find(({ url }) => url.endsWith(${JSON.stringify(file)}));
        console.log(functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0));
      });
    `,
    { flags: ['--no-opt'] },
  );

describe('bundles', () => {
  /**
   * The portal's pages, and judges and reports of test runs, are the largest parts. `check-runs`
   * reads a house's own messages as the gateway would.
   */
  const largest: Readonly<Record<string, number>> = {
    'portal-pages': 1300,
    checks: 640,
    'check-runs': 640,
  };

  it.each(functionNames)('%s is at most 600 KB, what serves the portal 1,200 KB', name => {
    const most = largest[name] ?? (name.startsWith('portal-') ? 1200 : 600);
    expect(statSync(bundles.get(name) ?? '').size).toBeLessThanOrEqual(most * 1024);
  });

  it.each(awaitedFunctions)(
    '%s starts in at most 1.25 times the steps of an empty function with the same SDK clients',
    (name, ports) => {
      const [ours, empty] = [
        startSteps(bundles.get(name) ?? ''),
        startSteps(emptyBundle(folder, ports)),
      ];
      expect(empty).toBeGreaterThan(100);
      expect(ours).toBeLessThanOrEqual(1.25 * empty);
    },
  );

  it.each(functionNames)(
    '%s makes its clients with the variables that its stack sets, and waits for nothing',
    name => {
      const { Variables } = stack.one(
        'AWS::Lambda::Function',
        ({ FunctionName }) => FunctionName === `sombus-sandbox-${name}`,
      ).Properties['Environment'];
      const start = `
        require(${JSON.stringify(bundles.get(name))});
        // Its output is not what it waits for.
        console.log(process.getActiveResourcesInfo().filter(resource => resource !== 'PipeWrap').length);
      `;
      expect(printedNumber(start, { names: Object.keys(Variables) })).toBe(0);
    },
  );

  it.each(awaitedFunctions)('%s starts without ICU, which takes 15 ms to load', name => {
    const calls = printedNumber(`
      let calls = 0;
      for (const type of [Number, BigInt, Date, Array, Object])
        type.prototype.toLocaleString = () => String(++calls);
      for (const name of Object.getOwnPropertyNames(Intl)) Intl[name] = function () { calls += 1; };
      require(${JSON.stringify(bundles.get(name))});
      console.log(calls);
    `);
    expect(calls).toBe(0);
  });

  it.each(['publish', 'validate'])('%s is at most 428 KB: its validators serve every 1.x', name => {
    expect(statSync(bundles.get(name) ?? '').size).toBeLessThanOrEqual(428 * 1024);
  });
});
