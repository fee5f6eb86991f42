import { join } from 'node:path';
import { bundledOutput } from '../support/bundled-output.ts';
import { hostileBodies, validate } from './hostile-bodies.ts';

test.each(hostileBodies)(
  '%s is refused or gets problems, in a short answer',
  (_title, bytes, type) => {
    const result = validate(bytes, type);
    const isValid = result.kind === 'checked' ? result.report.valid : result.message === '';
    expect(isValid).toBe(false);
    expect(JSON.stringify(result).length).toBeLessThan(type === '' ? 5_000_000 : 1_000_000);
  },
);

test('no hostile body takes more than thirty steps a byte of the largest body', () => {
  const steps = bundledOutput(join(__dirname, 'hostile-steps.ts'), '--no-opt') as [
    string,
    number,
  ][];
  expect(steps.map(([title]) => title)).toEqual(hostileBodies.map(([title]) => title));
  expect(steps.filter(([, count]) => count === 0 || count > 30 * 262_144)).toEqual([]);
});
