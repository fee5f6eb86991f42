import { type Refusal, refuse } from '../../contract/refusals.ts';
import type { Caller } from '../../contract/route.ts';
import {
  type CloudRole,
  operatorScope,
  type Principal,
  roleOfCaller,
  type Scope,
} from '../trust/principals.ts';
import { type Connection, type ConnectionKind, isRegistered } from './connection.ts';

export const clientClaims = ['azp', 'client_id', 'sub'] as const;

type ClientClaim = (typeof clientClaims)[number];

export interface IdentityProvider {
  readonly scope: Scope;
  /** Exactly as its tokens' `iss`. */
  readonly issuer: string;
  readonly jwksUri: string;
  readonly audience: string;
  readonly clientClaim: ClientClaim;
  /** Its keys may be fetched over http and from this machine; only the local service honours it. */
  readonly insecureLocal: boolean;
  readonly createdAt: string;
}

/** Connections and their permissions; responses may be up to `limits.registryCacheSeconds` old. */
export interface Registry {
  connection(id: string): Promise<Connection | undefined>;
  /** With any status. Fresh. */
  principalsOf(scope: Scope, role: CloudRole): Promise<readonly Principal[]>;
  /** Fresh. */
  provider(scope: Scope, issuer: string): Promise<IdentityProvider | undefined>;
  /** Fresh. */
  boundConnection(provider: IdentityProvider, client: string): Promise<string | undefined>;
  /** Active or paused. */
  consumersOf(workspace: string): Promise<readonly Connection[]>;
  /** Fresh; one that is not is no longer remembered. */
  isRegistered(connection: string): Promise<boolean>;
}

export type CallerRegistry = Pick<Registry, 'connection' | 'isRegistered'>;

export type RoleRegistry = Pick<Registry, 'connection' | 'principalsOf' | 'isRegistered'>;

export interface Destination {
  readonly workspace: string;
  /** Absent: any connection may look, even a paused one. */
  readonly kind?: ConnectionKind;
  readonly consumer?: string;
}

export type Admitted = { readonly kind: 'admitted'; readonly connection: Connection };

export const admit = async (
  registry: Pick<Registry, 'connection'>,
  caller: Caller,
  destination: Destination,
): Promise<Admitted | Refusal> => {
  if (caller.workspace !== destination.workspace) return refuse('tenant.mismatch');
  const connection = await registry.connection(caller.connection);
  if (!isRegistered(connection)) return refuse('producer.not_registered');
  if (connection.workspace !== destination.workspace) return refuse('tenant.mismatch');

  // What the destination does not name is the connection's own.
  const { kind = connection.kind, consumer = connection.id } = destination;
  if (kind !== connection.kind || consumer !== connection.id)
    return refuse('producer.not_registered');

  // A paused producer may look, but not publish; a paused consumer gets what is in its queue.
  if (destination.kind === 'producer' && connection.status !== 'active')
    return refuse('producer.not_registered');
  return { kind: 'admitted', connection };
};

/** @param callerArn the ARN that the platform verified the signature for */
export const admitRole = async (
  registry: RoleRegistry,
  callerArn: string,
  scope: Scope | undefined,
): Promise<Admitted | Refusal> => {
  const role = roleOfCaller(callerArn);
  const principals = role && scope !== undefined ? await registry.principalsOf(scope, role) : [];
  const verified = principals.filter(({ status }) => status === 'verified');
  const ids = new Set(verified.map(({ connection }) => connection));
  const found = await Promise.all([...ids].map(id => registry.connection(id)));

  const isInScope = ({ workspace }: Connection) => scope === operatorScope || scope === workspace;
  const [connection, ...others] = found
    .filter(isRegistered)
    .filter(({ status, kind }) => status === 'active' && kind === 'producer')
    .filter(isInScope);
  if (connection && others.length === 0) return { kind: 'admitted', connection };
  return refuse('producer.not_registered');
};
