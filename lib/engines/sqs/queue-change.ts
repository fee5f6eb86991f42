import type { JsonObject } from '../../json/value.ts';
import { integerOf, listOf, mapOf, objectOf, textMapOf, textOf } from '../aws-json/input.ts';
import type { MessageFacts } from './local-queue.ts';
import { messageAttributesOf } from './message-contents.ts';

/** How often a message was received, and until when it is hidden. Epoch milliseconds. */
export interface Delivery {
  readonly receives: number;
  readonly receipt: string;
  readonly firstTakenAt: number;
  readonly takenAt: number;
  readonly hiddenUntil: number;
}

interface Base<Op extends string> {
  readonly op: Op;
  readonly queue: string;
  /** When it happened; epoch milliseconds. */
  readonly at: number;
}

export interface Create extends Base<'create'> {
  readonly uid: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
}

interface Configure extends Base<'configure'> {
  readonly attributes: Readonly<Record<string, string>>;
}

interface Tag extends Base<'tag'> {
  readonly tags: Readonly<Record<string, string>>;
}

/** The record's body is the message's. */
export interface Send extends Base<'send'> {
  readonly sequence: number;
  readonly group: string;
  readonly facts: MessageFacts;
  /** What identifies later duplicates; a snapshot has it in `seen`. */
  readonly key?: string;
  readonly delivery?: Delivery;
}

export interface Seen extends Base<'seen'> {
  readonly key: string;
  readonly id: string;
  readonly sequence: number;
}

export interface Take extends Base<'take'> {
  readonly sequences: readonly number[];
  readonly receipt: string;
  readonly until: number;
}

interface Hide extends Base<'hide'> {
  readonly sequence: number;
  readonly until: number;
}

export interface Move extends Base<'move'> {
  readonly sequence: number;
  readonly to: string;
  readonly newSequence: number;
  readonly movedFrom: string;
}

/** A change of the engine's state: what its journal holds. */
export type QueueChange =
  | Create
  | Configure
  | Tag
  | Base<'drop'>
  | Base<'purge'>
  | Send
  | Seen
  | Take
  | Hide
  | (Base<'delete'> & { readonly sequence: number })
  | Move
  /** The last sequence number given out, of all queues. */
  | (Base<'sequence'> & { readonly sequence: number });

const must = <T>(value: T | undefined): T => {
  if (value !== undefined) return value;
  throw new Error('a member is missing');
};

const text = (input: JsonObject, name: string) => must(textOf(input, name));
const integer = (input: JsonObject, name: string) => must(integerOf(input, name));
const textMap = (input: JsonObject, name: string) => must(textMapOf(input, name));

/** Reads a journal record; throws if this engine did not write it. */
export const queueChangeOf = (meta: unknown): QueueChange => {
  const input = objectOf(meta, 'A record');
  const base = { queue: text(input, 'queue'), at: integer(input, 'at') };
  const op = text(input, 'op');
  switch (op) {
    case 'create': {
      const attributes = textMap(input, 'attributes');
      return { op, ...base, uid: text(input, 'uid'), attributes, tags: textMap(input, 'tags') };
    }
    case 'configure':
      return { op, ...base, attributes: textMap(input, 'attributes') };
    case 'tag':
      return { op, ...base, tags: textMap(input, 'tags') };
    case 'drop':
    case 'purge':
      return { op, ...base };
    case 'send':
      return { op, ...base, ...sendOf(input) };
    case 'seen':
      return {
        op,
        ...base,
        key: text(input, 'key'),
        id: text(input, 'id'),
        sequence: integer(input, 'sequence'),
      };
    case 'take':
      return { op, ...base, ...takeOf(input) };
    case 'hide':
      return { op, ...base, sequence: integer(input, 'sequence'), until: integer(input, 'until') };
    case 'delete':
    case 'sequence':
      return { op, ...base, sequence: integer(input, 'sequence') };
    case 'move':
      return { op, ...base, ...moveOf(input) };
    default:
      throw new Error(`unknown change ${op}`);
  }
};

const sendOf = (input: JsonObject): Omit<Send, 'op' | 'queue' | 'at'> => {
  const key = textOf(input, 'key');
  const delivery = mapOf(input, 'delivery');
  return {
    sequence: integer(input, 'sequence'),
    group: text(input, 'group'),
    facts: factsOf(must(mapOf(input, 'facts'))),
    ...(key === undefined ? {} : { key }),
    ...(delivery === undefined ? {} : { delivery: deliveryOf(delivery) }),
  };
};

const factsOf = (input: JsonObject): MessageFacts => {
  const attributes = messageAttributesOf(input, 'attributes');
  const traceHeader = textOf(input, 'traceHeader');
  const movedFrom = textOf(input, 'movedFrom');
  return {
    id: text(input, 'id'),
    deduplicationId: text(input, 'deduplicationId'),
    md5: text(input, 'md5'),
    ...(attributes === undefined ? {} : { attributes }),
    ...(traceHeader === undefined ? {} : { traceHeader }),
    ...(movedFrom === undefined ? {} : { movedFrom }),
  };
};

const deliveryOf = (input: JsonObject): Delivery => ({
  receives: integer(input, 'receives'),
  receipt: text(input, 'receipt'),
  firstTakenAt: integer(input, 'firstTakenAt'),
  takenAt: integer(input, 'takenAt'),
  hiddenUntil: integer(input, 'hiddenUntil'),
});

const takeOf = (input: JsonObject): Omit<Take, 'op' | 'queue' | 'at'> => {
  const sequences = must(listOf(input, 'sequences')).map(sequence => {
    if (typeof sequence === 'number') return sequence;
    throw new Error('sequences must be numbers');
  });
  return { sequences, receipt: text(input, 'receipt'), until: integer(input, 'until') };
};

const moveOf = (input: JsonObject): Omit<Move, 'op' | 'queue' | 'at'> => ({
  sequence: integer(input, 'sequence'),
  to: text(input, 'to'),
  newSequence: integer(input, 'newSequence'),
  movedFrom: text(input, 'movedFrom'),
});
