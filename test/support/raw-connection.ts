import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection that somebody writes bytes to by hand. */
export const rawConnection = async (origin: string): Promise<Socket> => {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};

/**
 * Resolves when a connection is closed, in whatever way: what it still received is read, or it
 * would never close.
 */
export const closed = (socket: Socket): Promise<void> =>
  new Promise(resolve => socket.once('close', () => resolve()).resume());

export interface RawResponse {
  readonly status: number;
  readonly head: string;
  // Tests look into bodies of every shape.
  readonly body: Record<string, unknown>;
}

const parsed = (text: string): RawResponse => {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: JSON.parse(body) };
};

/** Sends bytes, and gives the responses until the other side closes the connection. */
export const exchange = async (origin: string, bytes: string): Promise<readonly RawResponse[]> => {
  const socket = await rawConnection(origin);
  let text = '';
  socket.on('data', chunk => {
    text += chunk;
  });
  socket.write(bytes);
  await closed(socket);
  return text.split(/(?=HTTP\/1\.1 \d{3} )/).map(parsed);
};
