import { AwsError, type AwsErrorShape } from '../aws-json/input.ts';

const shape = (type: string, queryCode: string, status = 400): AwsErrorShape => ({ type, status, queryCode });
const sqs = (name: string, queryCode = name, status = 400) =>
  shape(`com.amazonaws.sqs#${name}`, queryCode, status);
const simpleQueue = (name: string, code = name, status = 400) =>
  sqs(name, `AWS.SimpleQueueService.${code}`, status);
const coral = (name: string, queryCode: string) => shape(`com.amazon.coral.service#${name}`, queryCode);

/** SQS's errors as the AWS SDKs' service model names them. */
const shapes = {
  BatchEntryIdsNotDistinct: simpleQueue('BatchEntryIdsNotDistinct'),
  BatchRequestTooLong: simpleQueue('BatchRequestTooLong'),
  EmptyBatchRequest: simpleQueue('EmptyBatchRequest'),
  InvalidAttributeName: sqs('InvalidAttributeName'),
  InvalidAttributeValue: sqs('InvalidAttributeValue'),
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

/** An invalid parameter, in AWS's wording. */
export const invalidParameter = (name: string, value: unknown, reason: string): AwsError =>
  sqsError('InvalidParameterValue', `Value ${value} for parameter ${name} is invalid. Reason: ${reason}`);

export const requiredParameter = <T>(value: T | undefined, name: string): T => {
  if (value !== undefined && value !== '') return value;
  throw sqsError('MissingParameter', `The request must contain the parameter ${name}.`);
};
