import { type Clock, iso } from '../../contract/outside.ts';
import { type Refusal, refuse } from '../../contract/refusals.ts';
import { type HttpRequest, unreadableJson } from '../../platform/http/request.ts';
import type { Edge } from '../../platform/http/respond.ts';
import { refusalResponse, response } from '../../platform/http/response.ts';
import { parseJson } from '../../platform/json/parse.ts';
import { type Connection, isRegistered } from '../registry/connection.ts';
import type { RoleRegistry } from '../registry/registry.ts';
import {
  answersChallenge,
  type Principal,
  type Principals,
  roleOfCaller,
  type Scope,
  verifiedElsewhere,
  workspaceScope,
} from './principals.ts';
import { openQueue, type QueueReaders } from './queue-access.ts';

interface VerifyPorts {
  readonly clock: Clock;
  readonly registry: RoleRegistry;
  readonly principals: Omit<Principals, 'put'>;
  readonly queueReaders: QueueReaders;
}

interface ChallengeResponse {
  readonly callerArn: string;
  readonly workspace: Scope | undefined;
  readonly connection: string;
  readonly challenge: string;
}

const unknownRole = ({ roleArn }: Principal): string =>
  `AWS does not know ${roleArn}, or another role verified on this connection. The ARN must be ` +
  "exactly the role's, path included: " +
  'register the right one, and have deleted roles revoked. If a role was created a moment ' +
  'ago, send the challenge again.';

/**
 * The registry is written before the queue, and the challenge is valid until both agree: after an
 * interruption it can be sent again.
 */
const opened = async (
  ports: VerifyPorts,
  connection: Connection,
  { principal, verifiedAt }: { principal: Principal; verifiedAt: string },
): Promise<Refusal | undefined> => {
  if (!(await ports.principals.admit(principal, verifiedAt)))
    return refuse('principal.challenge_invalid');
  const { principals, queueReaders } = ports;
  const result = await openQueue({ principals, queueAdmin: queueReaders }, connection);
  if (result === 'gone') throw new Error(`The queue of the connection ${connection.id} is gone.`);
  // A suspension closes the queue: one that came meanwhile must not be undone by this.
  if (result === 'set' && (await ports.registry.isRegistered(connection.id))) return undefined;
  if (result === 'set') await ports.queueReaders.letRead(connection.queue ?? '', []);
  await ports.principals.withdraw(principal);
  return refuse(
    'principal.challenge_invalid',
    result === 'refused' ? unknownRole(principal) : undefined,
  );
};

const provedElsewhere = ({ connection, id }: Principal): string =>
  `The role acts for the producer ${connection} already: revoke ${id} first, then register the role again.`;

export const verifyPrincipal = (ports: VerifyPorts) =>
  async function verifyPrincipal(
    given: ChallengeResponse,
  ): Promise<{ kind: 'verified'; principal: Principal; verifiedAt: string } | Refusal> {
    const { clock, registry, principals } = ports;
    const role = roleOfCaller(given.callerArn);
    const { workspace } = given;
    const candidates =
      role && workspace !== undefined ? await registry.principalsOf(workspace, role) : [];
    const now = clock.now();
    const principal = candidates.find(
      candidate =>
        candidate.connection === given.connection &&
        answersChallenge(candidate, given.challenge, now),
    );
    const connection = principal && (await registry.connection(principal.connection));
    if (!principal || !isRegistered(connection)) return refuse('principal.challenge_invalid');
    const other =
      connection.kind === 'producer' &&
      (await verifiedElsewhere(candidates, connection.id, id => registry.connection(id)));
    if (other) return refuse('principal.challenge_invalid', provedElsewhere(other));
    const verifiedAt = iso(now);
    const refusal =
      connection.kind === 'consumer' &&
      (await opened(ports, connection, { principal, verifiedAt }));
    if (refusal) return refusal;
    if (await principals.verify(principal, verifiedAt))
      return { kind: 'verified', principal, verifiedAt };
    return refuse('principal.challenge_invalid');
  };

const bodyOf = (
  request: HttpRequest,
): Pick<ChallengeResponse, 'connection' | 'challenge'> | Refusal => {
  const unreadable = unreadableJson(request);
  if (unreadable) return unreadable;
  const parsed = parseJson(request.body);
  const { connection_id: connection, challenge } = parsed.ok ? parsed.value : {};
  if (typeof connection === 'string' && typeof challenge === 'string')
    return { connection, challenge };
  return refuse(
    'message.not_json',
    'The body must be a JSON object with the texts connection_id and challenge.',
  );
};

export const verifyPrincipalEdge: Edge<VerifyPorts> = ports =>
  async function verifyPrincipalRoute(request) {
    const { signer, pathParameters } = request;
    if (signer === undefined) return refusalResponse(refuse('producer.unauthenticated'));
    const body = bodyOf(request);
    if ('kind' in body) return refusalResponse(body);
    const workspace = workspaceScope(pathParameters['t'] ?? '');
    const result = await verifyPrincipal(ports)({ callerArn: signer, workspace, ...body });
    if (result.kind === 'refused') return refusalResponse(result);
    const { principal, verifiedAt } = result;
    return response(
      200,
      {
        verified: true,
        connection_id: principal.connection,
        role_arn: principal.roleArn,
        verified_at: verifiedAt,
      },
      { log: { connection: principal.connection, workspace: principal.scope } },
    );
  };
