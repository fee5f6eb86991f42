import type { JsonObject } from '../../json/value.ts';
import { AwsError, integerOf, mapOf, objectOf, textOf, unknownParameter } from '../aws-json/input.ts';

const dynamoDb = (name: string) => ({ type: `com.amazonaws.dynamodb.v20120810#${name}`, status: 400 });

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
  members?: Readonly<Record<string, unknown>>,
): AwsError => new AwsError(shapes[name], message, members);

export const invalid = (message: string): AwsError => dynamoDbError('validation', message);

export const invalidParameter = (message: string): AwsError =>
  invalid(`One or more parameter values were invalid: ${message}`);

/** A refusal of something that DynamoDB has and this engine has not. */
export const unsupported = (what: string): AwsError =>
  invalid(`The local DynamoDB engine does not support ${what}`);

export const tableNotFound = (): AwsError =>
  dynamoDbError('resourceNotFound', 'Requested resource not found');

/**
 * Checks that a request has no parameter that its operation does not implement.
 *
 * @param what the operation, or the part of its request
 */
export const checkParameters = (what: string, input: JsonObject, known: readonly string[]): void => {
  const name = unknownParameter(input, known);
  if (name !== undefined) throw unsupported(`the parameter ${name} of ${what}`);
};

const constraint = (value: string, name: string, rule: string) =>
  invalid(`1 validation error detected: Value ${value} at '${name}' failed to satisfy constraint: ${rule}`);

export const missingMember = (name: string) => constraint('null', name, 'Member must not be null');

const lowerFirst = (name: string): string => name.slice(0, 1).toLowerCase() + name.slice(1);

/** A parameter that may only have certain values; `fallback` when it is absent. */
export const choice = <T extends string>(
  input: JsonObject,
  name: string,
  [fallback, ...others]: readonly [T, ...T[]],
): T => {
  const value = textOf(input, name);
  const allowed = [fallback, ...others];
  const chosen = value === undefined ? fallback : allowed.find(option => option === value);
  if (chosen !== undefined) return chosen;
  throw constraint(
    `'${value}'`,
    lowerFirst(name),
    `Member must satisfy enum value set: [${allowed.join(', ')}]`,
  );
};

export const positive = (input: JsonObject, name: string): number | undefined => {
  const value = integerOf(input, name);
  if (value === undefined || value >= 1) return value;
  throw constraint(`'${value}'`, lowerFirst(name), 'Member must have value greater than or equal to 1');
};

const namePattern = /^[a-zA-Z0-9_.-]+$/;

export const tableName = (input: JsonObject): string => {
  const value = textOf(input, 'TableName');
  if (value === undefined) throw missingMember('tableName');
  const name = value.startsWith('arn:') ? value.slice(value.indexOf('/') + 1) : value;
  checkTableName(name);
  return name;
};

export const checkTableName = (name: string): void => {
  if (!namePattern.test(name))
    throw constraint(
      `'${name}'`,
      'tableName',
      'Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+',
    );
};

export const requiredMap = (input: JsonObject, name: string): JsonObject => {
  const value = mapOf(input, name);
  if (value === undefined) throw missingMember(lowerFirst(name));
  return value;
};

export const objectsOf = (values: readonly unknown[], name: string): readonly JsonObject[] =>
  values.map(value => objectOf(value, name));

export const checkBatch = (call: string, counts: readonly number[], max: number): void => {
  if (counts.length === 0 || counts.includes(0))
    throw invalid(
      "1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
  if (counts.reduce((sum, count) => sum + count, 0) > max)
    throw invalid(`Too many items requested for the ${call} call`);
};
