import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { limits } from '../contract/limits.ts';
import { soleAuthorization } from '../tokens/authoriser.http.ts';

type Authoriser = (event: APIGatewayRequestAuthorizerEvent) => Promise<APIGatewayAuthorizerResult>;

/** What API Gateway makes of an authoriser's answer. */
export type Authorisation =
  | { readonly kind: 'allowed'; readonly context: object }
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'failed'; readonly fault: unknown };

const remembered = 10_000;

/** Runs the authoriser as API Gateway does: its answers are kept for some seconds, per Authorization header and path. */
export const authorise = (authoriser: Authoriser, now: () => number) => {
  const cache = new Map<string, { readonly authorisation: Authorisation; readonly until: number }>();

  const ask = async (event: APIGatewayRequestAuthorizerEvent): Promise<Authorisation> => {
    try {
      return { kind: 'allowed', context: (await authoriser(event)).context ?? {} };
    } catch (fault) {
      const refused = fault instanceof Error && fault.message === 'Unauthorized';
      return refused ? { kind: 'unauthorized' } : { kind: 'failed', fault };
    }
  };

  return async (event: APIGatewayRequestAuthorizerEvent): Promise<Authorisation> => {
    const header = soleAuthorization(event);
    if (!header) return { kind: 'unauthorized' };
    const identity = `${event.path} ${header}`;
    const known = cache.get(identity);
    if (known && now() < known.until) return known.authorisation;
    const authorisation = await ask(event);
    if (cache.size >= remembered) cache.clear();
    if (authorisation.kind === 'allowed') {
      cache.set(identity, { authorisation, until: now() + limits.authoriserCacheSeconds * 1000 });
    }
    return authorisation;
  };
};
