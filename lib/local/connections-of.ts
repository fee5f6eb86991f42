import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** The connections of a server, also those that are no HTTP any more. */
export const connectionsOf = (server: Server): ReadonlySet<Duplex> => {
  const sockets = new Set<Duplex>();
  server.on('connection', (socket: Duplex) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
};
