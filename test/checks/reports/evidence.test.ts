import {
  evidenceIn,
  evidencePathOf,
  evidenceWords,
  isEvidenceName,
} from '../../../lib/checks/reports/evidence.ts';

const name = '0123456789abcdef0123456789abcdef';

test('the name of a report is 32 hexadecimal digits, and nothing else', () => {
  expect(isEvidenceName(name)).toBe(true);
  for (const other of ['', name.slice(1), `${name}0`, name.toUpperCase(), `${name}\n`, `/${name}`])
    expect(isEvidenceName(other)).toBe(false);
});

test('a report has an address, which is found again in its file', () => {
  expect(evidencePathOf(name)).toBe(`/v1/reports/${name}`);
  expect(evidenceIn(`See https://bus.example/v1/reports/${name}: compare.`)).toBe(name);
  for (const other of ['', name, `/v1/reports/${name.slice(1)}`, `/v1/report/${name}`])
    expect(evidenceIn(other)).toBeUndefined();
});

test('a report that the bus has a digest of says how to compare it', () => {
  expect(evidenceWords({ evidence: 'https://bus.example/v1/reports/a' })).toBe(
    'The bus has the digest of this report at https://bus.example/v1/reports/a: ' +
      'sombus check verify <file> compares.',
  );
  expect(evidenceWords({})).toBeUndefined();
});
