import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { readBody, routeBody } from '../../lib/local/gateway.ts';

/** A request whose body arrives in these chunks; with a length that it declares. */
const sending = (chunks: readonly Buffer[], declared?: number, ends = true): IncomingMessage => {
  const request = new IncomingMessage(new Socket());
  if (declared !== undefined) request.headers['content-length'] = String(declared);
  for (const chunk of chunks) request.push(chunk);
  if (ends) request.push(null);
  return request;
};

const bytes = (count: number) => Buffer.alloc(count, 'b');

describe('the body of a route that reads none', () => {
  test.each([[[]], [[bytes(1)]], [[bytes(1), bytes(5_000)]]])('is empty, whatever is sent', async chunks => {
    expect(await routeBody('health', sending(chunks))).toEqual(Buffer.alloc(0));
  });
});

describe('a body', () => {
  test.each([
    [[bytes(10)], 10],
    [[bytes(4), bytes(6)], 10],
  ])('of as many bytes as may be is read whole', async (chunks, max) => {
    expect(await readBody(sending(chunks), max)).toEqual(bytes(10));
  });

  test('of one byte more is not read, whether its length is declared or not', async () => {
    expect(await readBody(sending([bytes(4), bytes(7)]), 10)).toBeUndefined();
    expect(await readBody(sending([bytes(11)], 11), 10)).toBeUndefined();
  });

  test('is read and dropped while it has up to 20 MiB; the connection of a longer one is cut', async () => {
    const mebibyte = 1_048_576;
    const twenty = Array.from({ length: 20 }, () => bytes(mebibyte));
    const request = sending(twenty);
    const ended = once(request, 'end');
    expect(await readBody(request, 10)).toBeUndefined();
    await ended;
    const endless = sending([...twenty, bytes(1)], undefined, false);
    const closed = once(endless, 'close');
    expect(await readBody(endless, 10)).toBeUndefined();
    await closed;
  });
});
