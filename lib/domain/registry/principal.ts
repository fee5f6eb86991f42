import { timingSafeEqual } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import { isWorkspaceId } from './identifier.ts';
import { hashSecret } from './secret.ts';

/** Where an identity from outside counts: in one workspace, or on the operator's own routes. */
export type Scope = string;

/** The scope of the operator's routes; no workspace id looks like it. */
export const operatorScope: Scope = 'operator';

/** The scope of a workspace; undefined for a text that names none, as an address may hold anything. */
export const workspaceScope = (workspace: string): Scope | undefined =>
  isWorkspaceId(workspace) ? workspace : undefined;

/** `pending` until the role has answered its challenge; a verification that was interrupted still has the challenge. */
export type PrincipalStatus = 'pending' | 'verified' | 'revoked';

/** A cloud role registered on a connection. */
export interface Principal {
  readonly id: string;
  readonly scope: Scope;
  readonly connection: string;
  /** As registered, path included. */
  readonly roleArn: string;
  readonly status: PrincipalStatus;
  /** Until it is answered and everything that follows from it is done. */
  readonly challenge?: { readonly hash: string /** Epoch milliseconds. */; readonly until: number };
  readonly createdAt: string;
  readonly verifiedAt?: string;
}

/** Random bytes one challenge takes. */
export const challengeBytes = 32;

/** A one-time challenge: `sbc_` and 256 random bits in base64url. */
export const challengeText = (random: Uint8Array): string =>
  `sbc_${Buffer.from(random).toString('base64url')}`;

/**
 * What is kept of a challenge.
 *
 * @param now epoch milliseconds
 */
export const storedChallenge = (text: string, now: number): { hash: string; until: number } => ({
  hash: hashSecret(text),
  until: now + limits.challengeSeconds * 1000,
});

/**
 * Whether a principal is answered by this challenge at this time.
 *
 * @param now epoch milliseconds
 */
export const answersChallenge = ({ status, challenge }: Principal, text: string, now: number): boolean =>
  status !== 'revoked' &&
  challenge !== undefined &&
  now < challenge.until &&
  timingSafeEqual(Buffer.from(hashSecret(text)), Buffer.from(challenge.hash));
