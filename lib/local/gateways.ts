import type { GatewayParts } from './gateway.ts';
import { type OpenGateway, openGateway } from './gateway-server.ts';

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

/** Answers requests, including those that arrived since the ports were taken. */
export const serveGateways = ({ bus, portal }: Gateways, parts: Omit<GatewayParts, 'api'>): void => {
  bus.serve({ ...parts, api: 'bus' });
  portal.serve({ ...parts, api: 'portal' });
};

const graceMilliseconds = 5_000;

/** Takes no new requests, and resolves when the pending ones are answered or the grace time is over. */
export const closeGateways = async ({ bus, portal }: Gateways): Promise<void> => {
  await Promise.all([bus, portal].map(gateway => gateway.close(graceMilliseconds)));
};

/** Closes gateways that have not served anybody. */
export const abandonGateways = ({ bus, portal }: Gateways): void => {
  for (const { server } of [bus, portal]) {
    server.close();
    server.closeAllConnections();
  }
};
