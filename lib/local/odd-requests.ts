import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { apiRefusal, type HttpAnswer } from '../http/answer.ts';
import { proxyResult } from '../http/respond.ts';
import type { GatewayParts } from './gateway.ts';

/** Writes an answer to a connection that no HTTP parser looks after any more, and ends it. */
const answerSocket = (socket: Duplex, { statusCode, headers, body }: APIGatewayProxyResult): void => {
  if (!socket.writable) return;
  const fields = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${head.join('')}\r\n${body}`);
};

/** The requests that a server has taken and not answered yet. */
interface AnswersUnderWay {
  add(response: ServerResponse): void;
  /** Resolves when none is left, of this connection alone where one is given. */
  none(socket?: Duplex): Promise<void>;
  /** Whether the connection's last request has not arrived in full. */
  incomplete(socket: Duplex): boolean;
}

export const answersUnderWay = (): AnswersUnderWay => {
  const responses = new Set<ServerResponse>();
  const of = (socket?: Duplex): readonly ServerResponse[] =>
    [...responses].filter(({ req }) => socket === undefined || req.socket === socket);

  return {
    add(response) {
      responses.add(response);
      response.once('close', () => responses.delete(response));
    },
    async none(socket) {
      for (let [first] = of(socket); first; [first] = of(socket)) {
        const answered = first;
        await new Promise<void>(resolve => answered.once('close', resolve));
      }
    },
    incomplete: socket => of(socket).some(({ req }) => !req.complete),
  };
};

/** Answers a connection whose bytes no HTTP server can make a request of, in the form of the API. */
const refuseSocket = (parts: GatewayParts, socket: Duplex, refusal: HttpAnswer): void => {
  const requestId = parts.newRequestId();
  const { log, status } = refusal;
  parts.logFor(undefined).answered({ ...log, status, milliseconds: 0, requestId });
  answerSocket(socket, proxyResult(refusal, requestId));
};

/** What Node would answer in its own words, or not at all: it gets the bus's answers like everything else. */
export const answerOddities = (
  server: Server,
  known: Promise<GatewayParts>,
  underWay: AnswersUnderWay,
): void => {
  const seen = new WeakSet<Duplex>();
  const refuseOnce = async (socket: Duplex, refusalOf: (parts: GatewayParts) => HttpAnswer) => {
    if (seen.has(socket)) return;
    seen.add(socket);
    const parts = await known;
    // The answers to earlier requests of the connection come first; one that is cut short never gets its own.
    if (!underWay.incomplete(socket)) await underWay.none(socket);
    refuseSocket(parts, socket, refusalOf(parts));
  };
  server.on('clientError', (_fault, socket) => {
    const message = 'This is no HTTP request the service can read.';
    void refuseOnce(socket, ({ api }) => apiRefusal(api, 'request.blocked', { message }));
  });
  server.on('connect', (_request, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    void refuseOnce(socket, ({ api }) => apiRefusal(api, 'route.not_found'));
  });
};
