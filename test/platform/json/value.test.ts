import { jsonIn } from '../../../lib/platform/json/value.ts';

describe('the JSON value in a text', () => {
  it('is the same for a string and for its UTF-8', () => {
    expect(jsonIn('{"a":["é"]}')).toEqual({ a: ['é'] });
    expect(jsonIn(Buffer.from('{"a":["é"]}'))).toEqual({ a: ['é'] });
  });

  it.each([
    ['no JSON', '{"a":'],
    ['nothing', ''],
    ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ])('is undefined for %s', (_, text) => {
    expect(jsonIn(text)).toBeUndefined();
  });
});
