import * as client from '../../../lib/kit/client/index.ts';
import { caseTable } from './case-table.ts';
import { runCase } from './run-case.ts';

test('every case has an id of its own', () => {
  expect(caseTable.length).toBeGreaterThan(80);
  expect(new Set(caseTable.map(({ id }) => id)).size).toBe(caseTable.length);
});

test.each(caseTable.map(row => [`${row.id}: ${row.title}`, row] as const))(
  '%s',
  async (_title, row) => {
    expect(await runCase(client, row)).toBeUndefined();
  },
);

test('uuidv5 makes the id of RFC 9562 appendix A.4, whatever the case of its namespace', async () => {
  const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
  for (const namespace of [dns, dns.toUpperCase()])
    expect(await client.uuidv5(namespace, 'www.example.com')).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    );
  await expect(client.uuidv5('story-1', 'asset.ingested')).rejects.toThrow(/The namespace/);
});
