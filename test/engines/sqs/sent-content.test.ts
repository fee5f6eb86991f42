import { SentContents, unpackMessage } from '../../../lib/engines/sqs/message-contents.ts';

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
    ['one attribute more', { MessageBody: body, MessageAttributes: { a: text('1'), b: text('1') } }],
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
    const invalid = { MessageBody: body, MessageAttributes: { a: { DataType: 'Text', StringValue: 'x' } } };
    for (const _ of [1, 2]) expect(() => contents.of(invalid)).toThrow(/type String only/);
    expect(() => contents.of({ MessageBody: '\u0000' })).toThrow(/Invalid binary character/);
    expect(contents.of({ MessageBody: body })).toBe(valid);
  });

  test.each([
    ['deduplication id', 'e', false],
    ['compression', 'd', true],
  ])('is packed anew with another %s', (_, deduplicationId, isCompressed) => {
    const content = new SentContents().of({ MessageBody: body, MessageAttributes: { a: text('1') } });
    content.pack('d', false);
    const packed = content.pack(deduplicationId, isCompressed);
    expect(packed.coding).toBe(isCompressed ? 'deflate-raw' : null);
    const facts = { deduplicationId, md5: content.md5, attributes: { a: text('1') } };
    expect(unpackMessage(packed)).toEqual({ facts, body });
  });
});
