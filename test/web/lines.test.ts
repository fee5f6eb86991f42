import type { ActivityResponse } from '../../lib/contract/portal-responses.ts';
import { merge, pollAfter, pollPause } from '../../web/activity/lines.ts';
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
    const pause = (idleMilliseconds: number, failures: number) => pollPause({ idleMilliseconds, failures });
    expect(pause(0, 0)).toBeLessThanOrEqual(2_000);
    expect(pause(600_000, 0)).toBe(10_000);
    expect([1, 2, 3, 9].map(failures => pause(0, failures))).toEqual([4_000, 8_000, 16_000, 30_000]);
  });
});

describe('a message with a line for each member', () => {
  test.each([
    ['{"a":1.0,"b":[true,null],"c":{}}', '{\n  "a": 1.0,\n  "b": [\n    true,\n    null\n  ],\n  "c": {}\n}'],
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
