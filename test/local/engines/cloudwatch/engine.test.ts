import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  GetMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import {
  type RunningEngine,
  startAwsJsonServer,
} from '../../../../lib/local/engines/aws-json/server.ts';
import {
  cloudWatchOperations,
  cloudWatchProtocol,
} from '../../../../lib/local/engines/cloudwatch/engine.ts';

const at = new Date(1_800_000_000_000);
let engine: RunningEngine;
let client: CloudWatchClient;

beforeAll(async () => {
  const oldestAge = (name: string) => (name === 'full.fifo' ? { at, seconds: 42 } : undefined);
  const operations = cloudWatchOperations({ oldestAge });
  engine = await startAwsJsonServer({ ...cloudWatchProtocol, operations }, { port: 0 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new CloudWatchClient({ endpoint: engine.endpoint, region: 'us-east-1', credentials });
});

afterAll(async () => {
  client.destroy();
  await engine.close();
});

const query = (Id: string, queue: string, MetricName = 'ApproximateAgeOfOldestMessage') => {
  const Dimensions = [{ Name: 'QueueName', Value: queue }];
  const Metric = { Namespace: 'AWS/SQS', MetricName, Dimensions };
  return { Id, MetricStat: { Metric, Period: 60, Stat: 'Maximum' } };
};

const window = {
  StartTime: new Date(at.getTime() - 60_000),
  EndTime: at,
  ScanBy: 'TimestampDescending',
} as const;

const ask = (...MetricDataQueries: ReturnType<typeof query>[]) =>
  client.send(new GetMetricDataCommand({ ...window, MetricDataQueries }));

test('the age of a queue’s oldest message is told, and nothing of an empty queue', async () => {
  const { MetricDataResults } = await ask(query('a', 'full.fifo'), query('b', 'empty.fifo'));
  expect(MetricDataResults).toEqual([{ Id: 'a', Timestamps: [at], Values: [42] }, { Id: 'b' }]);
});

test('another metric, and a parameter that is not served, are the caller’s mistakes', async () => {
  const fault = { name: 'InvalidParameterValueException', $metadata: { httpStatusCode: 400 } };
  await expect(ask(query('a', 'full.fifo', 'NumberOfMessagesSent'))).rejects.toMatchObject(fault);
  const more = { ...window, MetricDataQueries: [query('a', 'full.fifo')], MaxDatapoints: 5 };
  await expect(client.send(new GetMetricDataCommand(more))).rejects.toMatchObject({
    ...fault,
    message: expect.stringContaining('MaxDatapoints'),
  });
});

test('there are no alarms, whichever are asked for', async () => {
  const asked = new DescribeAlarmsCommand({
    AlarmNames: ['sombus-sandbox-probe'],
    AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
    MaxRecords: 1,
  });
  expect(await client.send(asked)).toMatchObject({ MetricAlarms: [], CompositeAlarms: [] });
});

test('a request may have half a mebibyte', async () => {
  const statusOf = async (bytes: number) => {
    const response = await fetch(engine.endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': 'GraniteServiceVersion20100801.DescribeAlarms' },
      body: '{}'.padEnd(bytes),
    });
    return response.status;
  };
  expect([await statusOf(512 * 1024), await statusOf(512 * 1024 + 1)]).toEqual([200, 413]);
});
