import type { AccessTokenClaims } from './access-token.ts';
import { inTime, type VerificationKey, verifyAccessToken } from './verify-access-token.ts';

const remembered = 10_000;

/** The claims of a valid token at a time in epoch milliseconds; undefined when it is none. */
export type AccessTokenVerifier = (token: string, now: number) => AccessTokenClaims | undefined;

/**
 * Verifies tokens against one set of keys, each signature once: a token that verified is known by its text, of which there
 * is only one. Its time is looked at again each time. A token that did not verify is not remembered.
 */
export const accessTokenVerifier = (facts: {
  readonly keys: readonly VerificationKey[];
  readonly origin: string;
}): AccessTokenVerifier => {
  const verified = new Map<string, AccessTokenClaims>();

  const learn = (token: string): AccessTokenClaims | undefined => {
    const claims = verifyAccessToken(token, facts);
    if (claims && verified.size >= remembered) verified.clear();
    if (claims) verified.set(token, claims);
    return claims;
  };

  return (token, now) => {
    const claims = verified.get(token) ?? learn(token);
    return claims && inTime(claims, now) ? claims : undefined;
  };
};
