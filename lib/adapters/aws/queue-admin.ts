import { CreateQueueCommand, DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { limits } from '../../contract/limits.ts';
import type { QueueAdmin } from '../../ports/operator/queue-admin.ts';
import type { QueueHome } from './queues.ts';
import { isFault } from './table.ts';

/** FIFO with a throughput limit per message group; encrypted with the keys that SQS manages. */
const attributes = {
  FifoQueue: 'true',
  DeduplicationScope: 'messageGroup',
  FifoThroughputLimit: 'perMessageGroupId',
  MessageRetentionPeriod: String(limits.queueRetentionSeconds),
  VisibilityTimeout: String(limits.pullVisibilitySeconds.usual),
  SqsManagedSseEnabled: 'true',
};

/** Makes and removes consumers' queues in SQS. */
export const awsQueueAdmin = ({ client, baseUrl }: QueueHome): QueueAdmin => ({
  async create(queue) {
    await client.send(new CreateQueueCommand({ QueueName: queue, Attributes: attributes }));
  },
  async remove(queue) {
    try {
      await client.send(new DeleteQueueCommand({ QueueUrl: baseUrl + queue }));
    } catch (fault) {
      if (!isFault(fault, 'QueueDoesNotExist')) throw fault;
    }
  },
  url: queue => baseUrl + queue,
});
