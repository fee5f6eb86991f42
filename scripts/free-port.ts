import { createServer } from 'node:net';
import { loopback } from '../lib/local/gateway-endpoint.ts';

const tryPort = (port: number): Promise<number | undefined> =>
  new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, loopback, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });

/** A free port on the loopback address: the preferred one if possible. */
export const freePort = async (preferred = 0): Promise<number> => {
  const port = (await tryPort(preferred)) ?? (await tryPort(0));
  if (port === undefined) throw new Error('This machine has no free port on 127.0.0.1.');
  return port;
};
