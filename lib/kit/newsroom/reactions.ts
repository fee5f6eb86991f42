import type { MessageOf, MessageType, SomMessage } from '../client/index.ts';
import { isEnded, type ReadyInstance } from '../executor/evaluate.ts';
import { derivedId, destinations, houseIds, instant } from './day.ts';
import table from './reactions.json';
import { type RoleName, systemOf } from './roles.ts';
import { type Beat, withCoverage } from './script.ts';
import { evaluate } from './skill.ts';
import { coverageAsset, filled, type StorySnapshot } from './story.ts';

/** What a system publishes because of a message. */
interface Reaction {
  /** How long after its cause it is stamped. */
  readonly seconds: number;
  readonly message: SomMessage;
  /**
   * What this ends: unless the bus has a message of this id, it never began, and there is nothing
   * to publish.
   */
  readonly ends?: SomMessage;
}

interface Knowledge {
  readonly beats: readonly Beat[];
  readonly instances: readonly ReadyInstance[];
}

/**
 * A reaction of `reactions.json`. The id of its message comes from what it is about: a role that
 * learns the same thing again derives the same id, and the bus has it already.
 *
 * @param more what its payload has besides
 */
const reaction = (
  name: keyof typeof table,
  cause: SomMessage,
  about: string,
  more: object = {},
): Reaction => {
  const { role, seconds, type, payload } = table[name];
  const at = instant(Date.parse(cause.timestamp) + seconds * 1000);
  const message = {
    som_version: '1.0.0',
    message_id: derivedId('message', role, type, about),
    correlation_id: cause.correlation_id,
    causation_id: cause.message_id,
    message_type: type,
    timestamp: at,
    originating_system: systemOf(role as RoleName), // as reactions.json writes it
    topic: `som.${type}`,
    payload: { ...filled(payload, { at: () => at, about: () => about }), ...more },
  };
  // reactions.json and its callers have all of its type
  return { seconds, message: message as SomMessage };
};

const lowerThirds = ({ assets = [] }: StorySnapshot) =>
  assets.filter(
    ({ asset_type, status }) => asset_type === 'LOWER_THIRD' && status !== 'INVALIDATED',
  );

const aired = (snapshot: StorySnapshot) =>
  lowerThirds(snapshot).flatMap(({ asset_id, usage = [] }) =>
    usage
      .filter(({ destination_id }) => destination_id === destinations.bulletin)
      .map(({ link_id }) => ({ asset_id, link_id })),
  );

/** The story's live page. Its asset is no part of the story. */
const pageOf = (correlation: string) => {
  const asset_id = `live-page-${correlation.slice(0, 8)}`;
  return { asset_id, link_id: houseIds.link(correlation, asset_id, destinations.page) };
};

const start = (name: 'onAir' | 'onPage', cause: SomMessage, link_id: string): Reaction =>
  reaction(name, cause, houseIds.telling(link_id), { link_id });

const end = (where: 'Air' | 'Page', cause: SomMessage, link_id: string): Reaction => ({
  ...reaction(`off${where}`, cause, houseIds.telling(link_id), { link_id }),
  ends: start(`on${where}`, cause, link_id).message,
});

const toGraphics = (cause: MessageOf<'story.context'>): readonly Reaction[] => {
  const { payload, correlation_id } = cause;
  if (isEnded(payload))
    return aired(payload).map(({ asset_id, link_id }) =>
      reaction('withdrawal', cause, link_id, { asset_id }),
    );
  return lowerThirds(payload)
    .filter(({ usage = [] }) => usage.length === 0)
    .map(({ asset_id }) => {
      const link = houseIds.link(correlation_id, asset_id, destinations.bulletin);
      return reaction('booking', cause, link, { asset_id });
    });
};

type Reactions = {
  readonly [Type in MessageType]?: (
    cause: MessageOf<Type>,
    knowledge: Knowledge,
  ) => readonly Reaction[];
};

/**
 * What each role does when it receives a message: the same for the same message, whatever came
 * before.
 */
const reactionsOf: Readonly<Record<RoleName, Reactions>> = {
  ncs: {
    'delivery.media_available': (cause, { beats }) => {
      const payload = withCoverage(beats, cause.correlation_id);
      if (payload) return [reaction('attachment', cause, `${payload.story_id} 2`, payload)];
      return [];
    },
  },
  mam: {
    'story.context': cause => {
      const { story_id, sequence_number, story_type } = cause.payload;
      if (sequence_number !== 1 || story_type === 'ORPHAN' || isEnded(cause.payload)) return [];
      const { asset_id, media_refs } = coverageAsset(story_id);
      const delivery = { delivery_id: derivedId('delivery', asset_id), asset_id };
      return [
        reaction('coverage', cause, story_id, { ...delivery, locator: media_refs?.[0]?.locator }),
      ];
    },
  },
  skill: {
    'story.context': (cause, { instances }) =>
      evaluate(cause.payload, instances).map(warning =>
        reaction('warning', cause, warning.warning_id, warning),
      ),
  },
  graphics: { 'story.context': toGraphics },
  standards: {
    'link.committed': cause => {
      const { link_id, asset_id, destination_id, compliance_gate_status } = cause.payload;
      if (compliance_gate_status !== 'PENDING') return [];
      return [
        reaction('clearance', cause, link_id, { asset_id, destination_id }),
        reaction('clearanceRecord', cause, link_id, {
          audit_id: derivedId('audit', 'CLEARED', link_id),
        }),
      ];
    },
  },
  playout: {
    'link.gate_changed': cause => {
      if (cause.payload.compliance_gate_status === 'CLEARED')
        return [start('onAir', cause, cause.payload.link_id)];
      return [];
    },
    'story.context': cause => {
      if (isEnded(cause.payload))
        return aired(cause.payload).map(({ link_id }) => end('Air', cause, link_id));
      return [];
    },
  },
  cms: {
    'telling.started': cause => {
      const { asset_id, link_id } = pageOf(cause.correlation_id);
      return [reaction('page', cause, link_id, { asset_id }), start('onPage', cause, link_id)];
    },
    'story.context': cause => {
      if (isEnded(cause.payload) && aired(cause.payload).length > 0)
        return [end('Page', cause, pageOf(cause.correlation_id).link_id)];
      return [];
    },
  },
  automation: {
    'story.context': cause => {
      const { story_id, story_type } = cause.payload;
      if (story_type !== 'KILLED') return [];
      const target = { kind: 'ASSET', id: houseIds.asset(story_id, 'package') };
      const audit_id = derivedId('audit', 'SUPPRESSED', story_id);
      return [reaction('suppression', cause, story_id, { audit_id, target })];
    },
  },
};

/** What a role publishes because of a message. Nobody reacts to its own. */
export const react = (
  role: RoleName,
  cause: SomMessage,
  knowledge: Knowledge,
): readonly Reaction[] => {
  if (cause.originating_system.system_id === systemOf(role).system_id) return [];
  const reactTo = reactionsOf[role][cause.message_type] as
    | ((cause: SomMessage, knowledge: Knowledge) => readonly Reaction[])
    | undefined; // the one for its type
  return reactTo?.(cause, knowledge) ?? [];
};
