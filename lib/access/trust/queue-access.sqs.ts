import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { limits } from '../../contract/limits.ts';
import { goneErrors, type QueueHome } from '../../platform/aws/clients.ts';
import { isAwsError, unlessError } from '../../platform/aws/table.ts';
import {
  type GuardedQueues,
  isPolicyOf,
  type QueueAdmin,
  type QueueReaders,
  queuePolicy,
} from './queue-access.ts';

export interface GuardedQueueHome extends QueueHome {
  readonly baseArn: string;
  readonly busRoles: string;
}

/** FIFO with a throughput limit per message group; encrypted with the keys that SQS manages. */
const attributes = {
  FifoQueue: 'true',
  DeduplicationScope: 'messageGroup',
  FifoThroughputLimit: 'perMessageGroupId',
  MessageRetentionPeriod: String(limits.queueRetentionSeconds),
  VisibilityTimeout: String(limits.pullVisibilitySeconds.default),
  SqsManagedSseEnabled: 'true',
};

/**
 * SQS's response to a policy that names a role that does not exist; it has no error code of its
 * own.
 */
const policyErrors = ['InvalidAttributeValue', 'InvalidParameterValue', 'OverLimit'];

const policyOf = (
  { baseArn, busRoles }: GuardedQueueHome,
  queue: string,
  readers: readonly string[],
) => ({
  Policy: JSON.stringify(queuePolicy({ queueArn: baseArn + queue, busRoles, readers })),
});

export const awsQueueReaders = (home: GuardedQueueHome): QueueReaders => ({
  async letRead(queue, roleArns) {
    const Attributes = policyOf(home, queue, roleArns);
    try {
      await home.client.send(
        new SetQueueAttributesCommand({ QueueUrl: home.baseUrl + queue, Attributes }),
      );
      return 'set';
    } catch (error) {
      if (isAwsError(error, ...goneErrors)) return 'gone';
      if (isAwsError(error, ...policyErrors)) return 'refused';
      throw error;
    }
  },
});

export const awsGuardedQueues = ({
  client,
  baseUrl,
  baseArn,
  busRoles,
}: GuardedQueueHome): GuardedQueues => ({
  async look(queue, readers) {
    const ask = new GetQueueAttributesCommand({
      QueueUrl: baseUrl + queue,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'Policy',
      ],
    });
    const response = await unlessError(client.send(ask), ...goneErrors);
    if (!response) return undefined;
    const { Attributes: { Policy, ...held } = {} } = response;
    return {
      holdsMessages: Object.values(held).some(count => Number(count) > 0),
      isGuarded: isPolicyOf({ queueArn: baseArn + queue, busRoles, readers }, Policy),
    };
  },
});

export const awsQueueAdmin = (home: GuardedQueueHome): QueueAdmin => ({
  ...awsQueueReaders(home),
  async create(queue) {
    const Attributes = { ...attributes, ...policyOf(home, queue, []) };
    await home.client.send(new CreateQueueCommand({ QueueName: queue, Attributes }));
  },
  async remove(queue) {
    const removal = new DeleteQueueCommand({ QueueUrl: home.baseUrl + queue });
    await unlessError(home.client.send(removal), ...goneErrors);
  },
  url: queue => home.baseUrl + queue,
});
