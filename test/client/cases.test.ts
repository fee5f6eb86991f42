import * as client from '../../lib/client/index.ts';
import { caseTable } from './case-table.ts';
import { runCase } from './run-case.ts';

test('every case has an id of its own', () => {
  expect(caseTable.length).toBeGreaterThan(80);
  expect(new Set(caseTable.map(({ id }) => id)).size).toBe(caseTable.length);
});

test.each(caseTable.map(row => [`${row.id}: ${row.title}`, row] as const))('%s', async (_title, row) => {
  expect(await runCase(client, row)).toBeUndefined();
});
