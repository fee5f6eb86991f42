import { defined, iso, timestamp } from '../../contract/outside.ts';
import {
  type Connection,
  type Credential,
  clientSecret,
  hashSecret,
  isRegistered,
  type SecretSlot,
  secretBytes,
} from './connection.ts';
import { changed, type Declined, declined, noConnection } from './declined.ts';
import type { RegistryPorts } from './ports.ts';

export interface IssuedConnection {
  readonly kind: 'issued';
  readonly connection: Connection;
  readonly credential: Credential;
  readonly clientSecret: string;
}

export const newCredential = (
  ports: Pick<RegistryPorts, 'clock' | 'ids'>,
  version: number,
): { secret: string; credential: Credential } => {
  const secret = clientSecret(ports.ids.random(secretBytes));
  return {
    secret,
    credential: { version, current: { hash: hashSecret(secret), issuedAt: timestamp(ports) } },
  };
};

const changedMeanwhile = changed(
  'Someone else changed the secret at the same time: check the connection, then try again.',
);

const overlapLasts = (until: number): Declined =>
  declined(
    `The secret before the last rotation still works until ${iso(until)}, ` +
      'and a new secret would end that now. Wait until then.',
    true,
  );

export interface Rotation {
  /** 0: the old secret stops working immediately. */
  readonly overlapSeconds: number;
  /** Also ends the overlap of the secret before the old one, if it is not over. */
  readonly force?: boolean;
  /** Declined if the credential has another version. Default: whatever it is. */
  readonly version?: number;
}

/** The secret that a rotation replaces, which works until the overlap is over. */
const outgoing = ({ hash, lastUsedAt }: Required<Credential>['current'], until: number) =>
  defined({ hash, lastUsedAt, until });

/**
 * The previous secret works during the overlap; earlier tokens stop working. A further rotation in
 * an overlap has to be forced.
 */
export const rotateSecret = async (
  ports: RegistryPorts,
  id: string,
  { overlapSeconds, force = false, version: expected }: Rotation,
): Promise<IssuedConnection | Declined> => {
  const found = await ports.connections.find(id);
  if (!found || !isRegistered(found.connection)) return noConnection(id);
  const { current, previous, version } = found.credential;
  if (expected !== undefined && expected !== version) return changedMeanwhile;
  const now = ports.clock.now();
  if (previous && now < previous.until && !force) return overlapLasts(previous.until);

  const { secret, credential: issued } = newCredential(ports, version + 1);
  const until = now + overlapSeconds * 1000;
  const isOverlapping = current && overlapSeconds > 0;
  const credential: Credential = {
    ...issued,
    ...(isOverlapping && { previous: outgoing(current, until) }),
  };

  const replaced = await ports.connections.replaceCredential(id, credential);
  if (!replaced) return changedMeanwhile;
  const connection = { ...found.connection, credentialVersion: credential.version };
  return { kind: 'issued', connection, credential, clientSecret: secret };
};

interface SecretEnd {
  readonly which: SecretSlot | 'all';
  readonly version?: number;
}

/**
 * Earlier tokens stop working, as after any rotation; a client that still has a valid secret can
 * get a new one.
 */
export const revokeSecret = async (
  ports: RegistryPorts,
  id: string,
  { which, version: expected }: SecretEnd,
): Promise<Connection | Declined> => {
  const found = await ports.connections.find(id);
  if (!found || !isRegistered(found.connection)) return noConnection(id);
  const { current, previous, version } = found.credential;
  if (expected !== undefined && expected !== version) return changedMeanwhile;

  const endsCurrent = which !== 'previous';
  const endsPrevious = which !== 'current';
  const isThere = (endsCurrent && current) || (endsPrevious && previous);
  if (!isThere) return declined(`The connection ${id} has no such secret.`);

  const kept: Credential = defined({
    version: version + 1,
    current: endsCurrent ? undefined : current,
    previous: endsPrevious ? undefined : previous,
  });
  const replaced = await ports.connections.replaceCredential(id, kept);
  if (replaced) return { ...found.connection, credentialVersion: kept.version };
  return changedMeanwhile;
};
