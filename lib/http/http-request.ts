import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Caller } from '../app/admit.ts';

/** A request as a route sees it. */
export interface HttpRequest {
  readonly requestId: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The last value where a name is repeated. */
  readonly query: Readonly<Record<string, string>>;
  /** The exact bytes that were sent. */
  readonly body: Uint8Array;
  /** Who the authoriser found; undefined on open routes. */
  readonly caller?: Caller;
  /** The ARN of who signed the request, verified by the platform; undefined where nobody did. */
  readonly signer?: string;
}

const present = <V>(record: Record<string, V | undefined> | null): [string, V][] =>
  Object.entries(record ?? {}).flatMap(([name, value]): [string, V][] =>
    value === undefined ? [] : [[name, value]],
  );

const lowerCased = (headers: APIGatewayProxyEvent['headers']): Record<string, string> =>
  Object.fromEntries(present(headers).map(([name, value]) => [name.toLowerCase(), value]));

const callerOf = (authorizer: APIGatewayProxyEvent['requestContext']['authorizer']): Caller | undefined => {
  const { connection, workspace } = authorizer ?? {};
  return typeof connection === 'string' && typeof workspace === 'string'
    ? { connection, workspace }
    : undefined;
};

/** The request in a proxy event (AWS: "Lambda proxy integrations in API Gateway", format 1.0). */
export const httpRequest = (event: APIGatewayProxyEvent): HttpRequest => {
  const caller = callerOf(event.requestContext.authorizer);
  const signer = event.requestContext.identity?.userArn;
  return {
    requestId: event.requestContext.requestId,
    headers: lowerCased(event.headers),
    pathParameters: Object.fromEntries(present(event.pathParameters)),
    query: Object.fromEntries(present(event.queryStringParameters)),
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    ...(caller ? { caller } : {}),
    ...(signer ? { signer } : {}),
  };
};
