import type { Server } from 'node:http';
import { loopback } from './database.ts';
import { type GatewayParts, type OpenGateway, openGateway } from './gateway.ts';
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

/** The bus and the portal, each on its port. */
export interface Gateways {
  readonly bus: OpenGateway;
  readonly portal: OpenGateway;
}

/** Takes both ports, or neither. */
export const openGateways = async (options: {
  readonly port: number;
  readonly portalPort: number;
}): Promise<Gateways> => {
  const bus = await openGateway(options.port, '--port');
  try {
    return { bus, portal: await openGateway(options.portalPort, '--portal-port') };
  } catch (fault) {
    bus.server.close();
    throw fault;
  }
};

const graceMilliseconds = 5_000;

/** Takes no new requests, and resolves when those under way are answered, or the grace time is over. */
export const closeGateways = async ({ bus, portal }: Gateways): Promise<void> => {
  await Promise.all([bus, portal].map(gateway => gateway.close(graceMilliseconds)));
};

/** Lets the requests in that were waiting since the ports were taken. */
export const serveThrough = ({ bus, portal }: Gateways, parts: Omit<GatewayParts, 'api'>): void => {
  bus.serve({ ...parts, api: 'bus' });
  portal.serve({ ...parts, api: 'portal' });
};

/** Closes gateways that never answered anybody. */
export const abandonGateways = ({ bus, portal }: Gateways): void => {
  for (const { server } of [bus, portal]) {
    server.close();
    server.closeAllConnections();
  }
};
