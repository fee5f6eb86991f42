import {
  type Clock,
  type IdentifierPrefix,
  type Ids,
  identifier,
  identifierBytes,
} from '../contract/outside.ts';

/** Why an operator's command was declined. */
export interface Declined {
  readonly kind: 'declined';
  /** A sentence for the operator. */
  readonly reason: string;
}

export const declined = (reason: string): Declined => ({ kind: 'declined', reason });

export const isDeclined = (result: unknown): result is Declined =>
  typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'declined';

/** There is no such connection, or it is revoked. */
export const noConnection = (id: string): Declined =>
  declined(`There is no connection ${id}, or it is revoked.`);

/** A new, unused identifier. */
export const newId = ({ ids }: { readonly ids: Ids }, prefix: IdentifierPrefix): string =>
  identifier(prefix, ids.random(identifierBytes));

/** Now, RFC 3339 in UTC. */
export const timestamp = ({ clock }: { readonly clock: Clock }): string =>
  new Date(clock.now()).toISOString();
