import { CloudWatchClient, type GetMetricDataCommandInput } from '@aws-sdk/client-cloudwatch';
import { awsQueueAges } from '../../lib/consuming/queue-ages.cloudwatch.ts';
import { watchQueueAges } from '../../lib/consuming/queue-ages.ts';
import { frozenClock } from '../support/identity-fakes.ts';

const day = 86_400;
const consumerOf = (name: string) => ({ connection: `c-${name}`, workspace: 'w1', queue: `${name}.fifo` });

const watch = async (ages: Readonly<Record<string, number>>, depth = { visible: 1, inFlight: 0 }) => {
  const reports: unknown[] = [];
  const asked: string[] = [];
  await watchQueueAges({
    consumers: { list: async () => ['fast', 'slow', 'gone'].map(consumerOf) },
    depths: {
      async depth(queue) {
        asked.push(queue);
        return queue === 'gone.fifo' ? undefined : depth;
      },
    },
    queueAges: {
      async oldest(queues) {
        // A call to the queue wakes its metrics, so it comes first.
        expect(asked).toEqual(queues);
        return new Map(Object.entries(ages));
      },
    },
    ageReport: { report: (...report) => reports.push(report) },
  })();
  return reports;
};

describe('the age of what consumers have not acknowledged', () => {
  test('is that of the oldest message; consumers that wait for a week are named', async () => {
    expect(await watch({ 'fast.fifo': 30, 'slow.fifo': 7 * day - 1, 'gone.fifo': 7 * day })).toEqual([
      [7 * day, [{ ...consumerOf('gone'), seconds: 7 * day }], []],
    ]);
  });

  test('is 0 when every queue is empty', async () => {
    expect(await watch({}, { visible: 0, inFlight: 0 })).toEqual([[0, [], []]]);
  });

  test.each([
    { visible: 1, inFlight: 0 },
    { visible: 0, inFlight: 1 },
  ])(
    'is unknown for a queue that holds messages (%j) while CloudWatch knows nothing of it: its consumer is named',
    async depth => {
      expect(await watch({ 'slow.fifo': 60 }, depth)).toEqual([[60, [], [consumerOf('fast')]]]);
    },
  );
});

test('CloudWatch is asked for 500 queues at a time, and its latest value counts', async () => {
  const asked: GetMetricDataCommandInput[] = [];
  const client = Object.assign(new CloudWatchClient({ region: 'eu-west-1' }), {
    send: async ({ input }: { input: GetMetricDataCommandInput }) => {
      asked.push(input);
      return {
        MetricDataResults: (input.MetricDataQueries ?? []).map(({ Id }, index) => ({
          Id,
          Values: index === 0 ? [900, 600] : index === 1 ? [0] : [],
        })),
      };
    },
  });
  const queues = Array.from({ length: 501 }, (_, index) => `q-${index}.fifo`);
  expect(await awsQueueAges(client, frozenClock()).oldest(queues)).toEqual(
    new Map([
      ['q-0.fifo', 900],
      ['q-500.fifo', 900],
    ]),
  );
  expect(asked.map(({ MetricDataQueries }) => MetricDataQueries?.length)).toEqual([500, 1]);
  expect(asked[1]?.MetricDataQueries?.[0]?.MetricStat).toMatchObject({
    Metric: { Dimensions: [{ Name: 'QueueName', Value: 'q-500.fifo' }] },
    Stat: 'Maximum',
  });
});
