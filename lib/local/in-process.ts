import { DescribeAlarmsCommand, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as kms from '@aws-sdk/client-kms';
import * as sqs from '@aws-sdk/client-sqs';
import type { InProcessService, SendCommand } from '../platform/aws/clients.ts';
import { isJsonObject } from '../platform/json/value.ts';
import { AwsError } from './engines/aws-json/input.ts';
import type { CallContext, Operations } from './engines/aws-json/server.ts';
import type { Engines } from './engines.ts';

const commands = {
  dynamodb: {
    BatchGetItem: dynamodb.BatchGetItemCommand,
    BatchWriteItem: dynamodb.BatchWriteItemCommand,
    CreateTable: dynamodb.CreateTableCommand,
    DeleteItem: dynamodb.DeleteItemCommand,
    DeleteTable: dynamodb.DeleteTableCommand,
    GetItem: dynamodb.GetItemCommand,
    PutItem: dynamodb.PutItemCommand,
    Query: dynamodb.QueryCommand,
    Scan: dynamodb.ScanCommand,
    TransactWriteItems: dynamodb.TransactWriteItemsCommand,
    UpdateItem: dynamodb.UpdateItemCommand,
    UpdateTimeToLive: dynamodb.UpdateTimeToLiveCommand,
  },
  sqs: {
    ChangeMessageVisibilityBatch: sqs.ChangeMessageVisibilityBatchCommand,
    CreateQueue: sqs.CreateQueueCommand,
    DeleteMessageBatch: sqs.DeleteMessageBatchCommand,
    DeleteQueue: sqs.DeleteQueueCommand,
    GetQueueAttributes: sqs.GetQueueAttributesCommand,
    ListQueues: sqs.ListQueuesCommand,
    PurgeQueue: sqs.PurgeQueueCommand,
    ReceiveMessage: sqs.ReceiveMessageCommand,
    SendMessage: sqs.SendMessageCommand,
    SetQueueAttributes: sqs.SetQueueAttributesCommand,
  },
  kms: {
    CreateAlias: kms.CreateAliasCommand,
    CreateKey: kms.CreateKeyCommand,
    DescribeKey: kms.DescribeKeyCommand,
    DisableKey: kms.DisableKeyCommand,
    GetPublicKey: kms.GetPublicKeyCommand,
    Sign: kms.SignCommand,
  },
  cloudwatch: { DescribeAlarms: DescribeAlarmsCommand, GetMetricData: GetMetricDataCommand },
} as const satisfies Record<keyof Engines['operations'], object>;

/**
 * The code that the older query protocol has for an error, without its namespace, is what SDKs name
 * it if they do not know it.
 */
const nameOf = ({ name, shape }: AwsError): string =>
  shape.type.startsWith('com.amazon.coral') ? (shape.queryCode ?? name) : name;

const exceptionOf = (error: AwsError): Error => {
  const { message, shape } = error;
  const facts = { ...error.members, message, $metadata: { httpStatusCode: shape.status } };
  const name = nameOf(error);
  if (name === 'TransactionCanceledException')
    return new dynamodb.TransactionCanceledException(facts);
  if (name === 'ConditionalCheckFailedException')
    return new dynamodb.ConditionalCheckFailedException(facts);
  return Object.assign(new Error(message), { ...facts, name });
};

/**
 * Only long polls ask for the signal. Each call has its own, so that nobody's listeners pile up.
 */
const callOf = (endpoint: string, abortSignal: AbortSignal | undefined): CallContext => ({
  endpoint,
  get gone() {
    return abortSignal ?? new AbortController().signal;
  },
});

/** @throws Error when the engine lacks the operation of one of its commands */
const operationsByCommand = (service: keyof typeof commands, operations: Operations) =>
  new Map<unknown, ReturnType<Operations['get']> & object>(
    Object.entries(commands[service]).map(([name, command]) => {
      const operation = operations.get(name);
      if (operation === undefined) throw new Error(`The local engine does not serve ${name}.`);
      return [command, operation];
    }),
  );

/**
 * Runs SDK commands on an engine of this process. The engine copies what it is given and what it
 * gives.
 *
 * @param endpoint where the engine also listens: queue URLs begin with it
 * @throws Error when the engine lacks an operation that the adapters need
 */
export const sendInProcess = (
  service: keyof typeof commands,
  operations: Operations,
  endpoint: string,
): SendCommand => {
  const known = operationsByCommand(service, operations);
  return async function send(command, { abortSignal } = {}) {
    const operation = known.get(command.constructor);
    const { input }: { input?: unknown } = command;
    if (operation === undefined || !isJsonObject(input))
      throw new Error(
        `${command.constructor.name} is not among the commands of lib/local/in-process.ts.`,
      );
    try {
      return await operation(input, callOf(endpoint, abortSignal));
    } catch (error) {
      throw error instanceof AwsError ? exceptionOf(error) : error;
    }
  };
};

export const sendsInProcess = ({
  operations,
  endpoints,
}: Pick<Engines, 'operations' | 'endpoints'>): Readonly<Record<InProcessService, SendCommand>> => ({
  CLOUDWATCH: sendInProcess('cloudwatch', operations.cloudwatch, endpoints.cloudwatch),
  DYNAMODB: sendInProcess('dynamodb', operations.dynamodb, endpoints.dynamodb),
  SQS: sendInProcess('sqs', operations.sqs, endpoints.sqs),
  KMS: sendInProcess('kms', operations.kms, endpoints.kms),
});
