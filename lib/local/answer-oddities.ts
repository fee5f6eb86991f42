import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { apiRefusal } from '../http/api-refusal.ts';
import type { HttpAnswer } from '../http/http-answer.ts';
import { proxyResult } from '../http/respond.ts';
import { answerSocket } from './answer-socket.ts';
import type { AnswersUnderWay } from './answers-under-way.ts';
import type { GatewayParts } from './gateway-parts.ts';

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
