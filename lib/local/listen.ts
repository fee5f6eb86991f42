import type { Server } from 'node:http';
import { loopback } from './free-port.ts';
import { StartRefusal } from './start-refusal.ts';

/**
 * Listens on the loopback address.
 *
 * @param port 0: any free one
 * @returns the origin, without a path
 * @throws StartRefusal when the port is taken or not allowed
 */
export const listen = (server: Server, port: number, option: string): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', (fault: NodeJS.ErrnoException) => {
      const why = fault.code === 'EADDRINUSE' ? 'is taken by another program' : 'cannot be used';
      reject(
        new StartRefusal(
          `Port ${port} ${why}: stop that program, or choose another port with ${option} (0: any free one).`,
        ),
      );
    });
    server.listen(port, loopback, () => {
      const address = server.address();
      resolve(`http://${loopback}:${typeof address === 'object' && address ? address.port : port}`);
    });
  });
