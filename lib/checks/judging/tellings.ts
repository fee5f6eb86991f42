import { isDeepStrictEqual } from 'node:util';
import { dayMilliseconds } from '../../contract/limits.ts';
import {
  type ConductFault,
  type Ends,
  endsTooEarly,
  groupsBy,
  hasPair,
  memberText,
  memberTime,
  neighbours,
  scattered,
  type ToldMessage,
  tornCorrelations,
} from './told.ts';
import { listed } from './verdict.ts';

export const tellingOf = (one: ToldMessage): string => memberText(one, 'telling_id');
export const linkOf = (one: ToldMessage): string => memberText(one, 'link_id');

const hasStarted = ({ type }: ToldMessage): boolean => type === 'telling.started';
const hasEnded = ({ type }: ToldMessage): boolean => type === 'telling.ended';

const tellingEnds: Ends = { begins: hasStarted, ends: hasEnded, idOf: tellingOf };

export const tellingOrder = (told: readonly ToldMessage[]): readonly ConductFault[] => {
  const early = endsTooEarly(told, tellingEnds);
  // Nothing but the link says which of them belong together.
  const apart = endsTooEarly(scattered(told, tellingEnds), { ...tellingEnds, idOf: linkOf });
  return [
    ...early.map(({ id, begin, end }) => ({
      text: `telling ${id} ended (${end.id}) before it started (${begin.id})`,
      messages: [end, begin],
    })),
    ...apart.map(({ id, begin, end }) => ({
      text: `a telling of link ${id} ended (${end.id}) before one started (${begin.id})`,
      messages: [end, begin],
    })),
  ];
};

/** A later telling of a link may have an id of its own: only one that ends an open one is meant. */
const endsUnderOtherId = (told: readonly ToldMessage[]): readonly ConductFault[] => {
  const begun = told.filter(hasStarted);
  const ended = told.filter(hasEnded);
  const unpaired = (one: ToldMessage, others: readonly ToldMessage[]): boolean =>
    others.every(other => tellingOf(other) !== tellingOf(one));
  const openBegun = begun.filter(begin => unpaired(begin, ended));
  return ended.flatMap(end => {
    if (!unpaired(end, begun)) return [];
    const earlier = openBegun.filter(begin => told.indexOf(begin) < told.indexOf(end));
    const open = earlier.find(begin => linkOf(begin) === linkOf(end));
    if (!open) return [];
    const text =
      `${end.id} ends telling ${tellingOf(end)}, but the telling of its link is ` +
      `${tellingOf(open)} (${open.id})`;
    return [{ text, messages: [open, end] }];
  });
};

export const tellingIds = (told: readonly ToldMessage[]): readonly ConductFault[] => {
  const torn = [...groupsBy(told, tellingOf)].flatMap(([id, group]) => {
    const links = new Set(group.map(linkOf));
    if (links.size < 2) return [];
    return [{ text: `telling ${id} has several links: ${listed([...links])}`, messages: group }];
  });
  const others = endsUnderOtherId(told);
  const apart = scattered(told, tellingEnds);
  if (others.length > 0 || apart.length === 0) return [...torn, ...others];

  const started = apart.filter(hasStarted).length;
  const ended = apart.length - started;
  const text = `${started} tellings started and ${ended} ended, none of them under the same telling_id`;
  return [...torn, { text, messages: apart }];
};

/** Times of one telling that lie further apart belong to no telling. */
export const longestTellingDays = 366;

const exposureMembers = ['exposure_start', 'exposure_end'] as const;

const daysBetween = (one: number, other: number): number => Math.abs(one - other) / dayMilliseconds;

const farFromMessage = (one: ToldMessage): readonly ConductFault[] =>
  exposureMembers.flatMap(member => {
    const days = daysBetween(memberTime(one, member), one.timestamp);
    if (!(days > longestTellingDays)) return [];
    const distance = `${Math.round(days)} days from its own timestamp`;
    const text = `${one.id} says ${member} ${memberText(one, member)}, ${distance}`;
    return [{ text, messages: [one] }];
  });

const badSpan = (id: string, group: readonly ToldMessage[]): readonly ConductFault[] => {
  const begin = group.find(one => memberText(one, 'exposure_start') !== '');
  const end = group.find(one => memberText(one, 'exposure_end') !== '');
  if (!begin || !end) return [];
  const start = memberTime(begin, 'exposure_start');
  const stop = memberTime(end, 'exposure_end');
  const days = daysBetween(start, stop);
  const span = `from ${memberText(begin, 'exposure_start')} to ${memberText(end, 'exposure_end')}`;
  const messages = [...new Set([begin, end])];
  if (stop < start) return [{ text: `telling ${id} ends before it starts, ${span}`, messages }];
  if (!(days > longestTellingDays)) return [];
  return [{ text: `telling ${id} lasts ${Math.round(days)} days, ${span}`, messages }];
};

export const tellingTimes = (told: readonly ToldMessage[]): readonly ConductFault[] => [
  ...[...groupsBy(told, tellingOf)].flatMap(([id, group]) => badSpan(id, group)),
  ...told.flatMap(farFromMessage),
];

export const tellingCorrelation = (told: readonly ToldMessage[]): readonly ConductFault[] => {
  const apart = scattered(told, tellingEnds);
  const correlations = new Set(apart.map(({ correlationId }) => correlationId));
  const torn = tornCorrelations(tellingOf, 'telling')(told);
  if (apart.length === 0 || correlations.size < apart.length) return torn;

  const text = `each of ${apart.length} messages about tellings has a correlation_id of its own`;
  return [...torn, { text, messages: apart }];
};

export const exposureTimes = (told: readonly ToldMessage[]): readonly ConductFault[] =>
  [...groupsBy(told, tellingOf)].flatMap(([id, group]) =>
    exposureMembers.flatMap(member => {
      const given = group.filter(one => memberText(one, member) !== '');
      // The same instant may be written with another offset.
      if (new Set(given.map(one => memberTime(one, member))).size < 2) return [];
      const times = listed(given.map(one => memberText(one, member)));
      return [{ text: `${member} of telling ${id} was ${times}`, messages: given }];
    }),
  );

const transformsIn = (one: ToldMessage): readonly unknown[] | undefined => {
  const { transforms } = one.payload;
  return Array.isArray(transforms) ? transforms : undefined;
};

export const hasTransforms = (one: ToldMessage): boolean => transformsIn(one) !== undefined;

export const lostTransforms = (told: readonly ToldMessage[]): readonly ConductFault[] =>
  [...groupsBy(told.filter(hasTransforms), tellingOf)].flatMap(([id, group]) =>
    neighbours(group).flatMap(([before, one]) => {
      const known = transformsIn(before) ?? [];
      const now = transformsIn(one) ?? [];
      if (isDeepStrictEqual(now.slice(0, known.length), known)) return [];
      const text =
        `${one.id} does not begin with the ${known.length} transforms that ${before.id} had for ` +
        `telling ${id}`;
      return [{ text, messages: [before, one] }];
    }),
  );

export const noTellingPair = (told: readonly ToldMessage[]): string => {
  const words = 'No telling both started and ended during the run: start one, and end it.';
  const begin = told.find(hasStarted);
  const end = told.find(hasEnded);
  if (!begin || !end) return words;
  return (
    `${words} It started ${tellingOf(begin)} (${begin.id}) and ended ${tellingOf(end)} ` +
    `(${end.id}): if they are one telling, both need the same telling_id.`
  );
};

export const isTellingPair = (told: readonly ToldMessage[]): boolean => hasPair(told, tellingEnds);
