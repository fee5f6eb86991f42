import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { HttpAnswer, LogFacts } from './http-answer.ts';
import { type HttpRequest, httpRequest } from './http-request.ts';

/** One line per request. */
export interface RequestLog {
  answered(
    facts: LogFacts & { readonly status: number; readonly milliseconds: number; readonly requestId: string },
  ): void;
  failed(fault: unknown, facts: { readonly requestId: string }): void;
}

/** An answer in the form that API Gateway takes (proxy integration, format 1.0). */
export const proxyResult = (answer: HttpAnswer, requestId: string): APIGatewayProxyResult => ({
  statusCode: answer.status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    ...answer.headers,
  },
  ...(answer.body instanceof Uint8Array
    ? { body: Buffer.from(answer.body).toString('base64'), isBase64Encoded: true }
    : { body: answer.body === undefined ? '' : JSON.stringify(answer.body) }),
});

/** The one boundary where a fault becomes an answer; its cause goes into the log only. */
export const respond =
  (
    route: (request: HttpRequest) => Promise<HttpAnswer>,
    outside: { readonly log: RequestLog; readonly onFault: HttpAnswer; now(): number },
  ) =>
  async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    const request = httpRequest(event);
    const { requestId } = request;
    const startedAt = outside.now();
    const answer = await route(request).catch((fault: unknown) => {
      outside.log.failed(fault, { requestId });
      return outside.onFault;
    });
    const milliseconds = Math.round(outside.now() - startedAt);
    outside.log.answered({ ...answer.log, status: answer.status, milliseconds, requestId });
    return proxyResult(answer, requestId);
  };
