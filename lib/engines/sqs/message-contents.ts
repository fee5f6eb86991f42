import { hash } from 'node:crypto';
import type { JsonObject } from '../../json/value.ts';
import { AwsError, base64Of, mapOf, objectOf, protocolErrors, textOf } from '../aws-json/input.ts';
import { sqsError } from './batch.ts';

// Unicode mode sees a lone surrogate as a code point of its own: it is not in the set either.
const notAllowed = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** A text without these is read more than twice as fast. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: most of what is not allowed
const doubtful = /[\0-\x08\v\f\x0e-\x1f\ud800-\udfff\ufffe\uffff]/;

/** What is wrong with a body's characters, if anything (AWS docs, "Amazon SQS message quotas"). */
export const invalidCharacter = (text: string): string | undefined => {
  if (!doubtful.test(text)) return undefined;
  const found = notAllowed.exec(text)?.[0].codePointAt(0);
  if (found === undefined) return undefined;
  return (
    `Invalid binary character '#x${found.toString(16).toUpperCase()}' was found, the set of allowed characters is ` +
    '#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF'
  );
};

/** As stored and on the wire: `BinaryValue` is base64. */
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

/** The attributes that a sender set on a message (AWS docs, "Amazon SQS message metadata"). */
export const messageAttributesOf = (input: JsonObject, member: string): MessageAttributes | undefined => {
  const map = mapOf(input, member);
  const names = Object.keys(map ?? {}).filter(name => map?.[name] !== undefined);
  if (map === undefined || names.length === 0) return undefined;
  if (names.length > maxAttributes) {
    throw refuse(
      `Number of message attributes [${names.length}] exceeds the allowed maximum [${maxAttributes}].`,
    );
  }
  return Object.fromEntries(names.map(name => [name, attributeOf(name, objectOf(map[name], name))]));
};

const attributeOf = (name: string, input: JsonObject): MessageAttribute => {
  if (!namePattern.test(name)) throw refuse(`Message attribute name '${name}' is not allowed.`);
  const type = textOf(input, 'DataType') ?? '';
  const kind = typePattern.exec(type)?.[1];
  if (kind === undefined || type.length > 256) {
    throw refuse(`The message attribute '${name}' has an invalid message attribute type: '${type}'.`);
  }
  const isBinary = kind === 'Binary';
  const value = isBinary ? base64Of(input, 'BinaryValue') : textOf(input, 'StringValue');
  if (!value)
    throw refuse(`The message attribute '${name}' must contain a non-empty value of type '${kind}'.`);
  if (isBinary && Buffer.from(value, 'base64').toString('base64') !== value)
    throw new AwsError(protocolErrors.serialization, `The message attribute '${name}' is not base64.`);
  const invalid = invalidCharacter(value);
  if (invalid) throw sqsError('InvalidMessageContents', `Message attribute '${name}': ${invalid}`);
  if (kind === 'Number' && !isNumber(value)) {
    throw refuse(`Can't cast the value of message attribute '${name}' to a number.`);
  }
  return isBinary ? { DataType: type, BinaryValue: value } : { DataType: type, StringValue: value };
};

/** AWS docs, "Message attribute data types": positive or negative integers or floating-point numbers. */
const isNumber = (text: string) =>
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));

/** How much attributes add to the message's size: names, types and values. */
export const attributesBytes = (attributes: MessageAttributes = {}): number => {
  return Object.entries(attributes).reduce((bytes, [name, { DataType, StringValue, BinaryValue }]) => {
    const value = BinaryValue === undefined ? StringValue : Buffer.from(BinaryValue, 'base64');
    return bytes + Buffer.byteLength(name) + Buffer.byteLength(DataType) + Buffer.byteLength(value ?? '');
  }, 0);
};

/** The attributes that a receiver requested: by name, by prefix (`name.*`) or `All`. */
export const askedAttributes = (
  attributes: MessageAttributes = {},
  asked: readonly string[],
): MessageAttributes => {
  const isAsked = (name: string) =>
    asked.some(
      wanted =>
        wanted === 'All' ||
        wanted === '.*' ||
        wanted === name ||
        (wanted.endsWith('.*') && name.startsWith(wanted.slice(0, -2))),
    );
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isAsked(name)));
};

/** As the SDK has them: `BinaryValue` is bytes. */
export const attributesWithBytes = (attributes: MessageAttributes): JsonObject =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, { BinaryValue, ...attribute }]) => [
      name,
      BinaryValue === undefined
        ? attribute
        : { ...attribute, BinaryValue: Buffer.from(BinaryValue, 'base64') },
    ]),
  );

export const md5 = (bytes: Buffer): string => hash('md5', bytes);

/** AWS docs, "Calculating the MD5 message digest for message attributes". */
export const attributesMd5 = (attributes: MessageAttributes): string => {
  const parts: Buffer[] = [];
  const add = (bytes: Buffer) => {
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  };
  const byName = Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [name, { DataType, StringValue, BinaryValue }] of byName) {
    add(Buffer.from(name));
    add(Buffer.from(DataType));
    const isBinary = BinaryValue !== undefined;
    parts.push(Buffer.of(isBinary ? 2 : 1));
    add(isBinary ? Buffer.from(BinaryValue, 'base64') : Buffer.from(StringValue ?? ''));
  }
  return md5(Buffer.concat(parts));
};
