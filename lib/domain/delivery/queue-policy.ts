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
