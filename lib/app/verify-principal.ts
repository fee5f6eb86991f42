import { answersChallenge, type Principal, type Scope } from '../domain/registry/principal.ts';
import { roleOfCaller } from '../domain/registry/role.ts';
import type { Clock } from '../ports/clock.ts';
import type { Principals } from '../ports/principals.ts';
import type { Registry } from '../ports/registry.ts';
import { type Refusal, refuse } from './refusal.ts';

export interface VerifyPorts {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly principals: Pick<Principals, 'verify'>;
}

/** What a role sends to prove that it is the registered one. */
export interface ChallengeAnswer {
  /** The ARN that the platform verified the signature for. */
  readonly callerArn: string;
  readonly workspace: Scope | undefined;
  readonly connection: string;
  readonly challenge: string;
}

/** Marks the signer's role verified when it answers the challenge of its own registration; a challenge works once. */
export const verifyPrincipal =
  ({ clock, registry, principals }: VerifyPorts) =>
  async (
    given: ChallengeAnswer,
  ): Promise<{ kind: 'verified'; principal: Principal; verifiedAt: string } | Refusal> => {
    const role = roleOfCaller(given.callerArn);
    const { workspace } = given;
    const candidates = role && workspace !== undefined ? await registry.principalsOf(workspace, role) : [];
    const now = clock.now();
    const principal = candidates.find(
      candidate =>
        candidate.connection === given.connection && answersChallenge(candidate, given.challenge, now),
    );
    const connection = principal && (await registry.connection(principal.connection));
    if (!principal || connection?.status !== 'active') return refuse('principal.challenge_invalid');
    const verifiedAt = new Date(now).toISOString();
    return (await principals.verify(principal, verifiedAt))
      ? { kind: 'verified', principal, verifiedAt }
      : refuse('principal.challenge_invalid');
  };
