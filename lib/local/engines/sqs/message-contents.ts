import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Coding, compress, decompress } from '../../../platform/json/compression.ts';
import type { JsonObject } from '../../../platform/json/value.ts';
import { mapOf, objectInput, textInput } from '../aws-json/input.ts';
import { requiredParameter, sqsError } from './batch.ts';

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
    `Invalid binary character '#x${found.toString(16).toUpperCase()}' was found, the set of ` +
    'allowed characters is ' +
    '#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF'
  );
};

interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue: string;
}

export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

/**
 * The attributes that a sender set on a message (AWS docs, "Amazon SQS message metadata"): texts,
 * with the bus's names.
 */
const messageAttributesOf = (input: JsonObject): MessageAttributes | undefined => {
  const entries = Object.entries(mapOf(input, 'MessageAttributes') ?? {}).filter(
    ([, value]) => value !== undefined,
  );
  if (entries.length === 0) return undefined;
  return Object.fromEntries(
    entries.map(([name, value]) => [name, attributeOf(name, objectInput(value, name))]),
  );
};

const attributeOf = (name: string, input: JsonObject): MessageAttribute => {
  const StringValue = textInput(input, 'StringValue');
  if (!StringValue)
    throw sqsError(
      'InvalidParameterValue',
      `The message attribute '${name}' must contain a non-empty value of type 'String'.`,
    );
  const invalid = invalidCharacter(StringValue);
  if (invalid) throw sqsError('InvalidMessageContents', `Message attribute '${name}': ${invalid}`);
  return { DataType: 'String', StringValue };
};

const attributesBytes = (attributes: MessageAttributes = {}): number =>
  Object.entries(attributes)
    .flatMap(([name, { DataType, StringValue }]) => [name, DataType, StringValue])
    .reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);

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
  for (const [name, { DataType, StringValue }] of byName) {
    add(Buffer.from(name));
    add(Buffer.from(DataType));
    parts.push(Buffer.of(1)); // a text
    add(Buffer.from(StringValue));
  }
  return md5(Buffer.concat(parts));
};

/**
 * What a sender provided besides the body, and what SQS computed from it. The same for all queues
 * that a message is sent to.
 */
export interface MessageFacts {
  readonly deduplicationId: string;
  readonly md5: string;
  readonly attributes?: MessageAttributes;
}

/**
 * A message's facts and body as one column: they share many of their words, and are compressed
 * together.
 */
export interface PackedMessage {
  /** How many bytes of the plain content are the facts, as JSON; the body follows. */
  readonly factsBytes: number;
  readonly coding: Coding | null;
  readonly content: Uint8Array;
}

export type StoredMessage = Omit<PackedMessage, 'content'> & {
  readonly content: Uint8Array | ArrayBuffer;
};

/** Smaller contents gain less than a tenth of a page. */
const minCompressedBytes = 512;

/** @param isCompressed to compress 4 KB of JSON takes about 25 µs, and leaves a quarter of it */
const packMessage = (
  facts: MessageFacts,
  body: Buffer,
  { isCompressed }: { isCompressed: boolean },
): PackedMessage => {
  const json = Buffer.from(JSON.stringify(facts));
  const plain = Buffer.concat([json, body]);
  const factsBytes = json.length;
  if (!isCompressed || plain.length < minCompressedBytes)
    return { factsBytes, coding: null, content: plain };
  const { coding, bytes } = compress(plain);
  return { factsBytes, coding, content: bytes };
};

export const unpackMessage = (stored: StoredMessage): { facts: MessageFacts; body: string } => {
  const plain =
    stored.coding === null ? bufferOf(stored.content) : decompress(stored.content, stored.coding);
  const facts: MessageFacts = JSON.parse(plain.toString('utf8', 0, stored.factsBytes)); // as packed
  return { facts, body: plain.toString('utf8', stored.factsBytes) };
};

const bufferOf = (content: Uint8Array | ArrayBuffer): Buffer => {
  if (content instanceof ArrayBuffer) return Buffer.from(content);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
};

/** Body and attributes of a message that is sent, checked, and what SQS computes from them. */
export class SentContent {
  readonly body: Buffer;
  readonly attributes: MessageAttributes | undefined;
  readonly md5: string;
  readonly attributesMd5: string | undefined;
  readonly bytes: number;
  #last:
    | {
        readonly deduplicationId: string;
        readonly isCompressed: boolean;
        readonly packed: PackedMessage;
      }
    | undefined;

  constructor(text: string, attributes: MessageAttributes | undefined) {
    this.body = Buffer.from(text);
    this.attributes = attributes;
    this.md5 = md5(this.body);
    this.attributesMd5 = attributes && attributesMd5(attributes);
    this.bytes = this.body.length + attributesBytes(attributes);
  }

  /** @param isCompressed see {@link packMessage} */
  pack(deduplicationId: string, isCompressed: boolean): PackedMessage {
    const last = this.#last;
    if (last?.deduplicationId === deduplicationId && last.isCompressed === isCompressed)
      return last.packed;
    const { attributes } = this;
    const facts = { deduplicationId, md5: this.md5, ...(attributes && { attributes }) };
    const packed = packMessage(facts, this.body, { isCompressed });
    this.#last = { deduplicationId, isCompressed, packed };
    return packed;
  }
}

/**
 * Remembers the content of the last send: the next one is often of the same message, to another
 * queue.
 */
export class SentContents {
  #last: { readonly text: string; readonly content: SentContent } | undefined;

  of(input: JsonObject): SentContent {
    const text = requiredParameter(textInput(input, 'MessageBody'), 'MessageBody');
    const last = this.#last?.text === text ? this.#last.content : undefined;
    const invalid = last ? undefined : invalidCharacter(text);
    if (invalid) throw sqsError('InvalidMessageContents', invalid);
    const attributes = messageAttributesOf(input);
    if (last && isDeepStrictEqual(last.attributes, attributes)) return last;
    const content = new SentContent(text, attributes);
    this.#last = { text, content };
    return content;
  }
}
