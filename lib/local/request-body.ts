import type { IncomingMessage } from 'node:http';
import { limits } from '../contract/limits.ts';
import type { Route } from '../contract/route.ts';
import { type RouteId, routes } from '../contract/routes.ts';
import { apiRefusal, type HttpAnswer, tooLargeAnswer } from '../http/answer.ts';

const declaredBytes = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0);

/** How many bytes a caller may send in vain before the connection is cut. */
const droppedBytes = 2 * limits.gatewayBodyBytes;

/**
 * The body of a request; undefined as soon as it is known to have more than `max` bytes. The rest is then read and dropped:
 * many clients read no answer before they have sent everything.
 *
 * @param kept of a larger body, nothing is returned, but its bytes are still counted
 */
export const readBody = (request: IncomingMessage, max: number, kept = max): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    const refuse = (): void => {
      chunks = [];
      resolve(undefined);
    };
    const isTooLarge = declaredBytes(request) > max;
    if (isTooLarge) refuse();
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > droppedBytes) request.destroy();
      else if (bytes > max) refuse();
      else if (bytes <= kept && !isTooLarge) chunks.push(chunk);
      else chunks = [];
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
    request.once('close', () => reject(new Error('The caller closed the connection.')));
  });

/** The body that a route reads, or the refusal of a larger one: the gateway holds no more than the route's limit. */
export const routeBody = async (id: RouteId, request: IncomingMessage): Promise<Buffer | HttpAnswer> => {
  const { api, bodyBytes }: Route = routes[id];
  const body = await readBody(request, bodyBytes ?? limits.gatewayBodyBytes, bodyBytes ?? 0);
  if (body) return body;
  // API Gateway refuses what is larger than its own limit before the function can.
  const isGateways = bodyBytes === undefined || declaredBytes(request) > limits.gatewayBodyBytes;
  return isGateways ? apiRefusal(api, 'message.too_large') : tooLargeAnswer(id);
};
