export interface KeyPolicyFacts {
  /** The ARN of the account's root, which stands for the account's own permissions. */
  readonly accountRoot: string;
  /** A pattern of the ARNs of the roles that may sign: the token route's function. */
  readonly signers: string;
}

/**
 * The policy of a key that signs access tokens, in IAM's terms: only the token route's function signs with it, whatever other
 * policies say. All else is left to the account's permissions, so that the operator can read, rotate and disable the key and
 * is never locked out (KMS: "Default key policy").
 */
export const signingKeyPolicy = ({ accountRoot, signers }: KeyPolicyFacts) =>
  ({
    Version: '2012-10-17',
    Statement: [
      {
        Sid: 'TheAccountDecides',
        Effect: 'Allow',
        Principal: { AWS: accountRoot },
        Action: 'kms:*',
        Resource: '*',
      },
      {
        Sid: 'OnlyTheTokenRouteSigns',
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Action: 'kms:Sign',
        Resource: '*',
        Condition: { ArnNotLike: { 'aws:PrincipalArn': signers } },
      },
    ],
  }) as const;
