import { families } from '../../lib/contract/message-types.ts';
import type { AssetResponse, StoryMessage } from '../../lib/contract/portal/work-responses.ts';

/** What a message says, for somebody who knows television and not the schema. */
export interface MessageSummary {
  readonly title: string;
  readonly detail?: string;
}

type Facts = StoryMessage['facts'];

const joined = (...parts: readonly (string | undefined)[]): string =>
  parts.filter(part => part !== undefined && part !== '').join(', ');

const snapshot = ({
  headline,
  slug,
  story_type,
  phase,
  level,
  sequence_number,
}: Facts): MessageSummary => ({
  title: headline ?? slug ?? 'A snapshot of the story',
  detail: joined(
    story_type,
    phase,
    level && `priority ${level}`,
    sequence_number && `snapshot ${sequence_number}`,
  ),
});

const linkVerbs: Readonly<Record<string, string>> = {
  'link.committed': 'is to be shown in',
  'link.withdrawn': 'is no longer to be shown in',
};

const link = (
  messageType: string,
  { asset_id, destination_id, compliance_gate_status }: Facts,
): MessageSummary => {
  const verb = linkVerbs[messageType] ?? 'has another gate for';
  return {
    title: `${asset_id} ${verb} ${destination_id}`,
    detail: joined(compliance_gate_status && `gate ${compliance_gate_status}`),
  };
};

/** The time of day in a time that a message says; any other text as it is. */
export const clockOf = (text: string | undefined): string | undefined =>
  text?.replace(/^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)(\.\d+)?Z$/, '$1 UTC');

/** What is told: its asset, if the link is known. */
const subjectOf = (facts: Facts, linkFacts: Facts | undefined): string => {
  if (linkFacts) return `${linkFacts['asset_id']} in ${linkFacts['destination_id']}`;
  return `The telling ${facts['telling_id']?.slice(0, 8)}`;
};

const tellingVerbs: Readonly<Record<string, string>> = {
  'telling.started': 'began',
  'telling.exposed': 'is on air',
  'telling.ended': 'ended',
};

const telling = (
  messageType: string,
  facts: Facts,
  linkFacts: Facts | undefined,
): MessageSummary => {
  const verb = tellingVerbs[messageType] ?? 'changed';
  const start = clockOf(facts['exposure_start']);
  const end = clockOf(facts['exposure_end']);
  return {
    title: `${subjectOf(facts, linkFacts)} ${verb}`,
    detail: joined(start, end && `until ${end}`),
  };
};

/**
 * What a message of a story says.
 *
 * @param linkFacts of the link that a telling is about, if they are known
 */
export const told = (
  { message_type, facts }: Pick<StoryMessage, 'message_type' | 'facts'>,
  linkFacts?: Facts,
): MessageSummary => {
  switch (families.get(message_type)) {
    case 'story-context':
      return snapshot(facts);
    case 'link-event':
      return link(message_type, facts);
    case 'telling-event':
      return telling(message_type, facts, linkFacts);
    case 'delivery-media-available':
      return { title: `${facts['asset_id']} has arrived in ${facts['arrived_in']}` };
    case 'skill-warning':
      return {
        title: facts['detail'] ?? 'A warning',
        detail: joined(facts['severity'], facts['rule_id']),
      };
    case 'system-audit':
      return { title: facts['action'] ?? 'An audit', detail: joined(facts['reason']) };
    default:
      return { title: 'A message without a schema of SOM 1.0' };
  }
};

/** A member of a message that differs from the one before about the same thing. */
export interface Change {
  readonly name: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Members that differ in every message. */
const ownMembers = new Set(['sequence_number', 'updated_at', 'link_id']);

/** What a message is about: a later one of the same key tells what has changed since. */
const keyOf = ({ message_type, facts }: StoryMessage): string =>
  [
    families.get(message_type) ?? message_type,
    facts['telling_id'] ?? '',
    facts['asset_id'] ?? '',
    facts['destination_id'] ?? '',
  ].join(' ');

/** The links of a story, by their ids: what tellings are about. */
export const linksIn = (messages: readonly StoryMessage[]): ReadonlyMap<string, Facts> => {
  const links = new Map<string, Facts>();
  for (const { message_type: type, facts } of messages) {
    const { link_id: id } = facts;
    if (type === 'link.committed' && id !== undefined) links.set(id, facts);
  }
  return links;
};

/** What happened to one asset between two snapshots; undefined: nothing. */
const assetChange = (
  before: AssetResponse | undefined,
  after: AssetResponse | undefined,
): Change | undefined => {
  const name = `asset ${(after ?? before)?.asset_id}`;
  if (before === undefined) return after && { name, after: `added, ${after.status}` };
  if (after === undefined) return { name, before: before.status };
  if (before.status !== after.status) return { name, before: before.status, after: after.status };
  if (before.digest !== after.digest) return { name, after: 'changed' };
  return undefined;
};

/** What happened to the assets between two snapshots. */
const assetChanges = (
  before: readonly AssetResponse[],
  after: readonly AssetResponse[],
): readonly Change[] => {
  const old = new Map(before.map(one => [one.asset_id, one]));
  const now = new Map(after.map(one => [one.asset_id, one]));
  const ids = new Set([...old.keys(), ...now.keys()]);
  return [...ids].flatMap(id => assetChange(old.get(id), now.get(id)) ?? []);
};

const factChanges = (before: Facts, after: Facts): readonly Change[] => {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter(name => before[name] !== after[name] && !ownMembers.has(name));
  return changed.map(name => ({ name, before: before[name], after: after[name] }));
};

/** What each message of a story changed, by its id. */
export const changesIn = (
  messages: readonly StoryMessage[],
): ReadonlyMap<string, readonly Change[]> => {
  const latest = new Map<string, StoryMessage>();
  const changes = new Map<string, readonly Change[]>();
  for (const message of messages) {
    const key = keyOf(message);
    const earlier = latest.get(key);
    latest.set(key, message);
    const facts = earlier ? factChanges(earlier.facts, message.facts) : [];
    const assets = earlier ? assetChanges(earlier.assets ?? [], message.assets ?? []) : [];
    changes.set(message.message_id, [...facts, ...assets]);
  }
  return changes;
};
