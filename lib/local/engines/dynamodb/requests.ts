import type { JsonObject } from '../../../platform/json/value.ts';
import { AwsError, parameterCheck, textInput } from '../aws-json/input.ts';

const dynamoDb = (name: string) => ({
  type: `com.amazonaws.dynamodb.v20120810#${name}`,
  status: 400,
});

const shapes = {
  validation: { type: 'com.amazon.coral.validate#ValidationException', status: 400 },
  conditionalCheckFailed: dynamoDb('ConditionalCheckFailedException'),
  transactionCanceled: dynamoDb('TransactionCanceledException'),
  resourceNotFound: dynamoDb('ResourceNotFoundException'),
  resourceInUse: dynamoDb('ResourceInUseException'),
} as const;

/** A refusal in DynamoDB's words. `members` are what the error carries beside its message. */
export const dynamoDbError = (
  name: keyof typeof shapes,
  message: string,
  members?: JsonObject,
): AwsError => new AwsError(shapes[name], message, members);

export const invalid = (message: string): AwsError => dynamoDbError('validation', message);

/** A refusal of something that DynamoDB has and this engine has not. */
export const unsupported = (what: string): AwsError =>
  invalid(`The local DynamoDB engine does not support ${what}`);

export const checkParameters = parameterCheck('DynamoDB', invalid);

/** A parameter that may only have certain values; the first when it is absent. */
export const choice = <T extends string>(
  input: JsonObject,
  name: string,
  allowed: readonly [T, ...T[]],
): T => {
  const value = textInput(input, name);
  const chosen = value === undefined ? allowed[0] : allowed.find(option => option === value);
  if (chosen !== undefined) return chosen;
  throw unsupported(`${value} as ${name}`);
};

/** @throws AwsError if a batch of a call is too large */
export const checkBatch = (call: string, count: number, max: number): void => {
  if (count > max) throw invalid(`Too many items requested for the ${call} call`);
};

/** @throws AwsError with `message` if a text comes twice */
export const checkDistinct = (texts: readonly string[], message: string): void => {
  if (new Set(texts).size < texts.length) throw invalid(message);
};
