import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { limits } from '../contract/limits.ts';
import { routes } from '../contract/routes.ts';
import type { RawRequest } from '../engines/raw-request.ts';
import { type Arrival, authoriserEvent, type Caller } from '../http/gateway-event.ts';
import { soleAuthorization } from '../tokens/authoriser.http.ts';
import { type AccessKey, sessionArn } from './roles.ts';
import type { SigV4Result } from './sigv4.ts';

type TokenAuthoriser = (event: APIGatewayRequestAuthorizerEvent) => Promise<APIGatewayAuthorizerResult>;

export type Authorisation =
  | { readonly kind: 'allowed'; readonly caller: Caller }
  | { readonly kind: 'unauthorized'; readonly reason?: string }
  | { readonly kind: 'failed'; readonly error: unknown };

const maxCached = 10_000;

const ask = async (
  authoriser: TokenAuthoriser,
  event: APIGatewayRequestAuthorizerEvent,
): Promise<Authorisation> => {
  try {
    return { kind: 'allowed', caller: { context: (await authoriser(event)).context ?? {} } };
  } catch (error) {
    const refused = error instanceof Error && error.message === 'Unauthorized';
    return refused ? { kind: 'unauthorized' } : { kind: 'failed', error };
  }
};

/**
 * Calls the authoriser as API Gateway does: what it allows is cached for some seconds, per path and Authorization header.
 *
 * @param now epoch milliseconds
 */
export const cachedAuthoriser = (authoriser: TokenAuthoriser, now: () => number) => {
  const cache = new Map<string, { readonly authorisation: Authorisation; readonly until: number }>();

  return async function authoriseToken(event: APIGatewayRequestAuthorizerEvent): Promise<Authorisation> {
    const header = soleAuthorization(event);
    if (!header) return { kind: 'unauthorized' };
    const identity = `${event.path} ${header}`;
    const known = cache.get(identity);
    if (known && now() < known.until) return known.authorisation;
    const authorisation = await ask(authoriser, event);
    if (cache.size >= maxCached) cache.clear();
    if (authorisation.kind === 'allowed')
      cache.set(identity, { authorisation, until: now() + limits.authoriserCacheSeconds * 1000 });
    return authorisation;
  };
};

export interface Proofs {
  authoriseToken(event: APIGatewayRequestAuthorizerEvent): Promise<Authorisation>;
  verifySignature(request: RawRequest): SigV4Result<AccessKey>;
}

const authoriseSignature = (
  { method, target, headers }: Arrival,
  body: Buffer,
  verifySignature: Proofs['verifySignature'],
): Authorisation => {
  const signed = target.query === '' ? target.path : `${target.path}?${target.query}`;
  const result = verifySignature({ method, target: signed, headers, body });
  return result.kind === 'refused'
    ? { kind: 'unauthorized', reason: result.reason }
    : { kind: 'allowed', caller: { signer: sessionArn(result.accessKey) } };
};

export const authorise = ({ authoriseToken, verifySignature }: Proofs) =>
  async function authoriseArrival(arrival: Arrival, body: Buffer): Promise<Authorisation> {
    const { auth } = routes[arrival.route];
    if (auth === 'none') return { kind: 'allowed', caller: {} };
    return auth === 'sigv4'
      ? authoriseSignature(arrival, body, verifySignature)
      : authoriseToken(authoriserEvent(arrival));
  };
