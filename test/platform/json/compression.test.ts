import { brotliDecompressSync, inflateRawSync } from 'node:zlib';
import { compress, decompress } from '../../../lib/platform/json/compression.ts';

const text = (bytes: number) =>
  Buffer.from('the river rose again; é'.repeat(bytes).slice(0, bytes - 1));

test.each([
  [0, 'deflate-raw'],
  [500, 'deflate-raw'],
  [10_000, 'deflate-raw'],
  [240_000, 'brotli'],
] as const)('%i bytes come back from %s', (bytes, coding) => {
  const content = bytes === 0 ? Buffer.alloc(0) : text(bytes);
  const compressed = compress(content);
  expect(compressed.coding).toBe(coding);
  expect(decompress(compressed.bytes, compressed.coding)).toEqual(content);
});

test('the codings are those that their names say', () => {
  expect(inflateRawSync(compress(text(500)).bytes)).toEqual(text(500));
  expect(brotliDecompressSync(compress(text(100_000)).bytes)).toEqual(text(100_000));
});

test('bytes of another coding are refused', () => {
  const { bytes } = compress(text(500));
  expect(() => decompress(bytes, 'brotli')).toThrow();
});
