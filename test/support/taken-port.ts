import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that another program listens on, until it is released. */
export const takenPort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? String(address.port) : '',
    release: () => server.close(),
  };
};
