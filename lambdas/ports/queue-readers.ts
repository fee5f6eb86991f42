import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../../lib/adapters/aws/client-config.ts';
import { awsQueueReaders, type GuardedQueueHome } from '../../lib/adapters/aws/queue-admin.ts';
import { envVars } from '../../lib/contract/env-vars.ts';
import { environmentOf } from '../../lib/contract/environments.ts';
import { resourceNames } from '../../lib/contract/resource-names.ts';
import { rolesUnder } from '../../lib/domain/delivery/queue-policy.ts';
import type { QueueReaders } from '../../lib/ports/queue-readers.ts';
import { type Env, required } from '../env.ts';

/** Where the queues of an environment are, and which roles are the bus's own. */
export const guardedQueueHome = (env: Env): GuardedQueueHome => {
  const baseArn = required(env, envVars.queueBaseArn);
  const { rolePath } = resourceNames(environmentOf(required(env, envVars.environment)));
  return {
    client: new SQSClient(clientConfig(env, 'SQS')),
    baseUrl: required(env, envVars.queueBaseUrl),
    baseArn,
    busRoles: rolesUnder(rolePath, baseArn),
  };
};

export const queueReaders = (env: Env): QueueReaders => awsQueueReaders(guardedQueueHome(env));
