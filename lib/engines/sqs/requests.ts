import { createHash } from 'node:crypto';
import type { JsonObject } from '../../json/value.ts';
import { AwsError, type AwsErrorShape, listOf, mapOf, objectOf, textOf } from '../aws-json/input.ts';

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

export type SqsErrorName = keyof typeof shapes;

export const sqsError = (name: SqsErrorName, message: string): AwsError =>
  new AwsError(shapes[name], message);

/** AWS's words for a parameter that does not fit. */
export const invalidParameter = (name: string, value: unknown, reason: string): AwsError =>
  sqsError('InvalidParameterValue', `Value ${value} for parameter ${name} is invalid. Reason: ${reason}`);

export function requiredParameter<T>(value: T | undefined, name: string): T {
  if (value !== undefined && value !== '') return value;
  throw sqsError('MissingParameter', `The request must contain the parameter ${name}.`);
}

// Unicode mode sees a lone surrogate as a code point of its own: it is not in the set either.
const notAllowed = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** What is wrong with a body's characters, if anything (AWS docs, "Amazon SQS message quotas"). */
export function invalidCharacter(text: string): string | undefined {
  const found = notAllowed.exec(text)?.[0].codePointAt(0);
  if (found === undefined) return undefined;
  return (
    `Invalid binary character '#x${found.toString(16).toUpperCase()}' was found, the set of allowed characters is ` +
    '#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF'
  );
}

/** As on the wire; `BinaryValue` is base64. */
interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string;
  readonly BinaryValue?: string;
}

export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

const maxAttributes = 10;
const namePattern = /^(?!\.)(?!.*\.\.)(?!(?:AWS|Amazon)\.)[\w.-]{1,256}(?<!\.)$/i;
const typePattern = /^(String|Number|Binary)(\..{1,})?$/;

const refuse = (reason: string) => sqsError('InvalidParameterValue', reason);

/** The attributes a sender put on a message (AWS docs, "Amazon SQS message metadata"). */
export function messageAttributesOf(input: JsonObject, member: string): MessageAttributes | undefined {
  const map = mapOf(input, member);
  const names = Object.keys(map ?? {});
  if (map === undefined || names.length === 0) return undefined;
  if (names.length > maxAttributes) {
    throw refuse(
      `Number of message attributes [${names.length}] exceeds the allowed maximum [${maxAttributes}].`,
    );
  }
  return Object.fromEntries(names.map(name => [name, attributeOf(name, objectOf(map[name], name))]));
}

function attributeOf(name: string, input: JsonObject): MessageAttribute {
  if (!namePattern.test(name)) throw refuse(`Message attribute name '${name}' is not allowed.`);
  const type = textOf(input, 'DataType') ?? '';
  const kind = typePattern.exec(type)?.[1];
  if (kind === undefined || type.length > 256) {
    throw refuse(`The message attribute '${name}' has an invalid message attribute type: '${type}'.`);
  }
  const isBinary = kind === 'Binary';
  const value = textOf(input, isBinary ? 'BinaryValue' : 'StringValue');
  if (!value)
    throw refuse(`The message attribute '${name}' must contain a non-empty value of type '${kind}'.`);
  const invalid = invalidCharacter(value);
  if (invalid) throw sqsError('InvalidMessageContents', `Message attribute '${name}': ${invalid}`);
  if (kind === 'Number' && !isNumber(value)) {
    throw refuse(`Can't cast the value of message attribute '${name}' to a number.`);
  }
  return isBinary ? { DataType: type, BinaryValue: value } : { DataType: type, StringValue: value };
}

const isNumber = (text: string) => text.trim() === text && Number.isFinite(Number(text));

/** What attributes count towards the message's size: names, types and values. */
export function attributesBytes(attributes: MessageAttributes = {}): number {
  return Object.entries(attributes).reduce((bytes, [name, { DataType, StringValue, BinaryValue }]) => {
    const value = BinaryValue === undefined ? StringValue : Buffer.from(BinaryValue, 'base64');
    return bytes + Buffer.byteLength(name) + Buffer.byteLength(DataType) + Buffer.byteLength(value ?? '');
  }, 0);
}

/** Those attributes that a receiver asked for: by name, by prefix (`name.*`) or `All`. */
export function askedAttributes(
  attributes: MessageAttributes = {},
  asked: readonly string[],
): MessageAttributes {
  const isAsked = (name: string) =>
    asked.some(
      wanted =>
        wanted === 'All' ||
        wanted === '.*' ||
        wanted === name ||
        (wanted.endsWith('.*') && name.startsWith(wanted.slice(0, -2))),
    );
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isAsked(name)));
}

export const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

/** AWS docs, "Calculating the MD5 message digest for message attributes". */
export function attributesMd5(attributes: Readonly<Record<string, MessageAttribute>>): string {
  const hash = createHash('md5');
  const add = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  const byName = Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [name, attribute] of byName) {
    add(Buffer.from(name));
    add(Buffer.from(attribute.DataType));
    const isBinary = attribute.BinaryValue !== undefined;
    hash.update(Buffer.from([isBinary ? 2 : 1]));
    add(isBinary ? Buffer.from(attribute.BinaryValue, 'base64') : Buffer.from(attribute.StringValue ?? ''));
  }
  return hash.digest('hex');
}

const maxEntries = 10;

export interface BatchEntry {
  readonly id: string;
  readonly input: JsonObject;
}

/** The entries of a batch request; what is wrong with the batch as a whole is refused. */
export function batchEntriesOf(input: JsonObject): readonly BatchEntry[] {
  const entries = (listOf(input, 'Entries') ?? []).map(entry => {
    const object = objectOf(entry, 'Entries');
    return { id: textOf(object, 'Id') ?? '', input: object };
  });
  if (entries.length === 0) {
    throw sqsError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  }
  if (entries.length > maxEntries) {
    const sent = `Maximum number of entries per request are ${maxEntries}. You have sent ${entries.length}.`;
    throw sqsError('TooManyEntriesInBatchRequest', sent);
  }
  if (!entries.every(({ id }) => /^[\w-]{1,80}$/.test(id))) {
    const form =
      'can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.';
    throw sqsError('InvalidBatchEntryId', `A batch entry id ${form}`);
  }
  const repeated = entries.find(({ id }, index) => entries.findIndex(other => other.id === id) < index);
  if (repeated) throw sqsError('BatchEntryIdsNotDistinct', `Id ${repeated.id} repeated.`);
  return entries;
}

/** Does each entry by itself: one entry's refusal is its own, the others go on. */
export function answerBatch(
  entries: readonly BatchEntry[],
  act: (input: JsonObject) => JsonObject,
): JsonObject {
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
  return { Successful, ...(Failed.length === 0 ? {} : { Failed }) };
}
