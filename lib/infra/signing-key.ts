import { Duration, RemovalPolicy, Tags } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { envVars } from '../contract/env-vars.ts';
import type { EnvironmentName } from '../contract/environments.ts';
import { resourceNames, signingKeyTag } from '../contract/resource-names.ts';
import { acceptFinding } from './accept-finding.ts';
import type { Grantable } from './service-function.ts';

/**
 * The first key that signs access tokens (ES256). Its private half never leaves KMS; it is kept when its stack goes. The
 * operator's rotation adds keys with the same tag, which functions may use as well.
 */
export class SigningKey extends Key {
  /** Signs, and reads the public key. */
  readonly signing: Grantable;
  /** Reads the public key: enough to verify a token, not to make one. */
  readonly verifying: Grantable;

  constructor(scope: Construct, environment: EnvironmentName) {
    super(scope, 'SigningKey', {
      alias: resourceNames(environment).signingKeyAlias,
      description: `Signs the access tokens of som-bus ${environment}`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      pendingWindow: Duration.days(30),
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Tags.of(this).add(signingKeyTag, environment);
    this.signing = this.use(environment, 'kms:Sign', 'kms:GetPublicKey');
    this.verifying = this.use(environment, 'kms:GetPublicKey');
  }

  private use(environment: EnvironmentName, ...actions: readonly `kms:${string}`[]): Grantable {
    return {
      grantTo: target => {
        const tagged = { StringEquals: { [`aws:ResourceTag/${signingKeyTag}`]: environment } };
        const resources = [this.stack.formatArn({ service: 'kms', resource: 'key', resourceName: '*' })];
        target.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources, conditions: tagged }));
        acceptFinding(
          target.role ?? target,
          'IAM5[Resource::arn:<AWS::Partition>:kms:<AWS::Region>:<AWS::AccountId>:key/*]',
        );
        target.tell({ [envVars.signingKey]: this.keyArn });
      },
    };
  }
}
