import { type CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import type { Clock } from '../../contract/outside.ts';

/** CloudWatch's maximum of one call. */
const metricsPerCall = 500;

/** SQS writes its metrics a few minutes late. */
const windowMilliseconds = 30 * 60_000;
const periodSeconds = 300;
const minuteSeconds = 60;

const queryOf = (queue: string, index: number, period = periodSeconds) => ({
  Id: `q${index}`,
  MetricStat: {
    Metric: {
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateAgeOfOldestMessage',
      Dimensions: [{ Name: 'QueueName', Value: queue }],
    },
    Period: period,
    Stat: 'Maximum',
  },
});

/**
 * What CloudWatch knows of the queues' oldest messages: SQS itself does not tell. A thousand queues
 * cost a cent per call. `heldSince` makes it a `HeldMessages`, which this room may not import.
 */
export const awsQueueAges = (client: CloudWatchClient, clock: Clock) => ({
  async oldest(queues: readonly string[]) {
    const ages = new Map<string, number>();
    const now = clock.now();
    for (let from = 0; from < queues.length; from += metricsPerCall) {
      const asked = queues.slice(from, from + metricsPerCall);
      const { MetricDataResults = [] } = await client.send(
        new GetMetricDataCommand({
          StartTime: new Date(now - windowMilliseconds),
          EndTime: new Date(now),
          ScanBy: 'TimestampDescending',
          MetricDataQueries: asked.map((queue, index) => queryOf(queue, index)),
        }),
      );
      for (const { Id, Values: [latest] = [] } of MetricDataResults) {
        const queue = asked[Number(Id?.slice(1))];
        if (queue !== undefined && latest !== undefined && latest > 0) ages.set(queue, latest);
      }
    }
    return ages;
  },

  async heldSince(queue: string): Promise<number | undefined> {
    const now = clock.now();
    const { MetricDataResults: [found] = [] } = await client.send(
      new GetMetricDataCommand({
        StartTime: new Date(now - windowMilliseconds),
        EndTime: new Date(now + minuteSeconds * 1000),
        ScanBy: 'TimestampDescending',
        MetricDataQueries: [queryOf(queue, 0, minuteSeconds)],
      }),
    );
    const at = found?.Timestamps?.[0];
    const seconds = found?.Values?.[0];
    if (at === undefined || seconds === undefined) return undefined;
    // The age is in whole seconds. If the oldest message has left the queue since then, the others
    // came later than this, which does no harm.
    return at.getTime() - (seconds + 1) * 1000;
  },
});
