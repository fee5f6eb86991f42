import { randomUUID } from 'node:crypto';
import type { Bus } from '../../../lib/kit/client/index.ts';
import { dayOf, destinations, houseIds } from '../../../lib/kit/newsroom/day.ts';
import type { RoleName } from '../../../lib/kit/newsroom/roles.ts';
import { type Beat, script } from '../../../lib/kit/newsroom/script.ts';

const day = dayOf('2026-05-04');
const beats: readonly Beat[] = day ? script(day) : [];

/** A newer snapshot of a beat's story, which says nothing new. */
const again = ({ message }: Beat) => {
  const { payload } = message;
  const updated_at = new Date(Date.parse(payload.updated_at) + 60_000).toISOString();
  const newer = { ...payload, sequence_number: payload.sequence_number + 1, updated_at };
  return { ...message, message_id: randomUUID(), payload: newer };
};

/** What a system publishes by itself in its day. */
export const ownDay = (role: RoleName): readonly object[] => {
  const own = beats.filter(({ by }) => by === role);
  // A story with one snapshot says little of its system.
  if (own.length === 1) return own.flatMap(beat => [beat.message, again(beat)]);
  return own.map(({ message }) => message);
};

/** The kill of a story comes so much later than the story. */
const storyMilliseconds = 120_000;

/** What happens in a newsroom around one system: a story from its first snapshot to its kill. */
export const newsroomFeed = (
  producer: Pick<Bus, 'publish'>,
  now: () => number,
  receives: readonly string[],
) => {
  const publishStory = async (): Promise<void> => {
    const correlation = houseIds.correlation(randomUUID());
    const story_id = `feed.${correlation}`;
    const title = `${story_id}.title`;
    const clip = `${story_id}.clip`;
    const destination_id = destinations.bulletin;
    const link_id = houseIds.link(correlation, title, destination_id);
    const [begun, killed] = [now(), now() + storyMilliseconds].map(at =>
      new Date(at).toISOString(),
    );
    const link = { link_id, asset_id: title, destination_id };
    const usage = (id: string) => [{ link_id: id, destination_id, state: 'committed' }];
    const lowerThird = { asset_id: title, asset_type: 'LOWER_THIRD', status: 'READY' };
    const video = {
      asset_id: clip,
      asset_type: 'VIDEO',
      status: 'READY',
      usage: usage(randomUUID()),
    };
    const common = {
      story_id,
      slug: 'FEED',
      headline: 'A story of the feed',
      priority: { level: 'HIGH' },
    };
    const story = {
      ...common,
      story_type: 'ACTIVE',
      lifecycle: { phase: 'DEVELOPING', phase_entered_at: begun },
      sequence_number: 1,
      updated_at: begun,
      assets: [lowerThird, video],
    };
    const kill = {
      ...common,
      story_type: 'KILLED',
      sequence_number: 2,
      updated_at: killed,
      assets: [{ ...lowerThird, usage: usage(link_id) }, video],
    };
    const all = [
      ['story.context', begun, story],
      [
        'delivery.media_available',
        begun,
        {
          delivery_id: randomUUID(),
          asset_id: clip,
          locator: { store: 'feed-store', ref: clip },
          arrived_in: 'feed-store',
          arrived_at: begun,
        },
      ],
      [
        'link.committed',
        begun,
        { ...link, committed_by: 'feed', committed_at: begun, compliance_gate_status: 'PENDING' },
      ],
      ['link.gate_changed', begun, { ...link, compliance_gate_status: 'CLEARED' }],
      [
        'telling.started',
        begun,
        { telling_id: houseIds.telling(link_id), link_id, exposure_start: begun },
      ],
      ['story.context', killed, kill],
    ] as const;
    for (const [message_type, timestamp, payload] of all) {
      if (!receives.includes(message_type)) continue;
      const typed = message_type === 'story.context' ? payload : { message_type, ...payload };
      const message = {
        som_version: '1.0.0',
        message_id: randomUUID(),
        correlation_id: correlation,
        message_type,
        timestamp,
        originating_system: { system_id: 'feed', system_type: 'custom' },
        topic: `som.${message_type}`,
        payload: typed,
      };
      const verdict = await producer.publish(JSON.stringify(message));
      if (verdict.outcome === 'accepted') continue;
      throw new Error(`The feed's ${message_type}: ${JSON.stringify(verdict)}`);
    }
  };
  return { publishStory };
};
