import { ArnFormat, type Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { envVars } from '../contract/env-vars.ts';
import { queueName } from '../contract/resource-names.ts';
import { acceptFinding } from './accept-finding.ts';
import type { Grantable } from './service-function.ts';

const arnOf = (stack: Stack, resource: string): string =>
  stack.formatArn({ service: 'sqs', resource, arnFormat: ArnFormat.NO_RESOURCE_NAME });

/** Tells how queues' ARNs begin: their policies need them. */
export const queueArns = (stack: Stack): Grantable => ({
  grantTo: target => target.tell({ [envVars.queueBaseArn]: arnOf(stack, '') }),
});

/** The consumers' queues of an environment. They come and go with connections, so they are known by their names only. */
export const consumerQueues = (stack: Stack, ...actions: readonly `sqs:${string}`[]): Grantable => ({
  grantTo: target => {
    const resources = [arnOf(stack, queueName('c*'))];
    target.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources }));
    acceptFinding(
      target.role ?? target,
      'IAM5[Resource::arn:<AWS::Partition>:sqs:<AWS::Region>:<AWS::AccountId>:sombus-c*.fifo]',
    );
    target.tell({
      [envVars.queueBaseUrl]: `https://sqs.${stack.region}.${stack.urlSuffix}/${stack.account}/`,
    });
  },
});
