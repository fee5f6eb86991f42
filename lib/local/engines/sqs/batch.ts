import type { JsonObject } from '../../../platform/json/value.ts';
import {
  AwsError,
  type AwsErrorShape,
  listInput,
  objectInput,
  parameterCheck,
  textInput,
} from '../aws-json/input.ts';

const shape = (type: string, queryCode: string, status = 400): AwsErrorShape => ({
  type,
  status,
  queryCode,
});
const sqs = (name: string, queryCode = name, status = 400) =>
  shape(`com.amazonaws.sqs#${name}`, queryCode, status);
const simpleQueue = (name: string, code = name) => sqs(name, `AWS.SimpleQueueService.${code}`);
const coral = (name: string, queryCode: string) =>
  shape(`com.amazon.coral.service#${name}`, queryCode);

/** SQS's errors as the AWS SDKs' service model names them. */
const shapes = {
  BatchEntryIdsNotDistinct: simpleQueue('BatchEntryIdsNotDistinct'),
  EmptyBatchRequest: simpleQueue('EmptyBatchRequest'),
  InvalidAttributeName: sqs('InvalidAttributeName'),
  InvalidBatchEntryId: simpleQueue('InvalidBatchEntryId'),
  InvalidMessageContents: sqs('InvalidMessageContents'),
  InvalidParameterValue: coral('InvalidParameterValueException', 'InvalidParameterValue'),
  MissingParameter: coral('MissingRequiredParameterException', 'MissingParameter'),
  QueueDoesNotExist: simpleQueue('QueueDoesNotExist', 'NonExistentQueue'),
  QueueNameExists: sqs('QueueNameExists', 'QueueAlreadyExists'),
  ReceiptHandleIsInvalid: sqs('ReceiptHandleIsInvalid', 'ReceiptHandleIsInvalid', 404),
  TooManyEntriesInBatchRequest: simpleQueue('TooManyEntriesInBatchRequest'),
  UnsupportedOperation: simpleQueue('UnsupportedOperation'),
} as const satisfies Record<string, AwsErrorShape>;

type SqsErrorName = keyof typeof shapes;

export const sqsError = (name: SqsErrorName, message: string): AwsError =>
  new AwsError(shapes[name], message);

export const noSuchQueue = (): AwsError =>
  sqsError('QueueDoesNotExist', 'The specified queue does not exist.');

/** An invalid parameter, in AWS's wording. */
export const invalidParameter = (name: string, value: unknown, reason: string): AwsError =>
  sqsError(
    'InvalidParameterValue',
    `Value ${value} for parameter ${name} is invalid. Reason: ${reason}`,
  );

export const requiredParameter = <T>(value: T | undefined, name: string): T => {
  if (value !== undefined && value !== '') return value;
  throw sqsError('MissingParameter', `The request must contain the parameter ${name}.`);
};

export const checkQueueParameters = parameterCheck('SQS', message =>
  sqsError('UnsupportedOperation', message),
);

const maxEntries = 10;

interface BatchEntry {
  readonly id: string;
  readonly input: JsonObject;
}

/**
 * The entries of a batch request; what is wrong with the batch as a whole is refused.
 *
 * @param parameters what an entry may have, beside its `Id`
 */
export const batchEntriesOf = (
  input: JsonObject,
  parameters: readonly string[],
): readonly BatchEntry[] => {
  const entries = (listInput(input, 'Entries') ?? []).map(entry => {
    const object = objectInput(entry, 'Entries');
    checkQueueParameters('Entries', object, ['Id', ...parameters]);
    return { id: textInput(object, 'Id') ?? '', input: object };
  });
  if (entries.length === 0)
    throw sqsError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  if (entries.length > maxEntries) {
    const sent = `Maximum number of entries per request are ${maxEntries}. You have sent ${entries.length}.`;
    throw sqsError('TooManyEntriesInBatchRequest', sent);
  }
  if (!entries.every(({ id }) => /^[\w-]{1,80}$/.test(id))) {
    const form =
      'can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.';
    throw sqsError('InvalidBatchEntryId', `A batch entry id ${form}`);
  }
  const repeated = entries.find(
    ({ id }, index) => entries.findIndex(other => other.id === id) < index,
  );
  if (repeated) throw sqsError('BatchEntryIdsNotDistinct', `Id ${repeated.id} repeated.`);
  return entries;
};

export const runBatch = (
  entries: readonly BatchEntry[],
  act: (input: JsonObject) => JsonObject,
): JsonObject => {
  const Successful: JsonObject[] = [];
  const Failed: JsonObject[] = [];
  for (const { id, input } of entries) {
    try {
      Successful.push({ Id: id, ...act(input) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      Failed.push({
        Id: id,
        SenderFault: true,
        Code: error.shape.queryCode ?? error.name,
        Message: error.message,
      });
    }
  }
  return { Successful, ...(Failed.length > 0 && { Failed }) };
};
