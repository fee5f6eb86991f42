import type { Connection } from './connection.ts';
import type { Principals } from './principals.ts';

/** Whose a queue is, and who reads it. */
export interface QueuePolicyFacts {
  readonly queueArn: string;
  /** A pattern of the ARNs of the bus's own roles. */
  readonly busRoles: string;
  /** The ARNs of the connection's verified roles, paths included. */
  readonly readers: readonly string[];
}

/** One statement of a policy, in IAM's own words. */
export interface PolicyStatement {
  readonly Sid: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal: '*' | { readonly AWS: readonly string[] };
  readonly Action: string | readonly string[];
  readonly Resource: string;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly PolicyStatement[];
}

/** What a call needs to get a message, keep it or take it off the queue. */
const reading = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'];

/** A session counts as its role; who has no ARN, like a service of AWS, is none of them (IAM, `aws:PrincipalArn`). */
const unlessOneOf = (roles: readonly string[]) => ({ ArnNotLike: { 'aws:PrincipalArn': roles } });

/**
 * The policy of a consumer's queue: the bus sends, the bus and the verified roles read, over TLS, and nobody else, whatever
 * their own policies say. What keeps a queue (its attributes, its end) is left to the account's own permissions, so that
 * its operator is never locked out. The bus's roles get no Allow: each has what its function needs.
 */
export const queuePolicy = ({ queueArn, busRoles, readers }: QueuePolicyFacts): PolicyDocument => {
  const deny = { Effect: 'Deny', Principal: '*', Resource: queueArn } as const;
  const readersMay: PolicyStatement = {
    Sid: 'VerifiedRolesRead',
    Effect: 'Allow',
    Principal: { AWS: readers },
    Action: [...reading, 'sqs:GetQueueAttributes'],
    Resource: queueArn,
  };
  return {
    Version: '2012-10-17',
    Statement: [
      { Sid: 'OnlyTheBusSends', ...deny, Action: 'sqs:SendMessage', Condition: unlessOneOf([busRoles]) },
      {
        Sid: 'OnlyTheBusAndVerifiedRolesRead',
        ...deny,
        Action: reading,
        Condition: unlessOneOf([busRoles, ...readers]),
      },
      {
        Sid: 'OnlyOverTls',
        ...deny,
        Action: 'sqs:*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
      ...(readers.length > 0 ? [readersMay] : []),
    ],
  };
};

/**
 * A pattern of the roles under a path, in the account and partition of some queues.
 *
 * @param queueBaseArn what stands before a queue's name in its ARN
 * @param path with a slash at both ends
 */
export const rolesUnder = (path: string, queueBaseArn: string): string => {
  const [, partition = '', , , account = ''] = queueBaseArn.split(':');
  return `arn:${partition}:iam::${account}:role${path}*`;
};

/** How setting the readers of a queue ended; `refused`: AWS does not know one of the roles, and nothing was changed. */
export type ReadersSet = 'set' | 'refused' | 'gone';

/** Who may read a consumer's queue with an SQS client of their own. */
export interface QueueReaders {
  /** Lets these roles read, by their ARNs, and nobody else but the bus; in force within a minute. */
  letRead(queue: string, roleArns: readonly string[]): Promise<ReadersSet>;
}

/** Makes and removes the queues of consumers. */
export interface QueueAdmin extends QueueReaders {
  /** Nobody but the bus sends to it or reads it. */
  create(queue: string): Promise<void>;
  remove(queue: string): Promise<void>;
  /** What an SQS client calls the queue. */
  url(queue: string): string;
}

export interface QueueReaderPorts {
  readonly principals: Pick<Principals, 'list'>;
  readonly queueReaders: QueueReaders;
}

type Consumer = Pick<Connection, 'id' | 'workspace' | 'queue'>;

/** Others may change the same registrations meanwhile: nobody does so many times in a row. */
const mostRounds = 10;

const verifiedRoles = async (
  { principals }: QueueReaderPorts,
  { id, workspace }: Consumer,
): Promise<readonly string[]> =>
  (await principals.list(workspace))
    .filter(({ connection, status }) => connection === id && status === 'verified')
    .map(({ roleArn }) => roleArn)
    .sort();

/**
 * Lets a consumer's verified roles read its queue, as the registry has them. SQS knows no conditional write, so whoever
 * sets a policy looks again afterwards: the last one to set it sets what the registry says.
 *
 * @returns `gone` for a connection that has no queue
 */
export const openQueue = async (ports: QueueReaderPorts, connection: Consumer): Promise<ReadersSet> => {
  if (connection.queue === undefined) return 'gone';
  let roles = await verifiedRoles(ports, connection);
  for (let round = 0; round < mostRounds; round += 1) {
    const result = await ports.queueReaders.letRead(connection.queue, roles);
    if (result !== 'set') return result;
    const latest = await verifiedRoles(ports, connection);
    if (JSON.stringify(latest) === JSON.stringify(roles)) return 'set';
    roles = latest;
  }
  throw new Error(`The roles of the connection ${connection.id} change faster than its queue's policy.`);
};

/**
 * Lets a role read a consumer's queue no more, before the registry says so. Where AWS does not know one of the others,
 * nobody reads but the bus: better a role too few than one too many.
 */
export const closeQueueTo = async (
  ports: QueueReaderPorts,
  connection: Consumer,
  isMeant: (roleArn: string) => boolean,
): Promise<void> => {
  if (connection.queue === undefined) return;
  const others = (await verifiedRoles(ports, connection)).filter(roleArn => !isMeant(roleArn));
  const result = await ports.queueReaders.letRead(connection.queue, others);
  if (result === 'refused') await ports.queueReaders.letRead(connection.queue, []);
};
