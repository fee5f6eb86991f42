import { isJsonObject, textOf } from '../../platform/json/value.ts';
import type { Conduct } from '../plans.ts';
import type { RunRecord } from './record.ts';
import {
  exposureTimes,
  hasTransforms,
  isTellingPair,
  linkOf,
  longestTellingDays,
  lostTransforms,
  noTellingPair,
  tellingCorrelation,
  tellingIds,
  tellingOf,
  tellingOrder,
  tellingTimes,
} from './tellings.ts';
import {
  type ConductFault,
  type Ends,
  endsTooEarly,
  groupsBy,
  hasPair,
  isSecondOf,
  memberText,
  memberTime,
  neighbours,
  scattered,
  type ToldMessage,
  toldIn,
  tornCorrelations,
} from './told.ts';
import { check, type Findings, foundTexts, listed } from './verdict.ts';

const isTelling = ({ type }: ToldMessage): boolean => type.startsWith('telling.');
const isLink = ({ type }: ToldMessage): boolean => type.startsWith('link.');
const isCommit = ({ type }: ToldMessage): boolean => type === 'link.committed';
const isWithdrawal = ({ type }: ToldMessage): boolean => type === 'link.withdrawn';
const isAudit = ({ type }: ToldMessage): boolean => type === 'system.audit';
const isArrival = ({ type }: ToldMessage): boolean => type === 'delivery.media_available';

const linkEnds: Ends = { begins: isCommit, ends: isWithdrawal, idOf: linkOf };

const isBlank = (value: unknown): boolean => typeof value !== 'string' || value.trim() === '';

const silentWithdrawal = (one: ToldMessage): readonly ConductFault[] => {
  const { withdrawn } = one.payload;
  const given = isJsonObject(withdrawn) ? withdrawn : {};
  const words = { withdrawn_by: 'who', withdrawn_at: 'when', reason: 'why' };
  const missing = Object.entries(words).filter(([member]) => isBlank(given[member]));
  if (missing.length === 0) return [];
  const text =
    `${one.id} does not say ${missing.map(([, word]) => word).join(', ')} ` +
    `(withdrawn.${missing.map(([member]) => member).join(', ')})`;
  return [{ text, messages: [one] }];
};

/** A withdrawal whose time is before that of its commit, whatever their order on the bus. */
const withdrawnTooSoon = (told: readonly ToldMessage[]): readonly ConductFault[] =>
  [...groupsBy(told, linkOf)].flatMap(([id, group]) => {
    const commit = group.find(isCommit);
    const withdrawal = group.find(isWithdrawal);
    if (!commit || !withdrawal) return [];
    const { withdrawn } = withdrawal.payload;
    const at = textOf(withdrawn, 'withdrawn_at');
    if (!(Date.parse(at) < memberTime(commit, 'committed_at'))) return [];
    const text = `link ${id} was withdrawn at ${at} and committed at ${memberText(commit, 'committed_at')}`;
    return [{ text, messages: [commit, withdrawal] }];
  });

const withdrawals = (told: readonly ToldMessage[]): readonly ConductFault[] => {
  const apart = scattered(told, linkEnds);
  const committed = apart.filter(isCommit).length;
  const withdrawn = apart.filter(isWithdrawal).length;
  const text =
    `${committed} links were committed and ${withdrawn} withdrawn, none of them under the same ` +
    'link_id';
  return [
    ...endsTooEarly(told, linkEnds).map(({ id, begin, end }) => ({
      text: `link ${id} was withdrawn (${end.id}) before it was committed (${begin.id})`,
      messages: [end, begin],
    })),
    ...withdrawnTooSoon(told),
    ...told.filter(isWithdrawal).flatMap(silentWithdrawal),
    ...(apart.length === 0 ? [] : [{ text, messages: apart }]),
  ];
};

const sharedGates = (told: readonly ToldMessage[]): readonly ConductFault[] =>
  [...groupsBy(told, linkOf)].flatMap(([id, group]) =>
    ['destination_id', 'asset_id'].flatMap(member => {
      const values = [...new Set(group.map(one => memberText(one, member)))];
      if (values.length < 2) return [];
      return [{ text: `link ${id} has several of ${member}: ${listed(values)}`, messages: group }];
    }),
  );

interface TimeRange {
  readonly start: bigint | undefined;
  readonly end: bigint | undefined;
}

const billion = 1_000_000_000n;

const nanosecondsOf = (time: string | undefined): bigint | undefined => {
  const [seconds, nanoseconds] = time?.split(':') ?? [];
  if (seconds === undefined || nanoseconds === undefined) return undefined;
  return BigInt(seconds) * billion + BigInt(nanoseconds);
};

/** A TAMS time range such as `[0:0_60:0)`. An end that is left out is open. */
const rangesIn = ({ payload }: ToldMessage): readonly TimeRange[] =>
  [payload['time_range']].flat().flatMap(text => {
    if (typeof text !== 'string') return [];
    const found = /^[[(](\d{1,18}:\d{1,18})?_(\d{1,18}:\d{1,18})?[\])]$/.exec(text);
    return found ? [{ start: nanosecondsOf(found[1]), end: nanosecondsOf(found[2]) }] : [];
  });

const covers = (range: TimeRange, known: TimeRange): boolean => {
  const beginsInTime =
    range.start === undefined || (known.start !== undefined && range.start <= known.start);
  // An open end says that more will come: whatever comes later may close it.
  const endsInTime = range.end === undefined || known.end === undefined || range.end >= known.end;
  return beginsInTime && endsInTime;
};

const essenceOf = (one: ToldMessage): string => {
  const { locator } = one.payload;
  const place = memberText(one, 'source') || JSON.stringify(locator ?? '');
  return `${memberText(one, 'asset_id')} of ${place}`;
};

const isRanged = (one: ToldMessage): boolean => isArrival(one) && rangesIn(one).length > 0;

const shrunkRanges = (told: readonly ToldMessage[]): readonly ConductFault[] =>
  [...groupsBy(told.filter(isRanged), essenceOf)].flatMap(([essence, group]) =>
    neighbours(group).flatMap(([before, one]) => {
      const ranges = rangesIn(one);
      if (rangesIn(before).every(known => ranges.some(range => covers(range, known)))) return [];
      const [earlier, later] = [before, one].map(
        ({ payload }) => `${[payload['time_range']].flat()}`,
      );
      const text = `${essence}: ${earlier} (${before.id}), and then ${later} (${one.id})`;
      return [{ text, messages: [before, one] }];
    }),
  );

const repeatedAuditIds = (told: readonly ToldMessage[]): readonly ConductFault[] =>
  [...groupsBy(told, one => memberText(one, 'audit_id'))].flatMap(([id, group]) => {
    if (group.length < 2) return [];
    return [{ text: `${group.length} decisions have the audit_id ${id}`, messages: group }];
  });

const namelessAudits = (told: readonly ToldMessage[]): readonly ConductFault[] =>
  told.flatMap(one => {
    const { actor, reason } = one.payload;
    const given = isJsonObject(actor) ? actor : {};
    const missing = [
      ...['actor_id', 'actor_type']
        .filter(member => isBlank(given[member]))
        .map(member => `actor.${member}`),
      ...(isBlank(reason) ? ['reason'] : []),
    ];
    if (missing.length === 0) return [];
    return [{ text: `${one.id} has no ${missing.join(', no ')}`, messages: [one] }];
  });

interface ConductRule {
  readonly name: string;
  readonly expected: string;
  /** The messages that it is about. */
  readonly isAbout: (one: ToldMessage) => boolean;
  readonly faultsIn: (told: readonly ToldMessage[]) => readonly ConductFault[];
  /** Whether there was anything to see. */
  readonly isProven: (told: readonly ToldMessage[]) => boolean;
  readonly unproven: string | ((told: readonly ToldMessage[]) => string);
}

const atLeast =
  (count: number) =>
  (told: readonly ToldMessage[]): boolean =>
    told.length >= count;

const rules: Readonly<Record<Conduct, ConductRule>> = {
  tellingOrder: {
    name: 'order',
    expected: 'telling.started before telling.ended',
    isAbout: isTelling,
    faultsIn: tellingOrder,
    isProven: isTellingPair,
    unproven: noTellingPair,
  },
  tellingIds: {
    name: 'ids',
    expected: 'one telling_id and one link_id for each telling',
    isAbout: isTelling,
    faultsIn: tellingIds,
    isProven: isTellingPair,
    unproven: noTellingPair,
  },
  tellingTimes: {
    name: 'times',
    expected: `an end after the start, and no times more than ${longestTellingDays} days apart`,
    isAbout: isTelling,
    faultsIn: tellingTimes,
    isProven: atLeast(1),
    unproven: 'It sent nothing about tellings: start one, and end it.',
  },
  tellingCorrelation: {
    name: 'correlation',
    expected: 'one correlation_id for each telling',
    isAbout: isTelling,
    faultsIn: tellingCorrelation,
    isProven: isSecondOf(tellingOf),
    unproven: noTellingPair,
  },
  exposureTimes: {
    name: 'exposure',
    expected: 'exposure times as they were first sent',
    isAbout: isTelling,
    faultsIn: exposureTimes,
    isProven: isSecondOf(tellingOf),
    unproven: noTellingPair,
  },
  transforms: {
    name: 'transforms',
    expected: 'the earlier transforms in their order, and then the new ones',
    isAbout: isTelling,
    faultsIn: lostTransforms,
    isProven: told => isSecondOf(tellingOf)(told.filter(hasTransforms)),
    unproven: 'No telling had transforms in two of its messages.',
  },
  withdrawals: {
    name: 'withdrawn',
    expected: 'a commit before it, and who, when and why',
    isAbout: isLink,
    faultsIn: withdrawals,
    isProven: told => hasPair(told, linkEnds),
    unproven:
      'No link was both committed and withdrawn during the run: commit one, and withdraw it.',
  },
  gates: {
    name: 'gate',
    expected: 'one asset and one destination for each link_id',
    isAbout: isLink,
    faultsIn: sharedGates,
    isProven: atLeast(2),
    unproven: 'It sent fewer than two messages about links: commit one to another destination.',
  },
  linkCorrelation: {
    name: 'correlation',
    expected: 'one correlation_id for each link',
    isAbout: isLink,
    faultsIn: tornCorrelations(linkOf, 'link'),
    isProven: isSecondOf(linkOf),
    unproven: 'No link had a second message: change its gate, or withdraw it.',
  },
  growingRange: {
    name: 'range',
    expected: 'each time_range with all of the one before',
    isAbout: isArrival,
    faultsIn: shrunkRanges,
    isProven: told => isSecondOf(essenceOf)(told.filter(isRanged)),
    unproven: 'No asset was announced twice with a time_range: let a capture go on during the run.',
  },
  arrivalCorrelation: {
    name: 'correlation',
    expected: 'one correlation_id for the arrivals of an asset',
    isAbout: isArrival,
    faultsIn: tornCorrelations(one => memberText(one, 'asset_id'), 'asset'),
    isProven: isSecondOf(one => memberText(one, 'asset_id')),
    unproven: 'No asset was announced twice: let a capture go on during the run.',
  },
  auditIds: {
    name: 'audit_id',
    expected: 'a new audit_id for each decision',
    isAbout: isAudit,
    faultsIn: repeatedAuditIds,
    isProven: atLeast(2),
    unproven: 'It recorded fewer than two decisions: take another one.',
  },
  auditActor: {
    name: 'actor',
    expected: 'an actor with an id and a type, and a reason',
    isAbout: isAudit,
    faultsIn: namelessAudits,
    isProven: atLeast(1),
    unproven: 'It recorded no decision: take one.',
  },
};

/** How a producer conducts tellings, links, arrivals and audits: what SOM says beyond schemas. */
export const conductFindings = (record: RunRecord, of: Conduct): Findings => {
  const { name, expected, isAbout, faultsIn, isProven, unproven } = rules[of];
  const told = toldIn(record).filter(isAbout);
  const faults = faultsIn(told);
  const shown = faults.flatMap(({ messages }) => messages.map(({ id }) => id));
  const found = foundTexts(faults.map(({ text }) => text));
  return {
    checks: [check(name, expected, found)],
    messageIds: [...new Set(shown)],
    ...(!isProven(told) && { unproven: typeof unproven === 'string' ? unproven : unproven(told) }),
  };
};
