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
