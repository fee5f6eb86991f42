import { ArnFormat, type Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { envVars } from '../contract/env-vars.ts';
import { queueNameParts } from '../contract/resource-names.ts';
import type { Grantable } from './service-function.ts';

/** The consumers' queues of an environment. They come and go with connections, so they are known by their names only. */
export const consumerQueues = (stack: Stack, ...actions: readonly `sqs:${string}`[]): Grantable => ({
  grantTo: target => {
    const { prefix, suffix } = queueNameParts;
    const resource = `${prefix}*${suffix}`;
    const arn = stack.formatArn({ service: 'sqs', resource, arnFormat: ArnFormat.NO_RESOURCE_NAME });
    target.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources: [arn] }));
    target.tell({
      [envVars.queueBaseUrl]: `https://sqs.${stack.region}.${stack.urlSuffix}/${stack.account}/`,
    });
  },
});
