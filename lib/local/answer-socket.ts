import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyResult } from 'aws-lambda';

/** Writes an answer to a connection that no HTTP parser looks after any more, and ends it. */
export const answerSocket = (socket: Duplex, { statusCode, headers, body }: APIGatewayProxyResult): void => {
  if (!socket.writable) return;
  const fields = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${head.join('')}\r\n${body}`);
};
