import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../json/value.ts';
import { textOf } from '../aws-json/input.ts';
import { requiredParameter, sqsError } from './batch.ts';
import {
  attributesBytes,
  attributesMd5,
  invalidCharacter,
  type MessageAttributes,
  md5,
  messageAttributesOf,
} from './message-contents.ts';
import { type PackedMessage, packMessage } from './stored-message.ts';

/** What decides, besides the content, how a message is stored. */
interface Packing {
  readonly deduplicationId: string;
  readonly traceHeader: string | undefined;
  readonly isCompressed: boolean;
}

/** Body and attributes of a message that is sent, checked, and what SQS computes from them. */
export class SentContent {
  readonly body: Buffer;
  readonly attributes: MessageAttributes | undefined;
  readonly md5: string;
  readonly attributesMd5: string | undefined;
  /** As SQS counts them. */
  readonly bytes: number;
  #last: { readonly packing: Packing; readonly packed: PackedMessage } | undefined;

  constructor(text: string, attributes: MessageAttributes | undefined) {
    this.body = Buffer.from(text);
    this.attributes = attributes;
    this.md5 = md5(this.body);
    this.attributesMd5 = attributes && attributesMd5(attributes);
    this.bytes = this.body.length + attributesBytes(attributes);
  }

  pack(packing: Packing): PackedMessage {
    if (this.#last && isDeepStrictEqual(this.#last.packing, packing)) return this.#last.packed;
    const { deduplicationId, traceHeader, isCompressed } = packing;
    const { attributes } = this;
    const optional = { ...(attributes && { attributes }), ...(traceHeader && { traceHeader }) };
    const packed = packMessage({ deduplicationId, md5: this.md5, ...optional }, this.body, { isCompressed });
    this.#last = { packing, packed };
    return packed;
  }
}

/** Remembers the content of the last send: the next one is often of the same message, to another queue. */
export class SentContents {
  #last: { readonly text: string; readonly content: SentContent } | undefined;

  of(input: JsonObject): SentContent {
    const text = requiredParameter(textOf(input, 'MessageBody'), 'MessageBody');
    const last = this.#last?.text === text ? this.#last.content : undefined;
    const invalid = last ? undefined : invalidCharacter(text);
    if (invalid) throw sqsError('InvalidMessageContents', invalid);
    const attributes = messageAttributesOf(input, 'MessageAttributes');
    if (last && isDeepStrictEqual(last.attributes, attributes)) return last;
    const content = new SentContent(text, attributes);
    this.#last = { text, content };
    return content;
  }
}
