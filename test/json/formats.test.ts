import { fullFormats } from 'ajv-formats/dist/formats';
import fc from 'fast-check';
import { compareInstants, formats, readInstant } from '../../lib/json/formats.ts';

const reference = fullFormats['date-time'] as { validate: (text: string) => boolean };

const order = (a: string, b: string): number | undefined => {
  const [left, right] = [readInstant(a), readInstant(b)];
  return left === undefined || right === undefined ? undefined : Math.sign(compareInstants(left, right));
};

test.each([
  ['2026-02-03T10:00:00Z', '2026-02-03T11:00:00+01:00', 0],
  ['2026-02-03T10:00:00Z', '2026-02-03t10:00:00.000z', 0],
  ['2026-02-03T10:00:00.1Z', '2026-02-03T10:00:00.10000001Z', -1],
  ['2026-02-03T10:00:00.9Z', '2026-02-03T10:00:01Z', -1],
  ['2026-02-03T23:00:00-02:00', '2026-02-04T00:59:59Z', 1],
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z', 1],
  ['2016-12-31T23:59:60.999Z', '2017-01-01T00:00:00Z', -1],
  ['2017-01-01T00:59:60+01:00', '2016-12-31T23:59:60Z', 0],
  ['0099-12-31T23:59:59Z', '0100-01-01T00:00:00Z', -1],
  ['0001-01-01T00:00:00Z', '1901-01-01T00:00:00Z', -1],
  ['2026-02-03 10:00:00+0100', '2026-02-03T10:00:00+01', 0],
  ['2026-02-03T10:00:00+01:00', '2026-02-03T10:00:00Z', -1],
])('%s next to %s is in order %i', (a, b, expected) => {
  expect(order(a, b)).toBe(expected);
  expect(order(b, a)).toBe(expected === 0 ? 0 : -expected);
});

test('instants between the years 1 and 9999 have the seconds that Date gives them', () => {
  const years = {
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  };
  fc.assert(
    fc.property(fc.date(years), date => {
      const instant = readInstant(date.toISOString());
      expect(instant?.seconds).toBe(Math.floor(date.getTime() / 1000));
    }),
    { numRuns: 2000 },
  );
});

test('date-time accepts exactly the texts that ajv-formats accepts', () => {
  const two = fc.constantFrom(
    '00',
    '01',
    '02',
    '12',
    '13',
    '23',
    '24',
    '28',
    '29',
    '30',
    '31',
    '32',
    '58',
    '59',
    '60',
    '61',
    '99',
  );
  const year = fc.constantFrom('0000', '1900', '2000', '2023', '2024', '2100', '9999', '999', '20266');
  const separator = fc.constantFrom('T', 't', ' ', '\u00a0', '\n', 'TT', '', '-');
  const fraction = fc.constantFrom('', '.0', '.123456789012', '.', ',5');
  const sign = fc.constantFrom('+', '-');
  const zone = fc.oneof(
    fc.constantFrom('Z', 'z', '', 'ZZ', '+'),
    fc.tuple(sign, two).map(parts => parts.join('')),
    fc.tuple(sign, two, fc.constantFrom(':', ''), two).map(parts => parts.join('')),
  );
  fc.assert(
    fc.property(fc.tuple(year, two, two, separator, two, two, two, fraction, zone), parts => {
      const [y, m, d, s, hour, minute, second, f, z] = parts;
      const text = `${y}-${m}-${d}${s}${hour}:${minute}:${second}${f}${z}`;
      expect([text, formats['date-time'](text)]).toEqual([text, reference.validate(text)]);
    }),
    { numRuns: 30_000 },
  );
});

test('second 60 is accepted in exactly the minutes and offsets in which ajv-formats accepts it', () => {
  const pad = (n: number) => `${n}`.padStart(2, '0');
  const texts = Array.from(
    { length: 100 * 100 },
    (_, i) => `2026-06-30T${pad(Math.floor(i / 100))}:${pad(i % 100)}:`,
  );
  const endings = ['60Z', '60+00:30', '60-05:45', '60+23:59', '30+01:00', '30-23:00', '60.5-00:01'];
  const wrong = texts.flatMap(text =>
    endings
      .filter(ending => formats['date-time'](text + ending) !== reference.validate(text + ending))
      .map(ending => text + ending),
  );
  expect(wrong).toEqual([]);
});
