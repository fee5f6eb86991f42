import {
  attributesMd5,
  invalidCharacter,
  md5,
  SentContents,
  unpackMessage,
} from '../../../../lib/local/engines/sqs/message-contents.ts';

const text = (value: string) => ({ DataType: 'String', StringValue: value });
const body = 'x'.repeat(1_000);

describe('the content of a send', () => {
  test('is prepared once for the queues that get the same', () => {
    const contents = new SentContents();
    const sent = () => ({ MessageBody: body, MessageAttributes: { a: text('1'), b: text('2') } });
    const first = contents.of(sent());
    expect(contents.of(sent())).toBe(first);
    expect(contents.of(sent()).pack('d', false)).toBe(first.pack('d', false));
  });

  test.each([
    ['another body', { MessageBody: 'y', MessageAttributes: { a: text('1') } }],
    ['another value', { MessageBody: body, MessageAttributes: { a: text('2') } }],
    ['another name', { MessageBody: body, MessageAttributes: { b: text('1') } }],
    [
      'one attribute more',
      { MessageBody: body, MessageAttributes: { a: text('1'), b: text('1') } },
    ],
    ['no attributes', { MessageBody: body }],
  ])('is not that of the send before, with %s', (_, next) => {
    const contents = new SentContents();
    for (const attribute of [text('1'), text('3')]) {
      const before = contents.of({ MessageBody: body, MessageAttributes: { a: attribute } });
      const alone = new SentContents().of(next);
      const { md5, attributesMd5 } = contents.of(next);
      expect([md5, attributesMd5]).toEqual([alone.md5, alone.attributesMd5]);
      expect([md5, attributesMd5]).not.toEqual([before.md5, before.attributesMd5]);
    }
  });

  test('is not that of the send before when its object was changed since', () => {
    const contents = new SentContents();
    const attribute = text('1');
    const sent = { MessageBody: body, MessageAttributes: { a: attribute } };
    const before = contents.of(sent).attributesMd5;
    attribute.StringValue = '2';
    expect(contents.of(sent).attributesMd5).not.toBe(before);
  });

  test('is refused again, and leaves what was remembered, when it is not valid', () => {
    const contents = new SentContents();
    const valid = contents.of({ MessageBody: body });
    const invalid = { MessageBody: body, MessageAttributes: { a: text('') } };
    for (const _ of [1, 2]) expect(() => contents.of(invalid)).toThrow(/non-empty/);
    expect(() => contents.of({ MessageBody: '\u0000' })).toThrow(/Invalid binary character/);
    expect(contents.of({ MessageBody: body })).toBe(valid);
  });

  test.each([
    ['deduplication id', 'e', false],
    ['compression', 'd', true],
  ])('is packed anew with another %s', (_, deduplicationId, isCompressed) => {
    const content = new SentContents().of({
      MessageBody: body,
      MessageAttributes: { a: text('1') },
    });
    content.pack('d', false);
    const packed = content.pack(deduplicationId, isCompressed);
    expect(packed.coding).toBe(isCompressed ? 'deflate-raw' : null);
    const facts = { deduplicationId, md5: content.md5, attributes: { a: text('1') } };
    expect(unpackMessage(packed)).toEqual({ facts, body });
  });
});

test('the digest of a body matches SQS', () => {
  expect(md5(Buffer.from('msg'))).toBe('6e2baaf3b97dbeef01c0043275f9a0e7');
});

// Digests that SQS itself answered with for these attributes.
test.each([
  [{ Hello: text('There') }, 'a311262e065454b75da111d535b8dacd'],
  [{ Hello: text('There'), General: text('Kenobi') }, 'fca026605781cb4126a1e9044df24232'],
  [
    { 'Help.Me': text('Me'), Hello: text('There'), General: text('Kenobi') },
    '4c360f3fdafd970e05fae2f149d997f5',
  ],
])('the digest of attributes is the one of SQS, in any order', (attributes, digest) => {
  expect(attributesMd5(attributes)).toBe(digest);
});

test.each(['\t\n\r', ' ~', '\uD7FF\uE000\uFFFD', '\u{10000}\u{10FFFF}', 'ünïcödé 😀'])(
  '%j may be sent',
  text => {
    expect(invalidCharacter(text)).toBeUndefined();
  },
);

test.each([
  ['\0', '#x0'],
  ['ok \u001F', '#x1F'],
  ['\uD800', '#xD800'],
  ['\uDFFF', '#xDFFF'],
  ['\uDE00\uD83D', '#xDE00'],
  ['\uFFFE', '#xFFFE'],
  ['\uFFFF', '#xFFFF'],
])('%j is refused, and the refusal names it as %s', (text, name) => {
  expect(invalidCharacter(text)).toContain(`'${name}'`);
});
