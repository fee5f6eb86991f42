import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { envVars } from '../contract/env-vars.ts';
import type { EnvironmentName } from '../contract/environments.ts';
import { resourceNames } from '../contract/resource-names.ts';
import type { Grantable } from './service-function.ts';

/** The key that signs access tokens (ES256). Its private half never leaves KMS; it is kept when its stack goes. */
export class SigningKey extends Key {
  constructor(scope: Construct, environment: EnvironmentName) {
    super(scope, 'SigningKey', {
      alias: resourceNames(environment).signingKeyAlias,
      description: `Signs the access tokens of som-bus ${environment}`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      pendingWindow: Duration.days(30),
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  private use(...actions: readonly `kms:${string}`[]): Grantable {
    return {
      grantTo: target => {
        target.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources: [this.keyArn] }));
        target.tell({ [envVars.signingKey]: this.keyArn });
      },
    };
  }

  /** Signs, and reads the public key. */
  readonly signing: Grantable = this.use('kms:Sign', 'kms:GetPublicKey');
  /** Reads the public key: enough to verify a token, not to make one. */
  readonly verifying: Grantable = this.use('kms:GetPublicKey');
}
