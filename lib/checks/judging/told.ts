import { type JsonObject, textOf } from '../../platform/json/value.ts';
import { payloadOf, type RunRecord } from './record.ts';
import { listed } from './verdict.ts';

/** A message of a producer that the bus accepted, in the order of their arrival. */
export interface ToldMessage {
  readonly id: string;
  readonly type: string;
  readonly correlationId: string;
  readonly payload: JsonObject;
  /** Epoch milliseconds: the envelope's timestamp. */
  readonly timestamp: number;
  /** The run itself refused or delayed it: its place in the order is not the producer's doing. */
  readonly isDisturbed: boolean;
}

export interface ConductFault {
  readonly text: string;
  readonly messages: readonly ToldMessage[];
}

export const toldIn = ({ attempts }: RunRecord): readonly ToldMessage[] => {
  const injected = attempts.filter(one => one.injected !== undefined);
  const disturbed = new Set(injected.map(({ messageId }) => messageId));
  return attempts.flatMap(attempt => {
    const { message, messageId = '', messageType = '', correlationId = '' } = attempt;
    if (attempt.outcome !== 'accepted' || !message) return [];
    return [
      {
        id: messageId,
        type: messageType,
        correlationId,
        payload: payloadOf(attempt),
        timestamp: Date.parse(textOf(message, 'timestamp')),
        isDisturbed: disturbed.has(messageId),
      },
    ];
  });
};

export const memberText = (one: ToldMessage, member: string): string => textOf(one.payload, member);

export const memberTime = (one: ToldMessage, member: string): number =>
  Date.parse(memberText(one, member));

/** What has a key, by it; an empty text is none. */
export const groupsBy = <T>(
  all: readonly T[],
  keyOf: (one: T) => string,
): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    if (key === '') continue;
    const group = groups.get(key) ?? [];
    group.push(one);
    groups.set(key, group);
  }
  return groups;
};

export const isSecondOf =
  (keyOf: (one: ToldMessage) => string) =>
  (told: readonly ToldMessage[]): boolean =>
    [...groupsBy(told, keyOf).values()].some(group => group.length > 1);

export interface Ends {
  readonly begins: (one: ToldMessage) => boolean;
  readonly ends: (one: ToldMessage) => boolean;
  readonly idOf: (one: ToldMessage) => string;
}

export const hasPair = (told: readonly ToldMessage[], { begins, ends, idOf }: Ends): boolean =>
  [...groupsBy(told, idOf).values()].some(group => group.some(begins) && group.some(ends));

/**
 * What ends without having begun may have begun before the run, and the other way round. Two of
 * each and not one pair are no chance.
 */
export const scattered = (told: readonly ToldMessage[], kind: Ends): readonly ToldMessage[] => {
  const { begins, ends, idOf } = kind;
  const begun = new Set(told.filter(begins).map(idOf));
  const ended = new Set(told.filter(ends).map(idOf));
  if (begun.size < 2 || ended.size < 2 || hasPair(told, kind)) return [];
  return told.filter(one => begins(one) || ends(one));
};

/** Each end that arrived although what it ends began only later. */
export const endsTooEarly = (told: readonly ToldMessage[], { begins, ends, idOf }: Ends) =>
  [...groupsBy(told, idOf)].flatMap(([id, group]) => {
    const end = group.find(ends);
    const begin = group.find(begins);
    if (!begin || !end || begin.isDisturbed || end.isDisturbed) return [];
    return group.indexOf(end) < group.indexOf(begin) ? [{ id, begin, end }] : [];
  });

/** Messages that belong together, and have several correlations. */
export const tornCorrelations =
  (keyOf: (one: ToldMessage) => string, what: string) =>
  (told: readonly ToldMessage[]): readonly ConductFault[] =>
    [...groupsBy(told, keyOf)].flatMap(([id, group]) => {
      const correlations = new Set(group.map(({ correlationId }) => correlationId));
      if (correlations.size < 2) return [];
      return [{ text: `${what} ${id} has ${listed([...correlations])}`, messages: group }];
    });

/** Pairs of neighbours whose order is the producer's. */
export const neighbours = (
  group: readonly ToldMessage[],
): readonly (readonly [ToldMessage, ToldMessage])[] => {
  const own = group.filter(({ isDisturbed }) => !isDisturbed);
  return own.slice(1).flatMap((one, at) => {
    const before = own[at];
    return before ? [[before, one] as const] : [];
  });
};
