import { AwsError } from '../aws-json/input.ts';

const dynamoDb = (name: string) => ({ type: `com.amazonaws.dynamodb.v20120810#${name}`, status: 400 });

const shapes = {
  validation: { type: 'com.amazon.coral.validate#ValidationException', status: 400 },
  conditionalCheckFailed: dynamoDb('ConditionalCheckFailedException'),
  transactionCanceled: dynamoDb('TransactionCanceledException'),
  idempotentParameterMismatch: dynamoDb('IdempotentParameterMismatchException'),
  resourceNotFound: dynamoDb('ResourceNotFoundException'),
  resourceInUse: dynamoDb('ResourceInUseException'),
} as const;

/** A refusal in DynamoDB's words. `members` are what the error carries beside its message. */
export const dynamoDbError = (
  name: keyof typeof shapes,
  message: string,
  members?: Readonly<Record<string, unknown>>,
): AwsError => new AwsError(shapes[name], message, members);

export const invalid = (message: string): AwsError => dynamoDbError('validation', message);

/** A ValidationException about the value of a parameter. */
export const invalidParameter = (message: string): AwsError =>
  invalid(`One or more parameter values were invalid: ${message}`);

/** A refusal of something that DynamoDB has and this engine has not. */
export const unsupported = (what: string): AwsError =>
  invalid(`The local DynamoDB engine does not support ${what}`);

export const tableNotFound = (): AwsError =>
  dynamoDbError('resourceNotFound', 'Requested resource not found');
