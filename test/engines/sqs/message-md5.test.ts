import { attributesMd5, md5 } from '../../../lib/engines/sqs/message-contents.ts';

const text = (StringValue: string) => ({ DataType: 'String', StringValue });

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

test('the digest of a binary attribute matches SQS', () => {
  const value = 'traceparent\u001e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01';
  const attribute = { DataType: 'Binary', BinaryValue: Buffer.from(value).toString('base64') };
  expect(attributesMd5({ attr1: attribute })).toBe('8cbe4db156db8a94db8b801b7addb984');
});
