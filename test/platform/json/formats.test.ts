import { fullFormats } from 'ajv-formats/dist/formats';
import fc from 'fast-check';
import {
  compareInstants,
  durationMilliseconds,
  formats,
  readInstant,
} from '../../../lib/platform/json/formats.ts';
import { yamlFile } from '../../../scripts/yaml-file.ts';

const cases = yamlFile('test/platform/json/cases/formats.yaml') as {
  readonly order: readonly (readonly [string, string, number])[];
  readonly uuids: readonly (readonly [string, boolean])[];
  readonly notDateTimes: readonly string[];
  readonly uris: readonly string[];
  readonly notUris: readonly string[];
};
const reference = fullFormats['date-time'] as { validate: (text: string) => boolean };

const order = (a: string, b: string): number | undefined => {
  const [left, right] = [readInstant(a), readInstant(b)];
  return left === undefined || right === undefined
    ? undefined
    : Math.sign(compareInstants(left, right));
};

test.each(cases.order)('%s next to %s is in order %i', (a, b, expected) => {
  expect(order(a, b)).toBe(expected);
  expect(order(b, a)).toBe(expected === 0 ? 0 : -expected);
});

test.each([
  ['0s', 0],
  ['250ms', 250],
  ['1.5s', 1_500],
  ['15m', 900_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
])('%s lasts %i milliseconds', (text, expected) => {
  expect(durationMilliseconds(text)).toBe(expected);
});

test.each(['', '5', 's', '-1s', '1 s', '1.s', '1w', '1S', '1s ', '1s\n', '1234567890s'])(
  '%j is no duration',
  text => {
    expect(durationMilliseconds(text)).toBeUndefined();
  },
);

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

/** RFC 3339 in the plainest terms, from the parts of a text. */
const isDateTime = (parts: readonly string[]): boolean => {
  const [
    y = '',
    m = '',
    d = '',
    separator = '',
    hour = '',
    minute = '',
    second = '',
    f = '',
    z = '',
  ] = parts;
  const offset = z.length === 6 && z[3] === ':' ? z : z === 'Z' || z === 'z' ? '+00:00' : undefined;
  if (y.length !== 4 || !['T', 't'].includes(separator) || offset === undefined) return false;
  if (!['', '.0', '.123456789012'].includes(f)) return false;
  if (Number(offset.slice(1, 3)) > 23 || Number(offset.slice(4)) > 59) return false;
  const instant = new Date(`${y}-${m}-${d}T${hour}:${minute}:${second}Z`);
  // Date takes 31 April for 1 May, and 24:00 for the next day.
  return (
    !Number.isNaN(instant.getTime()) &&
    instant.getUTCDate() === Number(d) &&
    hour !== '24' &&
    y !== '0000'
  );
};

test('date-time accepts exactly the texts of RFC 3339 without leap seconds, all of which ajv-formats accepts', () => {
  const of = (texts: string) => fc.constantFrom(...texts.split(' '));
  const [month, day] = [of('01 02 06 11 12 00 13'), of('01 15 28 29 30 31 00 32')];
  const [hour, minute] = [of('00 01 12 22 23 24'), of('00 01 30 58 59 60')];
  const second = of('00 59 60 60 61');
  const year = of('0000 1900 2000 2023 2024 2100 9999 999 20266');
  const separator = fc.oneof(of('T T t TT -'), fc.constantFrom('T', ' ', '\t', '\u00a0', '\n', ''));
  const fraction = fc.constantFrom('', '', '.0', '.123456789012', '.', ',5');
  const sign = fc.constantFrom('+', '-');
  const zone = fc.oneof(
    fc.constantFrom('Z', 'Z', 'z', '', 'ZZ', '+', 'Z\n'),
    fc.tuple(sign, hour).map(parts => parts.join('')),
    fc.tuple(sign, hour, fc.constantFrom(':', ':', ''), minute).map(parts => parts.join('')),
  );
  const counts = { accepted: 0, onlyByAjv: 0, refused: 0 };
  fc.assert(
    fc.property(
      fc.tuple(year, month, day, separator, hour, minute, second, fraction, zone),
      parts => {
        const [y, m, d, s, h, min, sec, f, z] = parts;
        const text = `${y}-${m}-${d}${s}${h}:${min}:${sec}${f}${z}`;
        const accepted = formats['date-time'](text);
        expect([text, accepted]).toEqual([text, isDateTime(parts)]);
        const byAjv = reference.validate(text);
        expect(accepted && !byAjv).toBe(false);
        counts[accepted ? 'accepted' : byAjv ? 'onlyByAjv' : 'refused'] += 1;
      },
    ),
    { numRuns: 5_000 },
  );
  process.stdout.write(`date-time: ${JSON.stringify(counts)}\n`);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(10);
});

test.each(cases.notDateTimes)('%j is no date-time', text => {
  expect(formats['date-time'](text)).toBe(false);
});

test.each(cases.uuids)('%j as a uuid: %s', (text, expected) => {
  expect(formats.uuid(text)).toBe(expected);
});

test.each(cases.uris)('%s is a URI', text => {
  expect(formats.uri(text)).toBe(true);
});

test.each(cases.notUris)('%j is no URI', text => {
  expect(formats.uri(text)).toBe(false);
});

test('URIs are those of ajv-formats, less broken authorities, and with an empty path (RFC 3986 section 3.3)', () => {
  const byAjv = fullFormats.uri as (text: string) => boolean;
  const part = fc.constantFrom(
    ...'a|A-1|:|/|//|?|#|@|[|]|::1|%20|%|.| |é|\n|v1.x|1.2.3.4|+'.split('|'),
  );
  const counts = { both: 0, onlyAjv: 0, onlyOurs: 0, neither: 0 };
  const different: string[] = [];
  fc.assert(
    fc.property(fc.boolean(), fc.array(part, { maxLength: 8 }), (isHttp, parts) => {
      const text = (isHttp ? 'http://' : '') + parts.join('');
      const [ours, theirs] = [formats.uri(text), byAjv(text)];
      counts[ours ? (theirs ? 'both' : 'onlyOurs') : theirs ? 'onlyAjv' : 'neither'] += 1;
      const excused = ours ? /^[a-z][^:]*:(?:[?#]|$)/i : /^[a-z][^:]*:\/\/[^/?#]*[:@]/i;
      if (ours !== theirs && !excused.test(text)) different.push(text);
    }),
    { numRuns: 5_000 },
  );
  process.stdout.write(`uri: ${JSON.stringify(counts)}\n`);
  expect(different).toEqual([]);
});
