import type { JsonObject } from '../platform/json/value.ts';
import { AwsError, type AwsErrorShape } from './engines/aws-json/input.ts';
import type { AdmissionCall, Admit } from './engines/aws-json/server.ts';
import { type PolicyVerdict, readPolicy } from './engines/iam.ts';
import { localAccount } from './engines/machine.ts';
import { type AccessKey, sessionArn } from './roles.ts';
import { type SignatureProblem, type SigV4Key, verifyRequest } from './sigv4.ts';

export interface EngineKeys {
  readonly operator: SigV4Key;
  role(accessKeyId: string): AccessKey | undefined;
  /** Epoch milliseconds. */
  now(): number;
}

export interface GuardedQueue {
  readonly arn: string;
  /** The JSON text of the attribute `Policy`; undefined when it is not set. */
  readonly policy: string | undefined;
}

/** As the signatures of its requests name it: CloudWatch is `monitoring`. */
type Service = 'sqs' | 'dynamodb' | 'kms' | 'monitoring';

/**
 * Each problem as AWS names it, in the JSON protocols and in the query protocol that SQS once spoke
 * (IAM, Common errors).
 */
const names: Readonly<
  Record<SignatureProblem | 'denied', readonly [type: string, queryCode: string]>
> = {
  missing: ['MissingAuthenticationTokenException', 'MissingAuthenticationToken'],
  malformed: ['IncompleteSignatureException', 'IncompleteSignature'],
  expired: ['InvalidSignatureException', 'SignatureDoesNotMatch'],
  unknown_key: ['UnrecognizedClientException', 'InvalidClientTokenId'],
  mismatch: ['InvalidSignatureException', 'SignatureDoesNotMatch'],
  denied: ['AccessDeniedException', 'AccessDenied'],
};

const shapeOf = (service: Service, problem: keyof typeof names): AwsErrorShape => {
  const [name, queryCode] = names[problem];
  const type = `com.amazon.coral.service#${name}`;
  if (service !== 'sqs') return { type, status: 400 };
  return { type, status: problem === 'malformed' ? 400 : 403, queryCode };
};

const factsOf = (service: Service, { operator, role, now }: EngineKeys) => ({
  service,
  region: localAccount.region,
  now: now(),
  find: (id: string): AccessKey | SigV4Key | undefined =>
    id === operator.accessKeyId ? operator : role(id),
});

/** The role that signed a call; undefined for the bus's own commands. Refuses everybody else. */
const signerOf = (
  service: Service,
  { request }: AdmissionCall,
  keys: EngineKeys,
): AccessKey | undefined => {
  const result = verifyRequest(request, factsOf(service, keys));
  if (result.kind === 'refused')
    throw new AwsError(shapeOf(service, result.problem), result.reason);
  return 'roleArn' in result.accessKey ? result.accessKey : undefined;
};

interface Denial {
  readonly role: AccessKey;
  readonly operation: string;
  readonly reason: string;
}

/** A refusal in AWS's words. */
const denied = (service: Service, { role, operation, reason }: Denial): AwsError => {
  const message = `User: ${sessionArn(role)} is not authorized to perform: ${service}:${operation} ${reason}`;
  return new AwsError(shapeOf(service, 'denied'), message);
};

/**
 * What a queue's policy can open to a role, with the action that it asks for: a batch is the same
 * action as its entries.
 */
const openActions: ReadonlyMap<string, string> = new Map([
  ['ReceiveMessage', 'sqs:ReceiveMessage'],
  ['DeleteMessage', 'sqs:DeleteMessage'],
  ['DeleteMessageBatch', 'sqs:DeleteMessage'],
  ['ChangeMessageVisibility', 'sqs:ChangeMessageVisibility'],
  ['ChangeMessageVisibilityBatch', 'sqs:ChangeMessageVisibility'],
  ['GetQueueAttributes', 'sqs:GetQueueAttributes'],
  ['GetQueueUrl', 'sqs:GetQueueUrl'],
]);

const reasonOf = (verdict: Exclude<PolicyVerdict, { kind: 'allowed' }>): string => {
  switch (verdict.kind) {
    case 'denied':
      return 'with an explicit deny in a resource-based policy';
    case 'silent':
      return 'because no resource-based policy allows it';
    case 'unknown':
      return `because the local service does not evaluate ${verdict.what} in the queue's policy`;
  }
};

const forTheBus =
  'because only the bus may: a role can only read the queues whose policies allow it';

/**
 * Who may do what with queues: the bus's own commands everything, a role what the queue's policy
 * allows of reading, and nobody else anything.
 *
 * @param queueOf the queue that an input means (`QueueUrl` or `QueueName`), found as the operation
 * itself finds it; throws the engine's own refusal if there is none
 */
export const queueAdmission = (
  keys: EngineKeys,
  queueOf: (input: JsonObject) => GuardedQueue,
): Admit =>
  function admitToQueues(call) {
    const role = signerOf('sqs', call, keys);
    if (role === undefined) return;
    const { operation, input } = call;
    const action = openActions.get(operation);
    if (action === undefined) throw denied('sqs', { role, operation, reason: forTheBus });
    const queue = queueOf(input);
    const { roleArn: principalArn } = role;
    // Nothing leaves this machine, so the loopback connection counts as TLS.
    const asked = { principalArn, action, resource: queue.arn, secureTransport: true };
    const verdict =
      queue.policy === undefined ? { kind: 'silent' as const } : readPolicy(queue.policy)(asked);
    if (verdict.kind === 'allowed') return;
    throw denied('sqs', {
      role,
      operation,
      reason: `on resource: ${queue.arn} ${reasonOf(verdict)}`,
    });
  };

/** Who may use the database, the keys and the metrics: the bus's own commands, and nobody else. */
export const operatorAdmission =
  (keys: EngineKeys, service: Exclude<Service, 'sqs'>): Admit =>
  call => {
    const role = signerOf(service, call, keys);
    if (role !== undefined)
      throw denied(service, {
        role,
        operation: call.operation,
        reason: 'because only the bus may',
      });
  };
