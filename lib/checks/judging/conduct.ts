import { isJsonObject, textOf } from '../../platform/json/value.ts';
import type { Conduct } from '../plans.ts';
import {
  type AcceptedMessage,
  type AcceptedMessages,
  acceptedIn,
  type ConductFault,
  endsTooEarly,
  groupsBy,
  hasPair,
  hasSecond,
  memberText,
  memberTime,
  neighbours,
  type Pairing,
  splitCorrelations,
  unpairedIn,
} from './accepted-messages.ts';
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
import { check, type Findings, foundTexts, listed } from './verdict.ts';

const isTelling = ({ type }: AcceptedMessage): boolean => type.startsWith('telling.');
const isLink = ({ type }: AcceptedMessage): boolean => type.startsWith('link.');
const isCommit = ({ type }: AcceptedMessage): boolean => type === 'link.committed';
const isWithdrawal = ({ type }: AcceptedMessage): boolean => type === 'link.withdrawn';
const isAudit = ({ type }: AcceptedMessage): boolean => type === 'system.audit';
const isArrival = ({ type }: AcceptedMessage): boolean => type === 'delivery.media_available';

const byLink: Pairing = { isBegin: isCommit, isEnd: isWithdrawal, idOf: linkOf };

const isBlank = (value: unknown): boolean => typeof value !== 'string' || value.trim() === '';

const silentWithdrawal = (message: AcceptedMessage): readonly ConductFault[] => {
  const { withdrawn } = message.payload;
  const given = isJsonObject(withdrawn) ? withdrawn : {};
  const questions = { withdrawn_by: 'who', withdrawn_at: 'when', reason: 'why' };
  const missing = Object.entries(questions).filter(([member]) => isBlank(given[member]));
  if (missing.length === 0) return [];

  const members = missing.map(([member]) => member).join(', ');
  const unanswered = missing.map(([, question]) => question).join(', ');
  const text = `${message.id} does not say ${unanswered} (withdrawn.${members})`;
  return [{ text, messages: [message] }];
};

/** A withdrawal whose time is before that of its commit, whatever their order on the bus. */
const withdrawnTooSoon = (messages: AcceptedMessages): readonly ConductFault[] =>
  groupsBy(messages, linkOf).flatMap(([id, group]) => {
    const commit = group.find(isCommit);
    const withdrawal = group.find(isWithdrawal);
    if (!commit || !withdrawal) return [];
    const withdrawnAt = textOf(withdrawal.payload['withdrawn'], 'withdrawn_at');
    const isTooSoon = Date.parse(withdrawnAt) < memberTime(commit, 'committed_at');
    if (!isTooSoon) return [];
    const committedAt = memberText(commit, 'committed_at');
    const text = `link ${id} was withdrawn at ${withdrawnAt} and committed at ${committedAt}`;
    return [{ text, messages: [commit, withdrawal] }];
  });

const withdrawals = (messages: AcceptedMessages): readonly ConductFault[] => {
  const early = endsTooEarly(messages, byLink).map(({ id, begin, end }) => ({
    text: `link ${id} was withdrawn (${end.id}) before it was committed (${begin.id})`,
    messages: [end, begin],
  }));
  const silent = messages.filter(isWithdrawal).flatMap(silentWithdrawal);
  const faults = [...early, ...withdrawnTooSoon(messages), ...silent];
  const unpaired = unpairedIn(messages, byLink);
  if (unpaired.length === 0) return faults;

  const committed = unpaired.filter(isCommit).length;
  const withdrawn = unpaired.length - committed;
  const text =
    `${committed} links were committed and ${withdrawn} withdrawn, none of them under the same ` +
    'link_id';
  return [...faults, { text, messages: unpaired }];
};

const sharedGates = (messages: AcceptedMessages): readonly ConductFault[] =>
  groupsBy(messages, linkOf).flatMap(([id, group]) =>
    ['destination_id', 'asset_id'].flatMap(member => {
      const values = [...new Set(group.map(message => memberText(message, member)))];
      if (values.length < 2) return [];
      return [{ text: `link ${id} has several of ${member}: ${listed(values)}`, messages: group }];
    }),
  );

interface TimeRange {
  readonly start: bigint | undefined;
  readonly end: bigint | undefined;
}

const billion = 1_000_000_000n;

const nanosecondsOf = (time = ''): bigint | undefined => {
  const [seconds, nanoseconds] = time.split(':');
  if (seconds === undefined || nanoseconds === undefined) return undefined;
  return BigInt(seconds) * billion + BigInt(nanoseconds);
};

/** A TAMS time range such as `[0:0_60:0)`. An end that is left out is open. */
const rangesIn = ({ payload }: AcceptedMessage): readonly TimeRange[] =>
  [payload['time_range']].flat().flatMap(text => {
    if (typeof text !== 'string') return [];
    const parts = /^[[(](\d{1,18}:\d{1,18})?_(\d{1,18}:\d{1,18})?[\])]$/.exec(text);
    if (!parts) return [];
    const [, start, end] = parts;
    return [{ start: nanosecondsOf(start), end: nanosecondsOf(end) }];
  });

const covers = (range: TimeRange, earlier: TimeRange): boolean => {
  const coversStart =
    range.start === undefined || (earlier.start !== undefined && range.start <= earlier.start);
  // An open end says that more will come: whatever comes later may close it.
  const coversEnd =
    range.end === undefined || earlier.end === undefined || range.end >= earlier.end;
  return coversStart && coversEnd;
};

const assetOf = (message: AcceptedMessage): string => memberText(message, 'asset_id');

/** The asset and its place: the same asset may come to several. */
const essenceOf = (message: AcceptedMessage): string => {
  const { locator = '' } = message.payload;
  const place = memberText(message, 'source') || JSON.stringify(locator);
  return `${assetOf(message)} of ${place}`;
};

const hasRange = (message: AcceptedMessage): boolean => rangesIn(message).length > 0;

const shrunkRanges = (messages: AcceptedMessages): readonly ConductFault[] =>
  groupsBy(messages.filter(hasRange), essenceOf).flatMap(([essence, group]) =>
    neighbours(group).flatMap(([previous, next]) => {
      const ranges = rangesIn(next);
      const isCovered = (earlier: TimeRange) => ranges.some(range => covers(range, earlier));
      if (rangesIn(previous).every(isCovered)) return [];

      const messages = [previous, next];
      const [earlier, later] = messages.map(({ payload }) => `${[payload['time_range']].flat()}`);
      const text = `${essence}: ${earlier} (${previous.id}), and then ${later} (${next.id})`;
      return [{ text, messages }];
    }),
  );

const repeatedAuditIds = (messages: AcceptedMessages): readonly ConductFault[] =>
  groupsBy(messages, message => memberText(message, 'audit_id')).flatMap(([id, group]) => {
    if (group.length < 2) return [];
    return [{ text: `${group.length} decisions have the audit_id ${id}`, messages: group }];
  });

const namelessAudits = (messages: AcceptedMessages): readonly ConductFault[] =>
  messages.flatMap(message => {
    const { actor, reason } = message.payload;
    const given = isJsonObject(actor) ? actor : {};
    const wanted = {
      'actor.actor_id': given['actor_id'],
      'actor.actor_type': given['actor_type'],
      reason,
    };
    const missing = Object.entries(wanted).filter(([, value]) => isBlank(value));
    if (missing.length === 0) return [];
    const names = missing.map(([name]) => name).join(', no ');
    return [{ text: `${message.id} has no ${names}`, messages: [message] }];
  });

interface ConductRule {
  readonly name: string;
  readonly expected: string;
  /** The messages that it is about. */
  readonly isAbout: (message: AcceptedMessage) => boolean;
  readonly faultsIn: (messages: AcceptedMessages) => readonly ConductFault[];
  /** Whether there was anything to see. */
  readonly isProven: (messages: AcceptedMessages) => boolean;
  /** What is said if there was not. */
  readonly unproven: string | ((messages: AcceptedMessages) => string);
}

const atLeast =
  (count: number) =>
  (messages: AcceptedMessages): boolean =>
    messages.length >= count;

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
    isProven: hasSecond(tellingOf),
    unproven: noTellingPair,
  },
  exposureTimes: {
    name: 'exposure',
    expected: 'exposure times as they were first sent',
    isAbout: isTelling,
    faultsIn: exposureTimes,
    isProven: hasSecond(tellingOf),
    unproven: noTellingPair,
  },
  transforms: {
    name: 'transforms',
    expected: 'the earlier transforms in their order, and then the new ones',
    isAbout: isTelling,
    faultsIn: lostTransforms,
    isProven: messages => hasSecond(tellingOf)(messages.filter(hasTransforms)),
    unproven: 'No telling had transforms in two of its messages.',
  },
  withdrawals: {
    name: 'withdrawn',
    expected: 'a commit before it, and who, when and why',
    isAbout: isLink,
    faultsIn: withdrawals,
    isProven: messages => hasPair(messages, byLink),
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
    faultsIn: splitCorrelations(linkOf, 'link'),
    isProven: hasSecond(linkOf),
    unproven: 'No link had a second message: change its gate, or withdraw it.',
  },
  growingRange: {
    name: 'range',
    expected: 'each time_range with all of the one before',
    isAbout: isArrival,
    faultsIn: shrunkRanges,
    isProven: messages => hasSecond(essenceOf)(messages.filter(hasRange)),
    unproven: 'No asset was announced twice with a time_range: let a capture go on during the run.',
  },
  arrivalCorrelation: {
    name: 'correlation',
    expected: 'one correlation_id for the arrivals of an asset',
    isAbout: isArrival,
    faultsIn: splitCorrelations(assetOf, 'asset'),
    isProven: hasSecond(assetOf),
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
export const conductFindings = (record: RunRecord, conduct: Conduct): Findings => {
  const { name, expected, isAbout, faultsIn, isProven, unproven } = rules[conduct];
  const messages = acceptedIn(record).filter(isAbout);
  const faults = faultsIn(messages);
  const ids = faults.flatMap(fault => fault.messages.map(({ id }) => id));
  const found = foundTexts(faults.map(({ text }) => text));
  const findings = { checks: [check(name, expected, found)], messageIds: [...new Set(ids)] };
  if (isProven(messages)) return findings;
  return { ...findings, unproven: typeof unproven === 'string' ? unproven : unproven(messages) };
};
