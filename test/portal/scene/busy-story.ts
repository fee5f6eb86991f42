import type { Entry } from '../../../lib/bus/delivery/log.ts';
import { queueName } from '../../../lib/contract/environments.ts';
import { uuidOf } from './ids.ts';

/** The system that speaks, by its place in the list of systems; and when, in seconds. */
type Step = readonly [
  seconds: number,
  system: number,
  messageType: string,
  payload: Readonly<Record<string, unknown>>,
];

const destinations = ['evening-news', 'web-front-page', 'radio-noon', 'app-push'] as const;

interface Times {
  /** RFC 3339, so many seconds after the story began. */
  at(seconds: number): string;
}

const snapshot = (
  number: number,
  { at }: Times,
  seconds: number,
  members: Readonly<Record<string, unknown>>,
) => ({
  story_id: 'story-storm',
  slug: 'STORM-NORTH',
  headline: 'Storm Ingunn reaches the north coast',
  story_type: 'ACTIVE',
  sequence_number: number,
  updated_at: at(seconds),
  ...members,
});

const asset = (id: string, type: string, status: string) => ({
  asset_id: id,
  asset_type: type,
  status,
});

const link = (index: number, assetId: string, gate: string) => ({
  link_id: uuidOf(`storm link ${index}`),
  asset_id: assetId,
  destination_id: destinations[index % destinations.length],
  committed_by: 'editor-7',
  compliance_gate_status: gate,
});

const telling = (index: number, members: Readonly<Record<string, unknown>>) => ({
  telling_id: uuidOf(`storm telling ${index}`),
  link_id: uuidOf(`storm link ${index}`),
  ...members,
});

/** What eight systems say in a quarter of an hour, until the last telling has ended. */
const stepsOf = (times: Times): readonly Step[] => {
  const { at } = times;
  const said = (number: number, seconds: number, members: Readonly<Record<string, unknown>> = {}) =>
    snapshot(number, times, seconds, members);
  const live = asset('storm-live', 'VIDEO', 'IN_PRODUCTION');
  const map = asset('storm-map', 'MAP', 'IN_PRODUCTION');
  const [liveReady, mapReady] = [
    { ...live, status: 'READY' },
    { ...map, status: 'READY' },
  ];
  return [
    [0, 0, 'story.context', said(1, 0, { headline: 'Storm warning for the north coast' })],
    [20, 6, 'story.context', said(2, 20, { lifecycle: { phase: 'DEVELOPING' }, assets: [live] })],
    [45, 0, 'story.context', said(3, 45, { assets: [live, map], priority: { level: 'URGENT' } })],
    [
      70,
      1,
      'delivery.media_available',
      { asset_id: 'storm-live', arrived_in: 'mam-fennel', arrived_at: at(70) },
    ],
    [90, 0, 'story.context', said(4, 90, { assets: [liveReady, map] })],
    [110, 3, 'link.committed', link(0, 'storm-live', 'PENDING')],
    [120, 5, 'link.committed', link(1, 'storm-live', 'PENDING')],
    [
      150,
      7,
      'skill.warning.raised',
      {
        severity: 'inform',
        rule_id: 'unverified-source',
        story_id: 'story-storm',
        scope: 'story',
        detail: 'No source of this story is verified yet.',
      },
    ],
    [165, 3, 'link.gate_changed', link(0, 'storm-live', 'CLEARED')],
    [
      180,
      4,
      'system.audit',
      { action: 'CLEARED', reason: 'Nobody can be recognised.', recorded_at: at(180) },
    ],
    [200, 2, 'telling.started', telling(0, { exposure_start: at(230) })],
    [
      240,
      0,
      'story.context',
      said(5, 240, { lifecycle: { phase: 'BREAKING' }, assets: [liveReady, mapReady] }),
    ],
    [260, 5, 'telling.started', telling(1, { exposure_start: at(280) })],
    [300, 5, 'link.gate_changed', link(1, 'storm-live', 'BLOCKED')],
    [330, 2, 'telling.exposed', telling(0, { exposure_start: at(230), exposure_end: at(330) })],
    [
      360,
      1,
      'delivery.media_available',
      { asset_id: 'storm-map', arrived_in: 'mam-fennel', arrived_at: at(360) },
    ],
    [400, 3, 'link.committed', link(2, 'storm-map', 'CLEARED')],
    [430, 2, 'telling.started', telling(2, { exposure_start: at(450) })],
    [
      470,
      0,
      'story.context',
      said(6, 470, {
        headline: 'العاصفة إنغون تصل إلى الساحل الشمالي',
        assets: [{ ...live, status: 'INVALIDATED' }, mapReady],
        lifecycle: { phase: 'PUBLISHED' },
      }),
    ],
    [500, 5, 'link.withdrawn', link(1, 'storm-live', 'BLOCKED')],
    [560, 2, 'telling.ended', telling(2, { exposure_end: at(560) })],
    [600, 0, 'story.context', said(7, 600, { assets: [mapReady] })],
    [640, 6, 'story.context', said(8, 640, { assets: [mapReady], story_type: 'ARCHIVED' })],
  ];
};

interface Stage {
  readonly workspace: string;
  /** Connections and system_ids, in the order of the systems. */
  readonly producers: readonly { readonly id: string; readonly systemId: string }[];
  /** Who gets a message of a type, accepted at a time. */
  targetsOf(messageType: string, at: number): readonly string[];
  /** Epoch milliseconds. */
  readonly from: number;
}

export const busyCorrelation = uuidOf('the storm');

/** A story that eight systems tell: snapshots, media, links, gates, warnings and tellings. */
export const busyStory = ({ workspace, producers, targetsOf, from }: Stage): readonly Entry[] => {
  const at = (seconds: number): string => new Date(from + seconds * 1_000).toISOString();
  return stepsOf({ at }).map(([seconds, system, messageType, payload], index) => {
    const acceptedAt = from + seconds * 1_000;
    const producer = producers[system % producers.length] ?? { id: '', systemId: '' };
    const message = {
      som_version: '1.0.0',
      message_id: uuidOf(`storm ${index}`),
      correlation_id: busyCorrelation,
      message_type: messageType,
      timestamp: at(seconds),
      originating_system: { system_id: producer.systemId, system_type: 'ncs' },
      topic: 'som.scene',
      payload:
        messageType === 'story.context' ? payload : { message_type: messageType, ...payload },
    };
    return {
      workspace,
      correlationId: busyCorrelation,
      number: index + 1,
      messageId: message.message_id,
      messageType,
      systemId: producer.systemId,
      producer: producer.id,
      acceptedAt,
      targets: targetsOf(messageType, acceptedAt).map(connection => ({
        connection,
        queue: queueName(connection),
      })),
      body: Buffer.from(JSON.stringify(message)),
    };
  });
};
