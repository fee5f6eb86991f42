import type { ActivityResponse } from '../../lib/contract/portal/portal-responses.ts';
import {
  csvOf,
  exportNames,
  merge,
  ndjsonOf,
  pollAfter,
  pollPause,
} from '../../web/activity/lines.ts';
import { bytesOf, indented } from '../../web/message/indented.ts';

const line = (second: number, unique = 'a'): ActivityResponse => {
  const at = new Date(Date.UTC(2026, 4, 4, 9, 0, second)).toISOString();
  return { position: `${at}#${unique}`, at, kind: 'accepted', connection_id: 'c', messages: [] };
};

describe('the feed', () => {
  test('has each line once, the newest first, in whatever order they were read', () => {
    const known = [line(3), line(1)];
    expect(merge(known, [line(3), line(4), line(2)])).toEqual([line(4), line(3), line(2), line(1)]);
    expect(merge(known, [line(3)])).toBe(known);
  });

  test('looks back a few seconds: a record may be written after a later one', () => {
    expect(pollAfter([line(30), line(10)])).toBe('2026-05-04T09:00:15.000Z');
    expect(pollAfter([])).toBeUndefined();
  });

  test('asks within two seconds; less often while nobody does anything, or while calls fail', () => {
    const pause = (idleMilliseconds: number, failures: number) =>
      pollPause({ idleMilliseconds, failures });
    expect(pause(0, 0)).toBeLessThanOrEqual(2_000);
    expect(pause(600_000, 0)).toBe(10_000);
    expect([1, 2, 3, 9].map(failures => pause(0, failures))).toEqual([
      4_000, 8_000, 16_000, 30_000,
    ]);
  });
});

/** The rows of a table as RFC 4180 reads them: a quoted cell may hold anything. */
const rowsIn = (csv: string): readonly (readonly string[])[] => {
  const cells = [...csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\r|\n|$)/g)];
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of cells) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '') break;
    if (end !== ',') rows.push([]);
  }
  return rows;
};

describe('an exported table', () => {
  const exported = (headline: string) => {
    const outcome = { system_id: 's', facts: { headline }, consumers: [], more_consumers: 0 };
    const message = { message_id: 'm', message_type: 'story.context', correlation_id: 'k' };
    return csvOf([{ ...line(1), messages: [message], outcome }], new Map([['c', 'Rundown']]));
  };
  const cellOf = (headline: string): string => {
    const rows = rowsIn(exported(headline).slice(1));
    expect(rows.map(row => row.length)).toEqual([12, 12]);
    return rows[1]?.[10] ?? '';
  };

  test('begins with a byte order mark, and keeps what people write', () => {
    expect(exported('Ärger am Fluss').startsWith('\ufeff"at","kind"')).toBe(true);
    for (const plain of ['Ärger am Fluss', 'a, b "c"', '火事 🔥', 'two\r\nlines', '3-4', 'a;b'])
      expect(cellOf(plain)).toBe(plain);
  });

  test('says what connections are called, and in its name that it is not all', () => {
    const apps = new Map([
      ['c', 'Rundown'],
      ['d', 'Playout'],
    ]);
    const consumers = [
      { connection_id: 'd', state: 'acknowledged', latency_ms: 12 },
      { connection_id: 'e', state: 'queued' },
    ] as const;
    const outcome = { system_id: 's', facts: {}, consumers, more_consumers: 0 };
    const [, row] = rowsIn(csvOf([{ ...line(1), outcome }], apps));
    expect([row?.[2], row?.[3], row?.[11]]).toEqual([
      'c',
      'Rundown',
      'Playout d acknowledged 12; e queued',
    ]);
    expect(JSON.parse(ndjsonOf([line(1)], apps))).toEqual({ ...line(1), app_name: 'Rundown' });
    expect(JSON.parse(ndjsonOf([{ ...line(1), outcome }], apps)).outcome).toEqual({
      ...outcome,
      consumers: [{ ...consumers[0], app_name: 'Playout' }, consumers[1]],
    });
    expect(exportNames(150, true)).toEqual({
      button: 'Export these 150 lines',
      file: 'activity-newest-150',
    });
    expect(exportNames(150, false)).toEqual({ button: 'Export', file: 'activity' });
    expect(exportNames(0, true).button).toBe('Export');
  });

  const starts = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
  const before = [
    '',
    ' ',
    '\t',
    '\r',
    '\n',
    '\u0000',
    '\u200b',
    '\ufeff',
    'Storm\r',
    'a\n ',
    'a;',
    'a\t',
    'a\v',
  ];

  test.each(starts)(
    'runs nothing that begins with %s, wherever a spreadsheet may begin a cell',
    start => {
      for (const text of before) {
        const headline = `${text}${start}1+2`;
        expect(cellOf(headline)).toBe(`${text}'${start}1+2`);
      }
    },
  );

  test('quotes every control character', () => {
    for (let code = 0; code < 32; code += 1) {
      const headline = `a${String.fromCharCode(code)}b`;
      expect(exported(headline)).toContain(`"${headline}"`);
    }
  });
});

describe('a message with a line for each member', () => {
  test.each([
    [
      '{"a":1.0,"b":[true,null],"c":{}}',
      '{\n  "a": 1.0,\n  "b": [\n    true,\n    null\n  ],\n  "c": {}\n}',
    ],
    ['[]', '[]'],
    ['{"a":"}\\",{","a":1e400}', '{\n  "a": "}\\",{",\n  "a": 1e400\n}'],
    [' { "a" : [ ] } ', '{\n  "a": []\n}'],
  ])('%s keeps its tokens as they were written', (text, expected) => {
    expect(indented(text)).toBe(expected);
  });

  test('is made from the exact bytes', () => {
    expect([...bytesOf(Buffer.from('é').toString('base64'))]).toEqual([0xc3, 0xa9]);
  });
});
