import { isJsonObject, jsonIn } from '../../platform/json/value.ts';
import type { Connection } from '../registry/connection.ts';
import { type Principals, verifiedRolesOf } from './principals.ts';

interface QueuePolicyFacts {
  readonly queueArn: string;
  readonly busRoles: string;
  readonly readers: readonly string[];
}

export interface PolicyStatement {
  readonly Sid: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal: '*' | { readonly AWS: readonly string[] };
  readonly Action: string | readonly string[];
  readonly Resource: string;
  readonly Condition?: Readonly<
    Record<string, Readonly<Record<string, string | readonly string[]>>>
  >;
}

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly PolicyStatement[];
}

const reading = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'];

/** Many SQS clients ask for the URL of a queue first, by its name. */
const lookingUp = ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl'];

/**
 * A session counts as its role; a caller without an ARN, such as an AWS service, matches none of
 * them (IAM, `aws:PrincipalArn`).
 */
const unlessOneOf = (roles: readonly string[]) => ({ ArnNotLike: { 'aws:PrincipalArn': roles } });

/**
 * Only the bus sends, and only the bus and the verified roles read, over TLS, whatever other
 * policies say. Attributes and deletion are left to the account, so that the operator is never
 * locked out; each function's own policy allows what the bus needs.
 */
export const queuePolicy = ({ queueArn, busRoles, readers }: QueuePolicyFacts): PolicyDocument => {
  const deny = { Effect: 'Deny', Principal: '*', Resource: queueArn } as const;
  const readersMay: PolicyStatement = {
    Sid: 'VerifiedRolesRead',
    Effect: 'Allow',
    Principal: { AWS: readers },
    Action: [...reading, ...lookingUp],
    Resource: queueArn,
  };
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Sid: 'OnlyTheBusSends',
        ...deny,
        Action: 'sqs:SendMessage',
        Condition: unlessOneOf([busRoles]),
      },
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

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    if (value.length === 1) return sorted(value[0]);
    return value.map(sorted).sort();
  }
  if (isJsonObject(value))
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map(name => [name, sorted(value[name])]),
    );
  return value;
};

const meaning = (statements: readonly unknown[]): string =>
  JSON.stringify(statements.map(one => JSON.stringify(sorted(one))).sort());

/**
 * IAM shows a deleted role by an id (IAM: "Unique identifiers"): readers that are missing are their
 * owner's affair.
 */
export const isPolicyOf = (facts: QueuePolicyFacts, text: string | undefined): boolean => {
  const policy = jsonIn(text ?? '');
  const given =
    isJsonObject(policy) && Array.isArray(policy['Statement']) ? policy['Statement'] : [];
  const isReading = (one: unknown) => isJsonObject(one) && one['Sid'] === 'VerifiedRolesRead';
  const named = given
    .filter(isReading)
    .flatMap(({ Principal }) =>
      isJsonObject(Principal) ? Object.values(Principal).flat() : [Principal],
    )
    .map(String);
  const expected = queuePolicy(facts).Statement.flatMap(one => {
    if (!isReading(one)) return [one];
    if (named.length > 0) return [{ ...one, Principal: { AWS: named } }];
    return [];
  });
  return (
    named.every(name => /^A[A-Z0-9]+$/.test(name) || facts.readers.includes(name)) &&
    meaning(given) === meaning(expected)
  );
};

const iamOf = (queueBaseArn: string): string => {
  const [, partition = '', , , account = ''] = queueBaseArn.split(':');
  return `arn:${partition}:iam::${account}`;
};

/** @param path with a slash at both ends */
export const rolesUnder = (path: string, queueBaseArn: string): string =>
  `${iamOf(queueBaseArn)}:role${path}*`;

export const accountRootOf = (queueBaseArn: string): string => `${iamOf(queueBaseArn)}:root`;

/**
 * The outcome of setting a queue's readers; `refused`: AWS does not know one of the roles, and
 * nothing was changed.
 */
export type ReadersSet = 'set' | 'refused' | 'gone';

export interface QueueReaders {
  /** Lets only the bus and these roles read; takes effect within a minute. */
  letRead(queue: string, roleArns: readonly string[]): Promise<ReadersSet>;
}

export interface QueueLook {
  readonly holdsMessages: boolean;
  readonly isGuarded: boolean;
}

export interface GuardedQueues {
  look(queue: string, roleArns: readonly string[]): Promise<QueueLook | undefined>;
}

export interface QueueAdmin extends QueueReaders {
  /** At first, only the bus can send to it or read it. */
  create(queue: string): Promise<void>;
  remove(queue: string): Promise<void>;
  url(queue: string): string;
}

interface QueueReaderPorts {
  readonly principals: Pick<Principals, 'list'>;
  readonly queueAdmin: QueueReaders;
}

type Consumer = Pick<Connection, 'id' | 'workspace' | 'queue'>;

/**
 * Other commands may change the same registrations in the meantime, but not this many times in a
 * row.
 */
const maxRounds = 10;

const verifiedRoles = async (
  { principals }: QueueReaderPorts,
  { id, workspace }: Consumer,
): Promise<readonly string[]> => verifiedRolesOf(await principals.list(workspace), id);

/**
 * SQS has no conditional writes: the registry is read again afterwards, so that the last writer
 * sets what it says. `gone`: no queue.
 */
export const openQueue = async (
  ports: QueueReaderPorts,
  connection: Consumer,
): Promise<ReadersSet> => {
  if (connection.queue === undefined) return 'gone';
  let roles = await verifiedRoles(ports, connection);
  for (let round = 0; round < maxRounds; round += 1) {
    const result = await ports.queueAdmin.letRead(connection.queue, roles);
    if (result !== 'set') return result;
    const latest = await verifiedRoles(ports, connection);
    if (JSON.stringify(latest) === JSON.stringify(roles)) return 'set';
    roles = latest;
  }
  throw new Error(
    `The roles of the connection ${connection.id} change faster than its queue's policy.`,
  );
};

/**
 * To be called before the registry is written. If AWS does not know one of the other roles, all
 * lose access: none gets in by mistake.
 */
export const closeQueueTo = async (
  ports: QueueReaderPorts,
  connection: Consumer,
  isMeant: (roleArn: string) => boolean,
): Promise<void> => {
  if (connection.queue === undefined) return;
  const others = (await verifiedRoles(ports, connection)).filter(roleArn => !isMeant(roleArn));
  const result = await ports.queueAdmin.letRead(connection.queue, others);
  if (result === 'refused') await ports.queueAdmin.letRead(connection.queue, []);
};

/** If AWS does not know one of the roles, none of them reads the queue. */
export const repairQueue = async (
  ports: QueueReaderPorts,
  connection: Consumer,
): Promise<ReadersSet> => {
  const result = await openQueue(ports, connection);
  if (result === 'refused') await closeQueueTo(ports, connection, () => true);
  return result;
};
