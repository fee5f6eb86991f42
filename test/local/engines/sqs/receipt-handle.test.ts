import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import {
  decodeReceipt,
  encodeReceipt,
} from '../../../../lib/local/engines/sqs/receipt-operations.ts';

const receipt = fc.record({ queue: fc.uuid(), sequence: fc.nat(), receipt: fc.uuid() });

test('a handle decodes to what was encoded, and is short and URL-safe', () => {
  fc.assert(
    fc.property(receipt, given => {
      const handle = encodeReceipt(given);
      expect(handle).toMatch(/^[\w-]{1,1024}$/);
      expect(decodeReceipt(handle)).toEqual(given);
    }),
  );
});

test('a string that is not a handle is detected', () => {
  fc.assert(fc.property(fc.string(), text => expect(decodeReceipt(text)).toBeUndefined()));
});

const withChecksum = (text: string): string =>
  Buffer.from(crc32(text).toString(16).padStart(8, '0') + text).toString('base64url');

test.each([
  '',
  '[',
  '[1',
  '{}',
  'null',
  '["q",1]',
  '["q",1,"r",2]',
  '["q","1","r"]',
  '["q",1.5,"r"]',
  '["q",1e400,"r"]',
])('a right checksum does not make %j a handle', text =>
  expect(decodeReceipt(withChecksum(text))).toBeUndefined(),
);

test('a handle with one changed character is not a handle', () => {
  const handle = encodeReceipt({ queue: 'q', sequence: 7, receipt: 'r' });
  for (let index = 0; index < handle.length; index += 1) {
    const other = handle[index] === 'A' ? 'B' : 'A';
    const changed = decodeReceipt(handle.slice(0, index) + other + handle.slice(index + 1));
    // The last character may hold bits that say nothing.
    if (index < handle.length - 1) expect(changed).toBeUndefined();
  }
});
