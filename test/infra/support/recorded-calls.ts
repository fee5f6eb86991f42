import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { AwsCall } from '../../../lib/local/engines/iam.ts';
import type { InProcessService, SendCommand } from '../../../lib/platform/aws/clients.ts';

/** A call as IAM sees it, on our local resources' names. */
export interface RecordedCall {
  readonly action: string;
  /** The table and index, the queue, or the key. */
  readonly on: string;
  readonly context: AwsCall['context'];
}

type Input = Readonly<Record<string, unknown>>;

/** The inputs of an SDK's commands, as they are sent. */
type Any = ReturnType<typeof JSON.parse>;

const words = new Set(['SET', 'REMOVE', 'ADD', 'DELETE', 'AND', 'OR', 'NOT', 'IN', 'BETWEEN']);
const functionNames =
  /\b(attribute_exists|attribute_not_exists|begins_with|contains|size|if_not_exists)\b/g;

/** The attributes that an update names (DynamoDB: `dynamodb:Attributes`). */
const attributesOf = ({
  Key,
  UpdateExpression = '',
  ConditionExpression = '',
  ExpressionAttributeNames = {},
}: Any) => {
  const text = `${UpdateExpression} ${ConditionExpression}`
    .replace(functionNames, ' ')
    .replace(/:\w+/g, ' ');
  const named = (text.match(/[#\w]+/g) ?? []).filter(
    (word: string) => !words.has(word) && !/^\d/.test(word),
  );
  return [
    ...Object.keys(Key),
    ...named.map((word: string) => ExpressionAttributeNames[word] ?? word),
  ];
};

const onItem = (
  action: string,
  table: string,
  key: Any,
  more: AwsCall['context'] = {},
): RecordedCall => ({
  action: `dynamodb:${action}`,
  on: table,
  context: { 'dynamodb:LeadingKeys': [unmarshall(key).pk], ...more },
});

/**
 * AWS decides about a batch once for each table, with all of its keys: a single statement has to
 * name them all.
 */
const onItems = (action: string, table: string, keys: readonly Any[]): RecordedCall => ({
  action: `dynamodb:${action}`,
  on: table,
  context: { 'dynamodb:LeadingKeys': keys.map(key => String(unmarshall(key)['pk'])) },
});

const writeOf = (TableName: string, { Put, Update, Delete }: Any): RecordedCall => {
  if (Delete) return onItem('DeleteItem', Delete.TableName, Delete.Key);
  return Put
    ? onItem('PutItem', Put.TableName ?? TableName, Put.Item)
    : onItem('UpdateItem', Update.TableName ?? TableName, Update.Key, {
        'dynamodb:Attributes': attributesOf(Update),
      });
};

const queryOf = ({ TableName, IndexName, ...query }: Any): RecordedCall => {
  const [, pk = ''] = /^#?pk = (:\w+)/.exec(query.KeyConditionExpression) ?? [];
  const key = String(unmarshall(query.ExpressionAttributeValues)[pk] ?? '');
  const on = IndexName ? `${TableName}/index/${IndexName}` : TableName;
  return { action: 'dynamodb:Query', on, context: { 'dynamodb:LeadingKeys': [key] } };
};

const databaseCalls = (name: string, input: Any): readonly RecordedCall[] => {
  switch (name) {
    case 'GetItemCommand':
      return [onItem('GetItem', input.TableName, input.Key)];
    case 'QueryCommand':
      return [queryOf(input)];
    case 'PutItemCommand':
      return [writeOf(input.TableName, { Put: input })];
    case 'DeleteItemCommand':
      return [onItem('DeleteItem', input.TableName, input.Key)];
    case 'UpdateItemCommand':
      return [writeOf(input.TableName, { Update: input })];
    case 'TransactWriteItemsCommand':
      return input.TransactItems.map((write: Any) => writeOf('', write));
    case 'BatchGetItemCommand':
      return Object.entries<Any>(input.RequestItems).map(([table, { Keys }]) =>
        onItems('BatchGetItem', table, Keys),
      );
    case 'BatchWriteItemCommand':
      return Object.entries<Any>(input.RequestItems).map(([table, writes]) =>
        onItems(
          'BatchWriteItem',
          table,
          writes.map(({ PutRequest }: Any) => PutRequest.Item),
        ),
      );
    default:
      throw new Error(`${name} is not known here.`);
  }
};

const callsOf = (
  service: InProcessService,
  name: string,
  input: Input,
): readonly RecordedCall[] => {
  if (service === 'DYNAMODB') return databaseCalls(name, input);
  const action = name.replace(/(Batch)?Command$/, '');
  switch (service) {
    case 'SQS': {
      const queue = String(input['QueueUrl']).split('/').at(-1) ?? '';
      return [{ action: `sqs:${action}`, on: queue, context: {} }];
    }
    case 'CLOUDWATCH':
      return [{ action: `cloudwatch:${action}`, on: 'metrics', context: {} }];
    default:
      return [{ action: `kms:${action}`, on: 'key', context: {} }];
  }
};

/** Services that note what they are asked before they answer. */
export const recording = (
  services: Partial<Readonly<Record<InProcessService, SendCommand>>>,
  note: (call: RecordedCall) => void,
): typeof services =>
  Object.fromEntries(
    Object.entries(services).map(([service, send]) => [
      service,
      (command: object, options?: Parameters<SendCommand>[1]) => {
        const { input } = command as { readonly input: Input };
        for (const call of callsOf(service as InProcessService, command.constructor.name, input))
          note(call);
        return send(command, options);
      },
    ]),
  );
