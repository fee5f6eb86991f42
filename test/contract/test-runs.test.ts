import { randomBytes, randomUUID } from 'node:crypto';
import { correlationOfRun, runOfCorrelation, testRunId } from '../../lib/contract/identifiers.ts';
import { formats } from '../../lib/platform/json/formats.ts';

test('a correlation_id of a run is a UUID that tells its run, whatever the case', () => {
  for (let count = 0; count < 200; count += 1) {
    const run = testRunId(randomBytes(12));
    expect(run).toMatch(/^t[a-z2-7]{12}$/);
    const id = correlationOfRun(run, count * 20);
    expect(formats.uuid(id)).toBe(true);
    expect(id.charAt(14)).toBe('8');
    expect(runOfCorrelation(id)).toBe(run);
    expect(runOfCorrelation(id.toUpperCase())).toBe(run);
  }
});

test('the cases of a run have different ids', () => {
  const run = testRunId(randomBytes(12));
  const ids = Array.from({ length: 4096 }, (_, number) => correlationOfRun(run, number));
  expect(new Set(ids).size).toBe(ids.length);
});

test("nobody else's ids belong to a run", () => {
  for (let count = 0; count < 1000; count += 1)
    expect(runOfCorrelation(randomUUID())).toBeUndefined();
});
