import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { proxyResult } from '../platform/http/respond.ts';
import { apiRefusal, type HttpResponse } from '../platform/http/response.ts';
import { keepAliveMilliseconds, readArrived } from './engines/machine.ts';
import { type GatewayParts, respondToRequest } from './gateway.ts';
import { type GatewayEndpoint, listen, loopbackEndpoint, serverAt } from './gateway-endpoint.ts';

const connectionsOf = (server: Server): ReadonlySet<Duplex> => {
  const sockets = new Set<Duplex>();
  server.on('connection', (socket: Duplex) => {
    // Each pending request on it listens for its end.
    socket.setMaxListeners(0);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
};

interface PendingResponses {
  add(response: ServerResponse): void;
  /** Resolves when none is left; if a connection is given, only its requests count. */
  none(socket?: Duplex): Promise<void>;
  incomplete(socket: Duplex): boolean;
  /** Whether the service has a whole request of a connection, and has not begun to respond. */
  working(socket: Duplex): boolean;
  /** Whether no later request has arrived on the connection of a response. */
  isLast(response: ServerResponse): boolean;
}

const pendingResponses = (): PendingResponses => {
  const ends = new Map<ServerResponse, Promise<void>>();
  const of = (socket?: Duplex): readonly ServerResponse[] =>
    [...ends.keys()].filter(({ req }) => socket === undefined || req.socket === socket);

  return {
    add(response) {
      const { socket } = response.req;
      const end = new Promise<void>(resolve => {
        const ended = () => {
          ends.delete(response);
          socket.off('close', ended);
          resolve();
        };
        response.once('close', ended);
        // Of a response that waits behind another one, Node does not tell that its connection was
        // closed.
        socket.once('close', ended);
      });
      ends.set(response, end);
    },
    async none(socket) {
      for (let [first] = of(socket); first; [first] = of(socket)) await ends.get(first);
    },
    isLast: response => of(response.req.socket).at(-1) === response,
    incomplete: socket => of(socket).some(({ req }) => !req.complete),
    working: socket => of(socket).some(({ req, headersSent }) => req.complete && !headersSent),
  };
};

const send = (
  response: ServerResponse,
  { statusCode, headers, multiValueHeaders, body, isBase64Encoded }: APIGatewayProxyResult,
): void => {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  // 204 and 304 have no content, and a length of 0 would say that the cached content is empty (RFC
  // 9110 section 8.6).
  const length = [204, 304].includes(statusCode) ? {} : { 'content-length': String(bytes.length) };
  response.writeHead(statusCode, { ...headers, ...multiValueHeaders, ...length } as Record<
    string,
    string
  >);
  response.end(bytes);
};

/** Writes a response to a connection that no HTTP parser handles any longer, and closes it. */
const sendRaw = (socket: Duplex, { statusCode, headers, body }: APIGatewayProxyResult): void => {
  if (!socket.writable) return;
  const fields = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${head.join('')}\r\n${body}`);
};

/**
 * Refuses input that is not a request to the bus, which Node would answer in its own format or not
 * at all.
 */
const refuseNonRequests = (
  server: Server,
  known: Promise<GatewayParts>,
  pending: PendingResponses,
): void => {
  const seen = new WeakSet<Duplex>();
  const refuseOnce = async (socket: Duplex, refusalOf: (parts: GatewayParts) => HttpResponse) => {
    if (seen.has(socket)) return;
    seen.add(socket);
    const parts = await known;
    // Earlier requests of the connection are answered first; one that is cut short never is.
    if (!pending.incomplete(socket)) await pending.none(socket);
    const refusal = refusalOf(parts);
    const requestId = parts.newRequestId();
    parts
      .logFor(undefined)
      .answered({ ...refusal.log, status: refusal.status, milliseconds: 0, requestId });
    sendRaw(socket, proxyResult(refusal, requestId));
  };
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    // The client is gone: some end a request that they no longer wait for like this.
    if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const message = 'The service cannot read this as an HTTP request.';
    void refuseOnce(socket, ({ api }) => apiRefusal(api, 'request.blocked', { message }));
  });
  server.on('connect', (_request, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    void refuseOnce(socket, ({ api }) => apiRefusal(api, 'route.not_found'));
  });
};

/** A server that listens already: its requests wait until `serve` is called. */
export interface OpenGateway {
  readonly server: Server;
  readonly origin: string;
  serve(parts: GatewayParts): void;
  /**
   * Takes no new connections, and resolves when the requests that had arrived are answered and all
   * connections closed; requests that are not answered within the grace time are cut off.
   */
  close(graceMilliseconds: number): Promise<void>;
}

/** A connection is cut when nothing moves on it for so long. */
const silentMilliseconds = 60_000;

/**
 * Takes a port before anything else starts, so that no other program can take it in the meantime.
 *
 * @throws StartRefusal when the port is taken
 */
export const openGateway = async (
  port: number,
  option: string,
  endpoint: GatewayEndpoint = loopbackEndpoint,
): Promise<OpenGateway> => {
  let serve: (parts: GatewayParts) => void = () => undefined;
  const parts = new Promise<GatewayParts>(resolve => {
    serve = resolve;
  });
  const pending = pendingResponses();
  let stopping = false;
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    pending.add(response);
    const known = await parts;
    const result = await respondToRequest(known, request);
    if (known.loses?.(String(result.headers?.['x-request-id'])))
      return void request.socket.destroy();
    // A body that nobody reads would be parsed as the next request.
    const isUnread = !request.complete && !request.readableFlowing;
    if ((stopping && pending.isLast(response)) || isUnread)
      response.setHeader('connection', 'close');
    send(response, result);
  };
  const server = serverAt(endpoint, (request, response) => {
    void reply(request, response);
  });
  server.keepAliveTimeout = keepAliveMilliseconds;
  // Who reads nothing would keep responses in memory for ever. Who waits for a response is silent
  // as well: after a machine has slept, this time is over for a poll that ends just now with
  // messages.
  server.setTimeout(silentMilliseconds, socket => {
    if (!pending.working(socket)) socket.destroy();
  });
  server.on('checkExpectation', (request, response) => void reply(request, response));
  refuseNonRequests(server, parts, pending);
  const sockets = connectionsOf(server);
  return {
    server,
    origin: await listen(server, { port, option }, endpoint),
    serve,
    async close(graceMilliseconds) {
      stopping = true;
      await readArrived();
      const closed = new Promise(resolve => server.close(resolve));
      const grace = new AbortController();
      await Promise.race([
        pending.none(),
        setTimeout(graceMilliseconds, undefined, grace).catch(() => undefined),
      ]);
      grace.abort();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};

export interface Gateways {
  readonly bus: OpenGateway;
  readonly portal: OpenGateway;
}

/** Takes both ports, or neither. */
export const openGateways = async (options: {
  port: number;
  portalPort: number;
  /** Absent: on loopback. */
  endpoint?: GatewayEndpoint;
}): Promise<Gateways> => {
  const bus = await openGateway(options.port, '--port', options.endpoint);
  try {
    return {
      bus,
      portal: await openGateway(options.portalPort, '--portal-port', options.endpoint),
    };
  } catch (error) {
    bus.server.close();
    throw error;
  }
};

export const serveGateways = (
  { bus, portal }: Gateways,
  parts: Omit<GatewayParts, 'api'>,
): void => {
  bus.serve({ ...parts, api: 'bus' });
  portal.serve({ ...parts, api: 'portal' });
};

const graceMilliseconds = 5_000;

/**
 * Takes no new requests, and resolves when the pending ones are answered or the grace time is over.
 */
export const closeGateways = async ({ bus, portal }: Gateways): Promise<void> => {
  await Promise.all([bus, portal].map(gateway => gateway.close(graceMilliseconds)));
};

export const abandonGateways = ({ bus, portal }: Gateways): void => {
  for (const { server } of [bus, portal]) {
    server.close();
    server.closeAllConnections();
  }
};
