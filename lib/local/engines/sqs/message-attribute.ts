import type { JsonObject } from '../../../domain/message/json-object.ts';
import { mapOf, objectOf, textOf } from '../aws-json/json-input.ts';
import { invalidCharacter } from './message-characters.ts';
import { sqsError } from './sqs-error.ts';

/** As on the wire; `BinaryValue` is base64. */
export interface MessageAttribute {
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
