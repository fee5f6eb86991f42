import { isDeepStrictEqual } from 'node:util';
import { dayMilliseconds } from '../../contract/limits.ts';
import {
  type AcceptedMessage,
  type AcceptedMessages,
  type ConductFault,
  endsTooEarly,
  groupsBy,
  hasPair,
  memberText,
  memberTime,
  neighbours,
  type Pairing,
  splitCorrelations,
  unpairedIn,
} from './accepted-messages.ts';
import { listed } from './verdict.ts';

export const tellingOf = (message: AcceptedMessage): string => memberText(message, 'telling_id');
export const linkOf = (message: AcceptedMessage): string => memberText(message, 'link_id');

const isStart = ({ type }: AcceptedMessage): boolean => type === 'telling.started';
const isEnd = ({ type }: AcceptedMessage): boolean => type === 'telling.ended';

const byTelling: Pairing = { isBegin: isStart, isEnd, idOf: tellingOf };

export const tellingOrder = (messages: AcceptedMessages): readonly ConductFault[] => {
  const early = endsTooEarly(messages, byTelling).map(({ id, begin, end }) => ({
    text: `telling ${id} ended (${end.id}) before it started (${begin.id})`,
    messages: [end, begin],
  }));
  // Nothing but the link says which of them belong together.
  const byLink = { ...byTelling, idOf: linkOf };
  const unpaired = unpairedIn(messages, byTelling);
  const earlyOfLinks = endsTooEarly(unpaired, byLink).map(({ id, begin, end }) => ({
    text: `a telling of link ${id} ended (${end.id}) before one started (${begin.id})`,
    messages: [end, begin],
  }));
  return [...early, ...earlyOfLinks];
};

/** A later telling of a link may have an id of its own: only one that ends an open one is meant. */
const endsUnderOtherId = (messages: AcceptedMessages): readonly ConductFault[] => {
  const withoutCounterpart = (
    some: AcceptedMessages,
    counterparts: AcceptedMessages,
  ): AcceptedMessages => {
    const ids = new Set(counterparts.map(tellingOf));
    return some.filter(message => !ids.has(tellingOf(message)));
  };
  const starts = messages.filter(isStart);
  const ends = messages.filter(isEnd);
  const openStarts = withoutCounterpart(starts, ends);
  return withoutCounterpart(ends, starts).flatMap(end => {
    const earlier = openStarts.filter(start => messages.indexOf(start) < messages.indexOf(end));
    const start = earlier.find(candidate => linkOf(candidate) === linkOf(end));
    if (!start) return [];
    const text =
      `${end.id} ends telling ${tellingOf(end)}, but the telling of its link is ` +
      `${tellingOf(start)} (${start.id})`;
    return [{ text, messages: [start, end] }];
  });
};

export const tellingIds = (messages: AcceptedMessages): readonly ConductFault[] => {
  const severalLinks = groupsBy(messages, tellingOf).flatMap(([id, group]) => {
    const links = new Set(group.map(linkOf));
    if (links.size < 2) return [];
    return [{ text: `telling ${id} has several links: ${listed([...links])}`, messages: group }];
  });
  const otherIds = endsUnderOtherId(messages);
  const unpaired = unpairedIn(messages, byTelling);
  if (otherIds.length > 0 || unpaired.length === 0) return [...severalLinks, ...otherIds];

  const started = unpaired.filter(isStart).length;
  const ended = unpaired.length - started;
  const text = `${started} tellings started and ${ended} ended, none of them under the same telling_id`;
  return [...severalLinks, { text, messages: unpaired }];
};

/** Times of one telling that lie further apart belong to no telling. */
export const longestTellingDays = 366;

const exposureMembers = ['exposure_start', 'exposure_end'] as const;

const daysBetween = (start: number, end: number): number => Math.abs(end - start) / dayMilliseconds;

/** False if one of the times could not be read. */
const isTooLong = (days: number): boolean => days > longestTellingDays;

const farFromOwnTimestamp = (message: AcceptedMessage): readonly ConductFault[] =>
  exposureMembers.flatMap(member => {
    const days = daysBetween(memberTime(message, member), message.timestamp);
    if (!isTooLong(days)) return [];
    const distance = `${Math.round(days)} days from its own timestamp`;
    const text = `${message.id} says ${member} ${memberText(message, member)}, ${distance}`;
    return [{ text, messages: [message] }];
  });

const wrongSpan = (id: string, group: AcceptedMessages): readonly ConductFault[] => {
  const begin = group.find(message => memberText(message, 'exposure_start') !== '');
  const end = group.find(message => memberText(message, 'exposure_end') !== '');
  if (!begin || !end) return [];

  const start = memberTime(begin, 'exposure_start');
  const stop = memberTime(end, 'exposure_end');
  const days = daysBetween(start, stop);
  const span = `from ${memberText(begin, 'exposure_start')} to ${memberText(end, 'exposure_end')}`;
  const messages = [...new Set([begin, end])];
  if (stop < start) return [{ text: `telling ${id} ends before it starts, ${span}`, messages }];
  if (!isTooLong(days)) return [];
  return [{ text: `telling ${id} lasts ${Math.round(days)} days, ${span}`, messages }];
};

export const tellingTimes = (messages: AcceptedMessages): readonly ConductFault[] => {
  const wrongSpans = groupsBy(messages, tellingOf).flatMap(([id, group]) => wrongSpan(id, group));
  return [...wrongSpans, ...messages.flatMap(farFromOwnTimestamp)];
};

export const tellingCorrelation = (messages: AcceptedMessages): readonly ConductFault[] => {
  const split = splitCorrelations(tellingOf, 'telling')(messages);
  const unpaired = unpairedIn(messages, byTelling);
  const correlations = new Set(unpaired.map(({ correlationId }) => correlationId));
  if (unpaired.length === 0 || correlations.size < unpaired.length) return split;

  const text = `each of ${unpaired.length} messages about tellings has a correlation_id of its own`;
  return [...split, { text, messages: unpaired }];
};

export const exposureTimes = (messages: AcceptedMessages): readonly ConductFault[] =>
  groupsBy(messages, tellingOf).flatMap(([id, group]) =>
    exposureMembers.flatMap(member => {
      const given = group.filter(message => memberText(message, member) !== '');
      // The same instant may be written with another offset.
      const instants = new Set(given.map(message => memberTime(message, member)));
      if (instants.size < 2) return [];
      const times = listed(given.map(message => memberText(message, member)));
      return [{ text: `${member} of telling ${id} was ${times}`, messages: given }];
    }),
  );

const transformsIn = ({ payload }: AcceptedMessage): readonly unknown[] | undefined => {
  const { transforms } = payload;
  return Array.isArray(transforms) ? transforms : undefined;
};

export const hasTransforms = (message: AcceptedMessage): boolean =>
  transformsIn(message) !== undefined;

export const lostTransforms = (messages: AcceptedMessages): readonly ConductFault[] =>
  groupsBy(messages.filter(hasTransforms), tellingOf).flatMap(([id, group]) =>
    neighbours(group).flatMap(([previous, next]) => {
      const earlier = transformsIn(previous) ?? [];
      const beginning = transformsIn(next)?.slice(0, earlier.length);
      if (isDeepStrictEqual(beginning, earlier)) return [];
      const text =
        `${next.id} does not begin with the ${earlier.length} transforms that ${previous.id} had ` +
        `for telling ${id}`;
      return [{ text, messages: [previous, next] }];
    }),
  );

export const noTellingPair = (messages: AcceptedMessages): string => {
  const advice = 'No telling both started and ended during the run: start one, and end it.';
  const start = messages.find(isStart);
  const end = messages.find(isEnd);
  if (!start || !end) return advice;
  return (
    `${advice} It started ${tellingOf(start)} (${start.id}) and ended ${tellingOf(end)} ` +
    `(${end.id}): if they are one telling, both need the same telling_id.`
  );
};

export const isTellingPair = (messages: AcceptedMessages): boolean => hasPair(messages, byTelling);
