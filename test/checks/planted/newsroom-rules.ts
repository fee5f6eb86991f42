import type { MessageOf, SomMessage } from '../../../lib/kit/client/index.ts';
import { isEnded } from '../../../lib/kit/executor/evaluate.ts';
import { derivedId } from '../../../lib/kit/newsroom/day.ts';
import { react } from '../../../lib/kit/newsroom/reactions.ts';
import { type RoleName, systemOf } from '../../../lib/kit/newsroom/roles.ts';
import { instancesOf } from '../../../lib/kit/newsroom/skill.ts';

/** What a system of the newsroom publishes because of a message. */
type Told = Pick<ReturnType<typeof react>[number], 'message' | 'ends'>;

/** What a rule may ask of the program that it belongs to. */
export interface RuleFacts {
  now(): number;
  /** Counts on, also after a restart. */
  count(): number;
}

type Rule = (cause: SomMessage, facts: RuleFacts) => readonly Told[];

const knowledge = { beats: [], instances: instancesOf([]) };

const newsroomRule =
  (role: RoleName): Rule =>
  cause =>
    react(role, cause, knowledge);

const told = (
  role: RoleName,
  cause: SomMessage,
  { about, type, payload }: { about: string; type: SomMessage['message_type']; payload: object },
): Told => {
  const message = {
    som_version: '1.0.0',
    message_id: derivedId('message', role, type, about),
    correlation_id: cause.correlation_id,
    causation_id: cause.message_id,
    message_type: type,
    timestamp: cause.timestamp,
    originating_system: systemOf(role),
    topic: `som.${type}`,
    payload,
  };
  // each caller gives the payload of its type
  return { message: message as SomMessage };
};

/** A story that goes on; undefined for any other message. */
const liveStory = (cause: SomMessage): MessageOf<'story.context'>['payload'] | undefined => {
  if (cause.message_type !== 'story.context' || isEnded(cause.payload)) return undefined;
  return cause.payload;
};

const committedIn = (cause: SomMessage) =>
  (liveStory(cause)?.assets ?? []).flatMap(({ asset_id, usage = [] }) =>
    usage
      .filter(({ state }) => state === 'committed')
      .map(({ link_id }) => ({ asset_id, link_id })),
  );

/** The newsroom's own desk waits for media of its stories. This one has a story for any clip. */
const clipStories: Rule = (cause, { now, count }) => {
  if (cause.message_type !== 'delivery.media_available') return [];
  const { asset_id } = cause.payload;
  const payload = {
    story_id: `clip.${asset_id}`,
    slug: 'CLIP',
    headline: 'A clip has come in',
    story_type: 'ORPHAN',
    sequence_number: count(),
    updated_at: new Date(now()).toISOString(),
    assets: [{ asset_id, asset_type: 'VIDEO', status: 'READY' }],
  };
  return [told('ncs', cause, { about: cause.message_id, type: 'story.context', payload })];
};

/** The newsroom's own playout waits for a gate. A link that a story has committed goes on air too. */
const committedOnAir: Rule = cause =>
  committedIn(cause).map(({ link_id }) => {
    const payload = {
      message_type: 'telling.started',
      telling_id: derivedId('telling', link_id),
      link_id,
      exposure_start: cause.timestamp,
    };
    return told('playout', cause, { about: link_id, type: 'telling.started', payload });
  });

/** The newsroom's own page waits for a telling. A story gets one as soon as it is there. */
const pageOfStory: Rule = cause => {
  if (!liveStory(cause)) return [];
  // Only the correlation counts for a page.
  const asTelling = { ...cause, message_type: 'telling.started' } as SomMessage;
  return react('cms', asTelling, knowledge);
};

/** The newsroom's own automation waits for a kill. Use of an asset is recorded too. */
const recordedUse: Rule = cause =>
  committedIn(cause).map(({ asset_id, link_id }) => {
    const about = `${asset_id} ${link_id}`;
    const payload = {
      message_type: 'system.audit',
      audit_id: derivedId('audit', 'CLEARED', about),
      action: 'CLEARED',
      target: { kind: 'ASSET', id: asset_id },
      actor: { actor_id: 'fennel-automation', actor_type: 'system' },
      reason: 'A story has committed the asset.',
      recorded_at: cause.timestamp,
    };
    return told('automation', cause, { about, type: 'system.audit', payload });
  });

/**
 * Besides what they do in the newsroom's day, where a test run brings them nothing of what they
 * wait for there.
 */
const besides: Readonly<Partial<Record<RoleName, Rule>>> = {
  ncs: clipStories,
  playout: committedOnAir,
  cms: pageOfStory,
  automation: recordedUse,
};

/** What each system of the newsroom publishes because of what it receives. */
export const ruleOf = (role: RoleName): Rule => {
  const rules = [newsroomRule(role), besides[role]].filter(rule => rule !== undefined);
  return (cause, facts) => rules.flatMap(rule => rule(cause, facts));
};
