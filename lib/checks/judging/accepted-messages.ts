import { type JsonObject, textOf } from '../../platform/json/value.ts';
import { payloadOf, type RunRecord } from './record.ts';
import { listed } from './verdict.ts';

/** A message of a producer that the bus accepted, in the order of their arrival. */
export interface AcceptedMessage {
  readonly id: string;
  readonly type: string;
  readonly correlationId: string;
  readonly payload: JsonObject;
  /** Epoch milliseconds: the envelope's timestamp. */
  readonly timestamp: number;
  /** The run itself refused or delayed it: its place in the order is not the producer's doing. */
  readonly isDisturbed: boolean;
}

export type AcceptedMessages = readonly AcceptedMessage[];

export interface ConductFault {
  readonly text: string;
  readonly messages: AcceptedMessages;
}

export const acceptedIn = ({ attempts }: RunRecord): AcceptedMessages => {
  const injected = attempts.filter(attempt => attempt.injected !== undefined);
  const disturbedIds = new Set(injected.map(({ messageId }) => messageId));
  return attempts.flatMap(attempt => {
    const { outcome, message, messageId = '', messageType = '', correlationId = '' } = attempt;
    if (outcome !== 'accepted' || !message) return [];
    return [
      {
        id: messageId,
        type: messageType,
        correlationId,
        payload: payloadOf(attempt),
        timestamp: Date.parse(textOf(message, 'timestamp')),
        isDisturbed: disturbedIds.has(messageId),
      },
    ];
  });
};

export const memberText = ({ payload }: AcceptedMessage, member: string): string =>
  textOf(payload, member);

/** Not a number if the member is no time. */
export const memberTime = (message: AcceptedMessage, member: string): number =>
  Date.parse(memberText(message, member));

/** Items by their key, each key with its group; those with an empty key are left out. */
export const groupsBy = <T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): readonly (readonly [string, readonly T[]])[] => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === '') continue;
    const group = groups.get(key) ?? [];
    group.push(item);
    groups.set(key, group);
  }
  return [...groups];
};

/** Whether there is a second message with the same key. */
export const hasSecond =
  (keyOf: (message: AcceptedMessage) => string) =>
  (messages: AcceptedMessages): boolean =>
    groupsBy(messages, keyOf).some(([, group]) => group.length > 1);

/** Two kinds of messages: one begins something, the other ends what has the same id. */
export interface Pairing {
  readonly isBegin: (message: AcceptedMessage) => boolean;
  readonly isEnd: (message: AcceptedMessage) => boolean;
  readonly idOf: (message: AcceptedMessage) => string;
}

export const hasPair = (messages: AcceptedMessages, { isBegin, isEnd, idOf }: Pairing): boolean =>
  groupsBy(messages, idOf).some(([, group]) => group.some(isBegin) && group.some(isEnd));

/**
 * All begins and ends, if not one of them has its counterpart. What ends without having begun may
 * have begun before the run, and the other way round. Two of each and not one pair are no chance.
 */
export const unpairedIn = (messages: AcceptedMessages, pairing: Pairing): AcceptedMessages => {
  const { isBegin, isEnd, idOf } = pairing;
  const begun = new Set(messages.filter(isBegin).map(idOf));
  const ended = new Set(messages.filter(isEnd).map(idOf));
  if (begun.size < 2 || ended.size < 2 || hasPair(messages, pairing)) return [];
  return messages.filter(message => isBegin(message) || isEnd(message));
};

/** Each end that arrived although what it ends began only later. */
export const endsTooEarly = (messages: AcceptedMessages, { isBegin, isEnd, idOf }: Pairing) =>
  groupsBy(messages, idOf).flatMap(([id, group]) => {
    const end = group.find(isEnd);
    const begin = group.find(isBegin);
    if (!begin || !end || begin.isDisturbed || end.isDisturbed) return [];
    return group.indexOf(end) < group.indexOf(begin) ? [{ id, begin, end }] : [];
  });

/**
 * Messages that belong together, and have several correlations.
 *
 * @param noun what their key is the id of, such as `link`
 */
export const splitCorrelations =
  (keyOf: (message: AcceptedMessage) => string, noun: string) =>
  (messages: AcceptedMessages): readonly ConductFault[] =>
    groupsBy(messages, keyOf).flatMap(([id, group]) => {
      const correlations = new Set(group.map(({ correlationId }) => correlationId));
      if (correlations.size < 2) return [];
      return [{ text: `${noun} ${id} has ${listed([...correlations])}`, messages: group }];
    });

/** Pairs of neighbours whose order is the producer's. */
export const neighbours = (
  group: AcceptedMessages,
): readonly (readonly [AcceptedMessage, AcceptedMessage])[] => {
  const undisturbed = group.filter(({ isDisturbed }) => !isDisturbed);
  return undisturbed.slice(1).flatMap((next, index) => {
    const previous = undisturbed[index];
    return previous ? [[previous, next] as const] : [];
  });
};
