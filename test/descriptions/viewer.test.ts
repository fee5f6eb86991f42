import { brotliDecompressSync } from 'node:zlib';
import { docsViewerEdge } from '../../lib/descriptions/descriptions.http.ts';

const viewer = docsViewerEdge({}, { origin: 'https://bus.example', isLocal: false, region: '' });

const asked = (headers: Readonly<Record<string, string>>) =>
  viewer({ requestId: 'r', method: 'GET', pathParameters: {}, query: {}, headers, body: new Uint8Array() });

test('the viewer comes compressed to those who take that, as the same script, under a tag of its own', async () => {
  const [plain, compressed] = [await asked({}), await asked({ 'accept-encoding': 'gzip, br' })];
  expect(plain.headers?.['content-encoding']).toBeUndefined();
  expect(compressed.headers?.['content-encoding']).toBe('br');
  expect(
    Buffer.from(brotliDecompressSync(compressed.body as Uint8Array)).equals(plain.body as Uint8Array),
  ).toBe(true);
  expect(compressed.headers?.['etag']).not.toBe(plain.headers?.['etag']);
  // A cache keeps one for each.
  for (const { headers } of [plain, compressed]) expect(headers?.['vary']).toBe('accept-encoding');
});

test('a client that has the current version gets 304', async () => {
  const { headers } = await asked({});
  const again = await asked({ 'if-none-match': headers?.['etag'] ?? '' });
  expect([again.status, again.body, again.headers?.['vary']]).toEqual([304, undefined, 'accept-encoding']);
});
