import { families } from '../../lib/contract/message-types.ts';
import type { AssetResponse, StoryMessage } from '../../lib/contract/portal/work-responses.ts';

/** What a message says, for somebody who knows television and not the schema. */
export interface Told {
  readonly title: string;
  readonly detail?: string;
}

type Facts = StoryMessage['facts'];

const joined = (...parts: readonly (string | undefined)[]): string =>
  parts.filter(part => part !== undefined && part !== '').join(', ');

const snapshot = ({ headline, slug, story_type, phase, level, sequence_number }: Facts): Told => ({
  title: headline ?? slug ?? 'A snapshot of the story',
  detail: joined(
    story_type,
    phase,
    level && `priority ${level}`,
    sequence_number && `snapshot ${sequence_number}`,
  ),
});

const link = (
  messageType: string,
  { asset_id, destination_id, compliance_gate_status }: Facts,
): Told => {
  const verbs: Readonly<Record<string, string>> = {
    'link.committed': 'is to be shown in',
    'link.withdrawn': 'is no longer to be shown in',
  };
  return {
    title: `${asset_id} ${verbs[messageType] ?? 'has another gate for'} ${destination_id}`,
    detail: joined(compliance_gate_status && `gate ${compliance_gate_status}`),
  };
};

/** The time of day in a time that a message says; any other text as it is. */
export const clockOf = (text: string | undefined): string | undefined =>
  text?.replace(/^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)(\.\d+)?Z$/, '$1 UTC');

/** What is told: its asset, if the link is known. */
const subjectOf = (facts: Facts, link: Facts | undefined): string =>
  link === undefined
    ? `The telling ${facts['telling_id']?.slice(0, 8)}`
    : `${link['asset_id']} in ${link['destination_id']}`;

const telling = (messageType: string, facts: Facts, linkFacts: Facts | undefined): Told => {
  const verbs: Readonly<Record<string, string>> = {
    'telling.started': 'began',
    'telling.exposed': 'is on air',
    'telling.ended': 'ended',
  };
  return {
    title: `${subjectOf(facts, linkFacts)} ${verbs[messageType] ?? 'changed'}`,
    detail: joined(
      clockOf(facts['exposure_start']),
      facts['exposure_end'] && `until ${clockOf(facts['exposure_end'])}`,
    ),
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
): Told => {
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
  readonly before?: string;
  readonly after?: string;
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
export const linksIn = (messages: readonly StoryMessage[]): ReadonlyMap<string, Facts> =>
  new Map(
    messages.flatMap(({ message_type: type, facts }) =>
      type === 'link.committed' && facts['link_id'] !== undefined
        ? [[facts['link_id'], facts] as const]
        : [],
    ),
  );

/** What happened to one asset between two snapshots; undefined: nothing. */
const assetChange = (
  before: AssetResponse | undefined,
  after: AssetResponse | undefined,
): Change | undefined => {
  const name = `asset ${(after ?? before)?.asset_id}`;
  if (before === undefined) return after && { name, after: `added, ${after.status}` };
  if (after === undefined) return { name, before: before.status };
  if (before.status !== after.status) return { name, before: before.status, after: after.status };
  return before.digest === after.digest ? undefined : { name, after: 'changed' };
};

/** What happened to the assets between two snapshots. */
const assetChanges = (
  before: readonly AssetResponse[],
  after: readonly AssetResponse[],
): readonly Change[] => {
  const [old, now] = [before, after].map(all => new Map(all.map(one => [one.asset_id, one])));
  const ids = new Set([...before, ...after].map(({ asset_id: id }) => id));
  return [...ids].flatMap(id => assetChange(old?.get(id), now?.get(id)) ?? []);
};

/** What each message of a story changed, by its id. */
export const changesIn = (
  messages: readonly StoryMessage[],
): ReadonlyMap<string, readonly Change[]> => {
  const latest = new Map<string, StoryMessage>();
  return new Map(
    messages.map(message => {
      const [key, { facts }] = [keyOf(message), message];
      const earlier = latest.get(key);
      const before = earlier?.facts;
      latest.set(key, message);
      const names = before ? new Set([...Object.keys(before), ...Object.keys(facts)]) : [];
      const changes = [...names].flatMap((name): readonly Change[] => {
        const [was, is] = [before?.[name], facts[name]];
        if (was === is || ownMembers.has(name)) return [];
        return [
          {
            name,
            ...(was === undefined ? {} : { before: was }),
            ...(is === undefined ? {} : { after: is }),
          },
        ];
      });
      const assets = earlier ? assetChanges(earlier.assets ?? [], message.assets ?? []) : [];
      return [message.message_id, [...changes, ...assets]];
    }),
  );
};
