import { families } from '../../lib/contract/message-types.ts';
import type { StoryMessage } from '../../lib/contract/portal/work-responses.ts';
import { type Change, linksIn, told } from './told.ts';

/** How a mark of the picture looks. */
export type MarkShape =
  | 'snapshot'
  | 'link'
  | 'media'
  | 'warning'
  | 'audit'
  | 'telling'
  | 'other'
  | 'refused';

/** Something that happened at a moment. */
export interface LaneMark {
  readonly message: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly system: string;
  readonly shape: MarkShape;
  /** How much a snapshot changed: names of members and assets. */
  readonly changed: number;
  /** Of a link: CLEARED, PENDING or BLOCKED. */
  readonly gate?: string | undefined;
  readonly words: string;
}

/** A telling: from when it was to begin, to begun, to ended. */
export interface LaneBar {
  readonly telling: string;
  /** The newest message about it. */
  readonly message: string;
  readonly system: string;
  readonly scheduledAt?: number | undefined;
  readonly from: number;
  /** Absent: it has not ended. */
  readonly to?: number | undefined;
  /** When the link was committed that is told, and in whose lane. */
  readonly link?: { readonly at: number; readonly system: string } | undefined;
  readonly words: string;
}

/** A message that the bus refused. */
export interface RefusedOfStory {
  readonly message: string;
  readonly at: string;
  readonly system: string;
  readonly messageType: string;
  readonly rules: readonly string[];
}

export interface Lanes {
  /** In the order in which they first spoke. */
  readonly systems: readonly string[];
  readonly marks: readonly LaneMark[];
  readonly bars: readonly LaneBar[];
  /** Epoch milliseconds: of the first and the last of all of it. */
  readonly from: number;
  readonly to: number;
}

/** A picture has at most so many lanes: the last one is for all other systems. */
export const maxLanes = 8;

const others = 'other systems';

const shapes: Readonly<Record<string, MarkShape>> = {
  'story-context': 'snapshot',
  'link-event': 'link',
  'telling-event': 'telling',
  'delivery-media-available': 'media',
  'skill-warning': 'warning',
  'system-audit': 'audit',
};

const shapeOf = ({ message_type: type }: StoryMessage): MarkShape =>
  shapes[families.get(type) ?? ''] ?? 'other';

const markOf = (
  message: StoryMessage,
  changes: readonly Change[],
  link: StoryMessage['facts'] | undefined,
): LaneMark => {
  const { title, detail } = told(message, link);
  return {
    message: message.message_id,
    at: Date.parse(message.accepted_at),
    system: message.system_id,
    shape: shapeOf(message),
    changed: changes.length,
    gate: message.facts['compliance_gate_status'],
    words: detail ? `${title}, ${detail}` : title,
  };
};

const refusedMark = (one: RefusedOfStory): LaneMark => ({
  message: one.message,
  at: Date.parse(one.at),
  system: one.system,
  shape: 'refused',
  changed: 0,
  words: `Refused ${one.messageType}: ${one.rules.join(', ')}`,
});

/** The newest time of a name that messages say; undefined if it is none. */
const timeIn = (messages: readonly StoryMessage[], name: string): number | undefined => {
  const text = messages.findLast(({ facts }) => facts[name] !== undefined)?.facts[name] ?? '';
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
};

/** What several messages say about one telling. */
const barOf = (
  telling: string,
  messages: readonly StoryMessage[],
  links: ReadonlyMap<string, StoryMessage>,
): LaneBar | undefined => {
  const first = messages[0];
  const last = messages.at(-1);
  if (first === undefined || last === undefined) return undefined;

  const from = timeIn(messages, 'exposure_start') ?? Date.parse(first.accepted_at);
  const end = timeIn(messages, 'exposure_end');
  const link = links.get(first.facts['link_id'] ?? '');
  const asset = link?.facts['asset_id'] ?? `telling ${telling}`;
  const destination = link?.facts['destination_id'];
  return {
    telling,
    message: last.message_id,
    system: first.system_id,
    scheduledAt: timeIn(messages, 'scheduled_start'),
    from,
    to: end && Math.max(from, end),
    link: link && { at: Date.parse(link.accepted_at), system: link.system_id },
    words: destination === undefined ? asset : `${asset} in ${destination}`,
  };
};

const barsOf = (messages: readonly StoryMessage[]): readonly LaneBar[] => {
  const tellings = new Map<string, StoryMessage[]>();
  const links = new Map<string, StoryMessage>();
  for (const one of messages) {
    const { telling_id: telling, link_id: link } = one.facts;
    if (telling !== undefined) tellings.set(telling, [...(tellings.get(telling) ?? []), one]);
    if (one.message_type === 'link.committed' && link !== undefined) links.set(link, one);
  }
  return [...tellings].flatMap(([telling, of]) => barOf(telling, of, links) ?? []);
};

/** What a picture of a story shows. */
export const lanesOf = (
  messages: readonly StoryMessage[],
  changes: ReadonlyMap<string, readonly Change[]>,
  refused: readonly RefusedOfStory[],
): Lanes => {
  const bars = barsOf(messages);
  const links = linksIn(messages);
  const accepted = messages.map(one => {
    const link = links.get(one.facts['link_id'] ?? '');
    return markOf(one, changes.get(one.message_id) ?? [], link);
  });
  const marks = [...accepted, ...refused.map(refusedMark)].sort((a, b) => a.at - b.at);

  const spoke = [...new Set(marks.map(({ system }) => system))];
  const systems = spoke.length > maxLanes ? [...spoke.slice(0, maxLanes - 1), others] : spoke;
  const laneOf = (system: string) => (systems.includes(system) ? system : others);

  const times = [
    ...marks.map(({ at }) => at),
    ...bars.flatMap(({ from, to, scheduledAt }) => [from, to ?? from, scheduledAt ?? from]),
  ];
  return {
    systems,
    marks: marks.map(one => ({ ...one, system: laneOf(one.system) })),
    bars: bars.map(one => ({ ...one, system: laneOf(one.system) })),
    from: Math.min(...times),
    to: Math.max(...times),
  };
};

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200]
  .map(seconds => seconds * 1_000)
  .concat(86_400_000, 7 * 86_400_000);

/** Round times between two, at most so many. */
export const ticksBetween = (from: number, to: number, max: number): readonly number[] => {
  const step = steps.find(one => (to - from) / one <= max) ?? 30 * 86_400_000;
  const first = Math.ceil(from / step) * step;
  const many = Math.max(0, Math.floor((to - first) / step) + 1);
  return Array.from({ length: many }, (_, index) => first + index * step);
};
