import {
  CloudWatchClient,
  type GetMetricDataCommandInput,
  type GetMetricDataCommandOutput,
} from '@aws-sdk/client-cloudwatch';
import { awsQueueAges } from '../../../lib/bus/consuming/queue-ages.cloudwatch.ts';
import { answering } from '../../support/fakes/aws-clients.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

const at = (time: string) => new Date(`2026-05-04T${time}Z`);

/** What CloudWatch is asked at nine in the morning, and the ages that it tells. */
const agesFrom = (
  answer: (asked: GetMetricDataCommandInput) => Partial<GetMetricDataCommandOutput>,
) => {
  const asked: GetMetricDataCommandInput[] = [];
  const client = answering(CloudWatchClient, ({ input }) => {
    const call = input as GetMetricDataCommandInput;
    asked.push(call);
    return answer(call);
  });
  return { ages: awsQueueAges(client, frozenClock(at('09:00:00').getTime())), asked };
};

/** The question after one queue. */
const query = (id: string, queue: string, seconds: number) => ({
  Id: id,
  MetricStat: {
    Metric: {
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateAgeOfOldestMessage',
      Dimensions: [{ Name: 'QueueName', Value: queue }],
    },
    Period: seconds,
    Stat: 'Maximum',
  },
});

describe('the ages of the oldest messages', () => {
  test('are the latest maxima of five minutes in the last half hour', async () => {
    const { ages, asked } = agesFrom(() => ({
      MetricDataResults: [
        { Id: 'q1', Values: [60] },
        { Id: 'q0', Values: [900, 600] },
      ],
    }));
    expect(await ages.oldest(['a.fifo', 'b.fifo'])).toEqual(
      new Map([
        ['b.fifo', 60],
        ['a.fifo', 900],
      ]),
    );
    expect(asked).toEqual([
      {
        StartTime: at('08:30:00'),
        EndTime: at('09:00:00'),
        ScanBy: 'TimestampDescending',
        MetricDataQueries: [query('q0', 'a.fifo', 300), query('q1', 'b.fifo', 300)],
      },
    ]);
  });

  test('leave out the empty queues, those without a value, and what nobody asked for', async () => {
    const { ages } = agesFrom(() => ({
      MetricDataResults: [
        { Id: 'q0', Values: [0, 900] },
        { Id: 'q1', Values: [] },
        { Id: 'q2' },
        { Id: 'q4', Values: [900] },
        { Values: [900] },
        { Id: 'q3', Values: [1] },
      ],
    }));
    expect(await ages.oldest(['a.fifo', 'b.fifo', 'c.fifo', 'd.fifo'])).toEqual(
      new Map([['d.fifo', 1]]),
    );
  });

  test('are none if CloudWatch says nothing', async () => {
    expect(await agesFrom(() => ({})).ages.oldest(['a.fifo'])).toEqual(new Map());
  });

  test.each([
    [0, []],
    [500, [500]],
    [501, [500, 1]],
  ])('of %i queues are asked for 500 at a time', async (count, sizes) => {
    const { ages, asked } = agesFrom(({ MetricDataQueries: queries = [] }) => ({
      MetricDataResults: [{ Id: `q${queries.length - 1}`, Values: [900] }],
    }));
    const queues = Array.from({ length: count }, (_, index) => `q-${index}.fifo`);
    const found = await ages.oldest(queues);
    expect(asked.map(({ MetricDataQueries }) => MetricDataQueries?.length)).toEqual(sizes);
    const lastOfEach = ['q-499.fifo', 'q-500.fifo'].slice(0, sizes.length);
    expect(found).toEqual(new Map(lastOfEach.map(queue => [queue, 900])));
  });
});

describe('since when a queue has held its oldest message', () => {
  test('follows from the latest minute that CloudWatch knows, at the earliest that it may be', async () => {
    const { ages, asked } = agesFrom(() => ({
      MetricDataResults: [
        {
          Id: 'q0',
          Timestamps: [at('08:58:00'), at('08:57:00')],
          Values: [89, 29],
        },
      ],
    }));
    expect(await ages.heldSince('a.fifo')).toBe(at('08:56:30').getTime());
    expect(asked).toEqual([
      {
        StartTime: at('08:30:00'),
        EndTime: at('09:01:00'),
        ScanBy: 'TimestampDescending',
        MetricDataQueries: [query('q0', 'a.fifo', 60)],
      },
    ]);
  });

  test.each<[string, Partial<GetMetricDataCommandOutput>]>([
    ['nothing', {}],
    ['no metric', { MetricDataResults: [] }],
    ['a metric without anything', { MetricDataResults: [{ Id: 'q0' }] }],
    ['no value', { MetricDataResults: [{ Timestamps: [at('08:58:00')], Values: [] }] }],
    ['no time', { MetricDataResults: [{ Timestamps: [], Values: [89] }] }],
  ])('is not known if CloudWatch tells %s', async (_what, answer) => {
    expect(await agesFrom(() => answer).ages.heldSince('a.fifo')).toBeUndefined();
  });
});
