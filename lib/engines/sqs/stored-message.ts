import { crc32 } from 'node:zlib';
import { type Coding, compress, decompress } from '../../json/compression.ts';
import type { MessageAttributes } from './message-contents.ts';

/** What a sender provided besides the body, and what SQS computed from it. The same for all queues that a message is sent to. */
export interface MessageFacts {
  readonly deduplicationId: string;
  readonly md5: string;
  readonly attributes?: MessageAttributes;
  /** The system attribute AWSTraceHeader, the only one a sender may set. */
  readonly traceHeader?: string;
}

/** A message's facts and body as one column: they share many of their words, and are compressed together. */
export interface PackedMessage {
  /** How many bytes of the plain content are the facts, as JSON; the body follows. */
  readonly factsBytes: number;
  /** Of the plain content. */
  readonly checksum: number;
  /** Null: it is plain. */
  readonly coding: Coding | null;
  readonly content: Uint8Array;
}

/** As the database gives it back. */
export type StoredMessage = Omit<PackedMessage, 'content'> & { readonly content: Uint8Array | ArrayBuffer };

/** Smaller contents gain less than a tenth of a page. */
const minCompressedBytes = 512;

/** @param isCompressed to compress 4 KB of JSON takes about 25 µs, and leaves a quarter of it */
export const packMessage = (
  facts: MessageFacts,
  body: Buffer,
  { isCompressed }: { readonly isCompressed: boolean },
): PackedMessage => {
  const json = Buffer.from(JSON.stringify(facts));
  const plain = Buffer.concat([json, body]);
  const sums = { factsBytes: json.length, checksum: crc32(plain) };
  if (!isCompressed || plain.length < minCompressedBytes) return { ...sums, coding: null, content: plain };
  const { coding, bytes } = compress(plain);
  return { ...sums, coding, content: bytes };
};

/** The other direction of {@link packMessage}; throws when the content is not what was packed. */
export const unpackMessage = (
  stored: StoredMessage,
): { readonly facts: MessageFacts; readonly body: string } => {
  const plain = stored.coding === null ? bufferOf(stored.content) : decompress(stored.content, stored.coding);
  if (crc32(plain) !== stored.checksum) throw new Error('the content does not match its checksum');
  const facts: MessageFacts = JSON.parse(plain.toString('utf8', 0, stored.factsBytes)); // by the checksum, as packed
  return { facts, body: plain.toString('utf8', stored.factsBytes) };
};

const bufferOf = (content: Uint8Array | ArrayBuffer): Buffer =>
  content instanceof ArrayBuffer
    ? Buffer.from(content)
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
