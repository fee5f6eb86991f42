import type { Clock } from '../contract/outside.ts';
import { type Refusal, refuse } from '../contract/refusals.ts';
import { type Connection, isRegistered } from './connection.ts';
import { answersChallenge, type Principal, type Principals, roleOfCaller, type Scope } from './principals.ts';
import { openQueue, type QueueReaders } from './queue-access.ts';
import type { RoleRegistry } from './registry.ts';

export interface VerifyPorts {
  readonly clock: Clock;
  readonly registry: RoleRegistry;
  readonly principals: Omit<Principals, 'put'>;
  readonly queueReaders: QueueReaders;
}

/** What a role sends to prove its registration. */
export interface ChallengeAnswer {
  /** The ARN that the platform verified the signature for. */
  readonly callerArn: string;
  readonly workspace: Scope | undefined;
  readonly connection: string;
  readonly challenge: string;
}

const unknownRole = ({ roleArn }: Principal): string =>
  `AWS does not know ${roleArn}, or another role verified on this connection. The ARN must be exactly the role's, path included: ` +
  'register the right one, and have deleted roles revoked. If a role was created a moment ago, send the challenge again.';

/**
 * Lets a role read its consumer's queue. The registry is always written before the queue, and the challenge stays valid until both
 * agree: after an interruption it can be sent again.
 */
const opened = async (
  ports: VerifyPorts,
  connection: Connection,
  { principal, verifiedAt }: { readonly principal: Principal; readonly verifiedAt: string },
): Promise<Refusal | undefined> => {
  if (!(await ports.principals.admit(principal, verifiedAt))) return refuse('principal.challenge_invalid');
  const result = await openQueue(ports, connection);
  if (result === 'gone') throw new Error(`The queue of the connection ${connection.id} is gone.`);
  if (result === 'set') return undefined;
  await ports.principals.withdraw(principal);
  return refuse('principal.challenge_invalid', unknownRole(principal));
};

/** Verifies the registration of the signer's role when the challenge is the right one; a challenge works once. */
export const verifyPrincipal = (ports: VerifyPorts) =>
  async function verifyPrincipal(
    given: ChallengeAnswer,
  ): Promise<{ kind: 'verified'; principal: Principal; verifiedAt: string } | Refusal> {
    const { clock, registry, principals } = ports;
    const role = roleOfCaller(given.callerArn);
    const { workspace } = given;
    const candidates = role && workspace !== undefined ? await registry.principalsOf(workspace, role) : [];
    const now = clock.now();
    const principal = candidates.find(
      candidate =>
        candidate.connection === given.connection && answersChallenge(candidate, given.challenge, now),
    );
    const connection = principal && (await registry.connection(principal.connection));
    if (!principal || !isRegistered(connection)) return refuse('principal.challenge_invalid');
    const verifiedAt = new Date(now).toISOString();
    const refusal =
      connection.kind === 'consumer' && (await opened(ports, connection, { principal, verifiedAt }));
    if (refusal) return refusal;
    return (await principals.verify(principal, verifiedAt))
      ? { kind: 'verified', principal, verifiedAt }
      : refuse('principal.challenge_invalid');
  };
