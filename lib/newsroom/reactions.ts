import type { MessageOf, SomMessage } from '../client/index.ts';
import type { ReadyInstance } from '../executor/evaluate.ts';
import { derivedId, destinations, houseIds } from './day.ts';
import { type Reaction, reaction, stamp } from './reaction.ts';
import { type RoleName, systemOf } from './roles.ts';
import { type Beat, withCoverage } from './script.ts';
import { evaluate } from './skill.ts';
import { coverageOf, isEnded, type Snapshot } from './story.ts';

export interface Knowledge {
  readonly beats: readonly Beat[];
  readonly instances: readonly ReadyInstance[];
}

const lowerThirds = ({ assets = [] }: Snapshot) =>
  assets.filter(({ asset_type, status }) => asset_type === 'LOWER_THIRD' && status !== 'INVALIDATED');

const aired = (snapshot: Snapshot) =>
  lowerThirds(snapshot).flatMap(({ asset_id, usage = [] }) =>
    usage
      .filter(({ destination_id }) => destination_id === destinations.bulletin)
      .map(({ link_id }) => ({ asset_id, link_id })),
  );

const deliverCoverage = (cause: MessageOf<'story.context'>): readonly Reaction[] => {
  const { story_id, sequence_number, story_type } = cause.payload;
  if (sequence_number !== 1 || story_type === 'ORPHAN' || isEnded(cause.payload)) return [];
  const { asset_id, media_refs } = coverageOf(story_id);
  return [
    reaction('mam', cause, {
      seconds: 30,
      type: 'delivery.media_available',
      about: story_id,
      payload: {
        message_type: 'delivery.media_available',
        delivery_id: derivedId('delivery', asset_id),
        asset_id,
        locator: media_refs?.[0]?.locator ?? { store: 'fennel-mam', ref: asset_id },
        arrived_in: 'fennel-mam',
        arrived_at: stamp(cause, 30),
      },
    }),
  ];
};

const attachCoverage = (
  cause: MessageOf<'delivery.media_available'>,
  { beats }: Knowledge,
): readonly Reaction[] => {
  const payload = withCoverage(beats, cause.correlation_id);
  if (payload === undefined) return [];
  return [
    reaction('ncs', cause, {
      seconds: 5,
      type: 'story.context',
      about: `${payload.story_id} 2`,
      payload,
    }),
  ];
};

const warn = (cause: MessageOf<'story.context'>, { instances }: Knowledge): readonly Reaction[] =>
  evaluate(cause.payload, instances).map(payload =>
    reaction('skill', cause, {
      seconds: 3,
      type: 'skill.warning.raised',
      about: payload.warning_id,
      payload,
    }),
  );

const book = (cause: MessageOf<'story.context'>): readonly Reaction[] =>
  lowerThirds(cause.payload)
    .filter(({ usage = [] }) => usage.length === 0)
    .map(({ asset_id }) => {
      const link_id = houseIds.link(cause.correlation_id, asset_id, destinations.bulletin);
      return reaction('graphics', cause, {
        seconds: 20,
        type: 'link.committed',
        about: link_id,
        payload: {
          message_type: 'link.committed',
          link_id,
          asset_id,
          destination_id: destinations.bulletin,
          committed_by: 'fennel-graphics',
          committed_at: stamp(cause, 20),
          compliance_gate_status: 'PENDING',
        },
      });
    });

const withdraw = (cause: MessageOf<'story.context'>): readonly Reaction[] =>
  aired(cause.payload).map(({ asset_id, link_id }) =>
    reaction('graphics', cause, {
      seconds: 10,
      type: 'link.withdrawn',
      about: link_id,
      payload: {
        message_type: 'link.withdrawn',
        link_id,
        asset_id,
        destination_id: destinations.bulletin,
        compliance_gate_status: 'CLEARED',
        withdrawn: {
          withdrawn_by: 'fennel-graphics',
          withdrawn_at: stamp(cause, 10),
          reason: 'The story has ended.',
        },
      },
    }),
  );

const clear = (cause: MessageOf<'link.committed'>): readonly Reaction[] => {
  const { link_id, asset_id, destination_id, compliance_gate_status } = cause.payload;
  if (compliance_gate_status !== 'PENDING') return [];
  return [
    reaction('standards', cause, {
      seconds: 60,
      type: 'link.gate_changed',
      about: link_id,
      payload: {
        message_type: 'link.gate_changed',
        link_id,
        asset_id,
        destination_id,
        compliance_gate_status: 'CLEARED',
      },
    }),
    reaction('standards', cause, {
      seconds: 60,
      type: 'system.audit',
      about: link_id,
      payload: {
        message_type: 'system.audit',
        audit_id: derivedId('audit', 'CLEARED', link_id),
        action: 'CLEARED',
        target: { kind: 'LINK', id: link_id },
        actor: { actor_id: 'mirren-oak', actor_type: 'user' },
        reason: 'The figure is named as not confirmed.',
        recorded_at: stamp(cause, 60),
      },
    }),
  ];
};

const startTelling = (
  role: 'playout' | 'cms',
  cause: SomMessage,
  { link_id, seconds }: { readonly link_id: string; readonly seconds: number },
): Reaction => {
  const telling_id = houseIds.telling(link_id);
  return reaction(role, cause, {
    seconds,
    type: 'telling.started',
    about: telling_id,
    payload: { message_type: 'telling.started', telling_id, link_id, exposure_start: stamp(cause, seconds) },
  });
};

const toAir = (cause: MessageOf<'link.gate_changed'>): readonly Reaction[] => {
  const { link_id, compliance_gate_status } = cause.payload;
  if (compliance_gate_status !== 'CLEARED') return [];
  return [startTelling('playout', cause, { link_id, seconds: 30 })];
};

/** The story's live page. Its asset is no part of the story. */
const pageOf = (correlation: string) => {
  const asset_id = `live-page-${correlation.slice(0, 8)}`;
  return { asset_id, link_id: houseIds.link(correlation, asset_id, destinations.page) };
};

const publishPage = (cause: MessageOf<'telling.started'>): readonly Reaction[] => {
  const { asset_id, link_id } = pageOf(cause.correlation_id);
  return [
    reaction('cms', cause, {
      seconds: 15,
      type: 'link.committed',
      about: link_id,
      payload: {
        message_type: 'link.committed',
        link_id,
        asset_id,
        destination_id: destinations.page,
        committed_by: 'fennel-cms',
        committed_at: stamp(cause, 15),
        compliance_gate_status: 'CLEARED',
      },
    }),
    startTelling('cms', cause, { link_id, seconds: 20 }),
  ];
};

const endTelling = (
  role: 'playout' | 'cms',
  cause: MessageOf<'story.context'>,
  link_id: string,
): Reaction => {
  const seconds = role === 'playout' ? 20 : 30;
  const telling_id = houseIds.telling(link_id);
  const ended = reaction(role, cause, {
    seconds,
    type: 'telling.ended',
    about: telling_id,
    payload: { message_type: 'telling.ended', telling_id, link_id, exposure_end: stamp(cause, seconds) },
  });
  return { ...ended, ends: startTelling(role, cause, { link_id, seconds: 0 }).message };
};

const suppress = (cause: MessageOf<'story.context'>): readonly Reaction[] => {
  const { story_id, story_type } = cause.payload;
  if (story_type !== 'KILLED') return [];
  return [
    reaction('automation', cause, {
      seconds: 40,
      type: 'system.audit',
      about: story_id,
      payload: {
        message_type: 'system.audit',
        audit_id: derivedId('audit', 'SUPPRESSED', story_id),
        action: 'SUPPRESSED',
        target: { kind: 'ASSET', id: houseIds.asset(story_id, 'package') },
        actor: { actor_id: 'fennel-automation', actor_type: 'system' },
        reason: 'The story was killed.',
        recorded_at: stamp(cause, 40),
      },
    }),
  ];
};

type React = (cause: SomMessage, knowledge: Knowledge) => readonly Reaction[];

/** What each role does when it receives a message: the same for the same message, whatever came before. */
const reactionsOf: Readonly<Record<RoleName, React>> = {
  ncs: (cause, knowledge) =>
    cause.message_type === 'delivery.media_available' ? attachCoverage(cause, knowledge) : [],
  mam: cause => (cause.message_type === 'story.context' ? deliverCoverage(cause) : []),
  skill: (cause, knowledge) => (cause.message_type === 'story.context' ? warn(cause, knowledge) : []),
  graphics: cause => {
    if (cause.message_type !== 'story.context') return [];
    return isEnded(cause.payload) ? withdraw(cause) : book(cause);
  },
  standards: cause => (cause.message_type === 'link.committed' ? clear(cause) : []),
  playout: cause => {
    if (cause.message_type === 'link.gate_changed') return toAir(cause);
    if (cause.message_type !== 'story.context' || !isEnded(cause.payload)) return [];
    return aired(cause.payload).map(({ link_id }) => endTelling('playout', cause, link_id));
  },
  cms: cause => {
    if (cause.message_type === 'telling.started') return publishPage(cause);
    if (cause.message_type !== 'story.context' || !isEnded(cause.payload)) return [];
    const isTold = aired(cause.payload).length > 0;
    return isTold ? [endTelling('cms', cause, pageOf(cause.correlation_id).link_id)] : [];
  },
  automation: cause => (cause.message_type === 'story.context' ? suppress(cause) : []),
};

/** What a role publishes because of a message. Nobody reacts to its own. */
export const react = (role: RoleName, cause: SomMessage, knowledge: Knowledge): readonly Reaction[] =>
  cause.originating_system.system_id === systemOf(role).system_id ? [] : reactionsOf[role](cause, knowledge);
