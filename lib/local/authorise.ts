import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { soleAuthorization } from '../bus/tokens/authoriser.http.ts';
import type { ForeignTokenProblem } from '../bus/tokens/foreign-token.ts';
import { limits } from '../contract/limits.ts';
import { routes } from '../contract/routes.ts';
import {
  type Arrival,
  authoriserEvent,
  type GatewayCaller,
} from '../platform/http/gateway-event.ts';
import type { RawRequest } from './engines/raw-request.ts';
import { type AccessKey, sessionArn } from './roles.ts';
import type { SigV4Result } from './sigv4.ts';

type TokenAuthoriser = (
  event: APIGatewayRequestAuthorizerEvent,
) => Promise<APIGatewayAuthorizerResult>;

export type Authorisation =
  | { readonly kind: 'allowed'; readonly caller: GatewayCaller }
  | { readonly kind: 'unauthorized'; readonly reason?: string }
  | { readonly kind: 'failed'; readonly error: unknown };

/** What the local service says of a token of the owner's own identity provider. */
const problemWords: Readonly<Record<ForeignTokenProblem, string>> = {
  unknown_issuer: 'Its issuer (iss) is not a registered identity provider here.',
  no_key: 'No single key of the key set fits its kid and alg, or the key set cannot be read.',
  bad_signature: 'Its signature does not fit the key that it names.',
  wrong_audience: 'Its audience (aud) is not the registered one.',
  expired: 'It has expired.',
  too_long: `It is valid for longer than ${limits.accessTokenSeconds} seconds.`,
  no_client: 'The claim that names the client is missing.',
  unbound_client: 'Its client is not bound to a connection.',
  other: 'One of its claims or its header is not as the contract says.',
};

const isProblem = (cause: unknown): cause is ForeignTokenProblem =>
  typeof cause === 'string' && Object.hasOwn(problemWords, cause);

const unauthorised = ({ cause }: Error): Authorisation => {
  if (isProblem(cause))
    return {
      kind: 'unauthorized',
      reason: `The bus does not take this token. ${problemWords[cause]}`,
    };
  return { kind: 'unauthorized' };
};

const maxCached = 10_000;

const ask = async (
  authoriser: TokenAuthoriser,
  event: APIGatewayRequestAuthorizerEvent,
): Promise<Authorisation> => {
  try {
    return { kind: 'allowed', caller: { context: (await authoriser(event)).context ?? {} } };
  } catch (error) {
    const isRefused = error instanceof Error && error.message === 'Unauthorized';
    if (isRefused) return unauthorised(error);
    return { kind: 'failed', error };
  }
};

/**
 * Calls the authoriser as API Gateway does: what it allows is cached for some seconds, per path and
 * Authorization header.
 *
 * @param now epoch milliseconds
 */
export const cachedAuthoriser = (authoriser: TokenAuthoriser, now: () => number) => {
  const cache = new Map<string, { authorisation: Authorisation; until: number }>();

  return async function authoriseToken(
    event: APIGatewayRequestAuthorizerEvent,
  ): Promise<Authorisation> {
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
  if (result.kind === 'refused') return { kind: 'unauthorized', reason: result.reason };
  return { kind: 'allowed', caller: { signer: sessionArn(result.accessKey) } };
};

export const authorise = ({ authoriseToken, verifySignature }: Proofs) =>
  async function authoriseArrival(arrival: Arrival, body: Buffer): Promise<Authorisation> {
    const { auth } = routes[arrival.route];
    if (auth === 'none') return { kind: 'allowed', caller: {} };
    if (auth === 'sigv4') return authoriseSignature(arrival, body, verifySignature);
    return authoriseToken(authoriserEvent(arrival));
  };
