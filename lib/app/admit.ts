import { type Connection, type ConnectionKind, isRegistered } from '../domain/registry/connection.ts';
import type { Registry } from '../ports/registry.ts';
import { type Refusal, refuse } from './refusal.ts';

/** Who the authoriser found the caller to be. */
export interface Caller {
  readonly connection: string;
  readonly workspace: string;
}

/** Where a call goes: the workspace of the address, the kind of connection it needs, and whose queue. */
export interface Destination {
  readonly workspace: string;
  readonly kind: ConnectionKind;
  readonly consumer?: string;
}

/** The caller's connection as the registry has it now, when it may go where it wants to go. */
export const admit = async (
  registry: Registry,
  caller: Caller,
  destination: Destination,
): Promise<{ kind: 'admitted'; connection: Connection } | Refusal> => {
  if (caller.workspace !== destination.workspace) return refuse('tenant.mismatch');
  const connection = await registry.connection(caller.connection);
  if (!isRegistered(connection)) return refuse('producer.not_registered');
  if (connection.workspace !== destination.workspace) return refuse('tenant.mismatch');
  // A paused consumer keeps what its queue has.
  const may = connection.status === 'active' || connection.kind === 'consumer';
  const fits =
    may && connection.kind === destination.kind && (destination.consumer ?? connection.id) === connection.id;
  return fits ? { kind: 'admitted', connection } : refuse('producer.not_registered');
};
