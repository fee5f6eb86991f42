import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { objectOf, textOf } from '../aws-json/input.ts';
import { type MessageAttributes, messageAttributesOf } from './message-contents.ts';

/** What a sender provided besides the body. */
export interface SenderFacts {
  readonly attributes?: MessageAttributes;
  /** The system attribute AWSTraceHeader, the only one a sender may set. */
  readonly traceHeader?: string;
}

/** A message's facts and body as one column: they share most of their words, and are compressed together. */
export interface PackedContent {
  /** How many bytes of the plain content are the facts, as JSON; the body follows. */
  readonly factsBytes: number;
  readonly isDeflated: boolean;
  readonly content: Uint8Array;
}

/** As the database gives it back. */
type Stored<T> = Omit<T, 'content'> & { readonly content: Uint8Array | ArrayBuffer };

/** Smaller contents gain less than a tenth of a page. */
const minDeflatedBytes = 512;
/** A higher level needs half as long again and gains 5 %; more memory gains nothing. */
const deflating = { level: 1, windowBits: 13, memLevel: 6 };

/** @param deflate takes about 50 µs for 4 KB of JSON, and leaves less than half of it */
export const packContent = (
  facts: SenderFacts,
  body: Buffer,
  options: { readonly deflate: boolean },
): PackedContent => {
  const json = facts.attributes || facts.traceHeader ? Buffer.from(JSON.stringify(facts)) : Buffer.alloc(0);
  const plain = json.length === 0 ? body : Buffer.concat([json, body]);
  const isDeflated = options.deflate && plain.length >= minDeflatedBytes;
  const content = isDeflated ? deflateRawSync(plain, deflating) : plain;
  return { factsBytes: json.length, isDeflated, content };
};

const bufferOf = (content: Uint8Array | ArrayBuffer): Buffer =>
  content instanceof Uint8Array
    ? Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    : Buffer.from(content);

/** The other direction of {@link packContent}; throws when the content is damaged beyond reading. */
export const unpackContent = ({
  factsBytes,
  isDeflated,
  content,
}: Stored<PackedContent>): { readonly facts: SenderFacts; readonly body: Buffer } => {
  const plain = isDeflated ? inflateRawSync(content) : bufferOf(content);
  const body = plain.subarray(factsBytes);
  if (factsBytes === 0) return { facts: {}, body };
  const input = objectOf(JSON.parse(plain.toString('utf8', 0, factsBytes)), 'the stored facts');
  const attributes = messageAttributesOf(input, 'attributes');
  const traceHeader = textOf(input, 'traceHeader');
  return { facts: { ...(attributes && { attributes }), ...(traceHeader && { traceHeader }) }, body };
};
