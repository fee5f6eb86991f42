import type { JsonObject } from '../../../platform/json/value.ts';
import {
  AwsError,
  objectInput,
  objectsOf,
  operationsOf,
  parameterCheck,
  requiredText,
} from '../aws-json/input.ts';
import type { Operations } from '../aws-json/server.ts';
import type { SqsEngine } from '../sqs/engine.ts';

type QueueMetrics = Pick<SqsEngine, 'oldestAge'>;

const servedMetric = 'ApproximateAgeOfOldestMessage';

const refusal = (message: string) =>
  new AwsError({ type: 'com.amazonaws.cloudwatch#InvalidParameterValue', status: 400 }, message);

/** The queue whose oldest message a query is about. */
const queueIn = (query: JsonObject): string => {
  const metric = objectInput(objectInput(query['MetricStat'], 'MetricStat')['Metric'], 'Metric');
  const name = requiredText(metric, 'MetricName');
  if (name !== servedMetric)
    throw refusal(`The local CloudWatch engine has no metric ${name}: it has ${servedMetric}.`);
  const [dimension = {}] = objectsOf(metric, 'Dimensions');
  return requiredText(dimension, 'Value');
};

const getMetricData = ({ oldestAge }: QueueMetrics, input: JsonObject): JsonObject => ({
  MetricDataResults: objectsOf(input, 'MetricDataQueries').map(query => {
    const age = oldestAge(queueIn(query));
    const Id = requiredText(query, 'Id');
    if (age) return { Id, Timestamps: [age.at], Values: [age.seconds] };
    return { Id };
  }),
});

/** `X-Amz-Target`, protocol version and size limit of CloudWatch. */
export const cloudWatchProtocol = {
  target: 'GraniteServiceVersion20100801',
  version: '1.0',
  maxRequestBytes: 512 * 1024,
} as const;

/**
 * The one metric that the bus asks for: how long the oldest message of a queue has waited. There
 * are no alarms here.
 */
export const cloudWatchOperations = (queues: QueueMetrics): Operations =>
  operationsOf(
    queues,
    {
      DescribeAlarms: {
        run: () => ({ MetricAlarms: [], CompositeAlarms: [] }),
        parameters: ['AlarmNames', 'AlarmTypes', 'MaxRecords'],
      },
      GetMetricData: {
        run: getMetricData,
        parameters: ['StartTime', 'EndTime', 'ScanBy', 'MetricDataQueries'],
      },
    },
    parameterCheck('CloudWatch', refusal),
  );
