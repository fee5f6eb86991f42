import type {
  ConnectOptions,
  connect,
  Draft,
  MessageType,
  NoResponse,
} from '../../../lib/kit/client/index.ts';

/** What the reference producer is made of. */
export interface ProducerParts {
  readonly connect: typeof connect;
  readonly NoResponse: typeof NoResponse;
  /** The secret that its operator has given it. */
  readonly secret: () => string;
  readonly options: Omit<ConnectOptions, 'clientSecret'>;
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

const storyId = 'harbour-fire';
const correlation = '0190a000-0000-7000-8000-000000000001';
const link = '0190a000-0000-7000-8000-00000000000b';

const asset = { asset_id: 'clip-1', asset_type: 'VIDEO', status: 'READY' } as const;

/** A desk with one story and its clip, as a program that a vendor might have written on the client. */
export const referenceProducer = (parts: ProducerParts) => {
  let number = 0;
  let hasEnded = false;
  const open = () => parts.connect({ ...parts.options, clientSecret: parts.secret() });
  let bus = open();

  const publish = async <Type extends MessageType>(draft: Draft<Type>): Promise<void> => {
    const message = JSON.stringify(bus.compose(draft));
    for (;;) {
      try {
        const verdict = await bus.publish(message, { deadline: 120_000 });
        if (verdict.outcome !== 'token_refused') return;
        // Its operator is told, and may have a new secret.
        await parts.sleep(60_000);
        bus = open();
      } catch (fault) {
        if (!(fault instanceof parts.NoResponse)) throw fault;
      }
    }
  };

  const snapshot = (headline: string): Promise<void> => {
    number += 1;
    const now = new Date(parts.now()).toISOString();
    const common = {
      story_id: storyId,
      slug: 'HARBOUR',
      headline,
      sequence_number: number,
      updated_at: now,
      priority: { level: 'HIGH' },
      assets: [asset],
    } as const;
    const lifecycle = { phase: 'DEVELOPING', phase_entered_at: '2026-05-04T09:00:00Z' } as const;
    return publish({
      message_type: 'story.context',
      correlation_id: correlation,
      payload: hasEnded
        ? { ...common, story_type: 'KILLED' }
        : { ...common, story_type: 'ACTIVE', lifecycle },
    });
  };

  const committed = {
    link_id: link,
    asset_id: asset.asset_id,
    destination_id: 'bulletin',
    compliance_gate_status: 'CLEARED',
  } as const;
  const telling = {
    telling_id: '0190a000-0000-7000-8000-00000000000c',
    link_id: link,
    exposure_start: '2026-05-04T09:20:00Z',
  } as const;
  const trimmed = {
    transform_type: 'TRIM',
    applied_by: { actor_id: 'playout', actor_type: 'system' },
    applied_at: '2026-05-04T09:15:00Z',
  } as const;
  const cropped = { ...trimmed, transform_type: 'CROP' } as const;

  /** A clip goes on air, and is taken off. */
  const air = async (): Promise<void> => {
    await publish({
      message_type: 'link.committed',
      correlation_id: correlation,
      payload: {
        message_type: 'link.committed',
        ...committed,
        committed_by: 'desk',
        committed_at: '2026-05-04T09:10:00Z',
      },
    });
    await publish({
      message_type: 'telling.started',
      correlation_id: correlation,
      payload: { message_type: 'telling.started', ...telling, transforms: [trimmed] },
    });
    await publish({
      message_type: 'telling.ended',
      correlation_id: correlation,
      payload: {
        message_type: 'telling.ended',
        ...telling,
        exposure_end: '2026-05-04T09:25:00Z',
        transforms: [trimmed, cropped],
      },
    });
    const withdrawn = {
      withdrawn_by: 'desk',
      withdrawn_at: '2026-05-04T09:30:00Z',
      reason: 'The witness asked for it.',
    };
    await publish({
      message_type: 'link.withdrawn',
      correlation_id: correlation,
      payload: { message_type: 'link.withdrawn', ...committed, withdrawn },
    });
  };

  /** A capture that goes on. */
  const archive = async (): Promise<void> => {
    for (const [number, time_range] of ['[0:0_60:0)', '[0:0_120:0)'].entries())
      await publish({
        message_type: 'delivery.media_available',
        correlation_id: correlation,
        payload: {
          message_type: 'delivery.media_available',
          delivery_id: `0190a000-0000-7000-8000-0000000000d${number}`,
          asset_id: asset.asset_id,
          source: 'tams://harbour-store/9f2e7c1a',
          time_range,
          arrived_in: 'harbour-store',
          arrived_at: '2026-05-04T09:05:00Z',
        },
      });
  };

  /** Two decisions about what goes on air. */
  const judge = async (): Promise<void> => {
    for (const [number, action] of (['CLEARED', 'SUPPRESSED'] as const).entries())
      await publish({
        message_type: 'system.audit',
        correlation_id: correlation,
        payload: {
          audit_id: `0190a000-0000-7000-8000-0000000000a${number}`,
          action,
          target: { kind: 'ASSET', id: asset.asset_id },
          actor: { actor_id: 'lawyer-2', actor_type: 'user' },
          reason: 'A witness can be recognised.',
          recorded_at: '2026-05-04T09:06:00Z',
        },
      });
  };

  return {
    /** A day's work. */
    async work(): Promise<void> {
      await snapshot('Fire at the harbour');
      await snapshot('Fire at the harbour, two boats lost');
      await air();
      await archive();
      await judge();
      hasEnded = true;
      await snapshot('The story is dropped');
      await snapshot('The story is dropped for good');
    },
    /** A message that is not SOM's. */
    async slip(): Promise<void> {
      const { message_type: _, ...rest } = bus.compose({
        message_type: 'asset.ingested',
        payload: {},
      });
      const text = JSON.stringify({ ...rest, message_type: 'house.slip' });
      await bus.publish(text);
    },
    /** One more message. */
    next: (): Promise<void> => snapshot(`The story is dropped, note ${number}`),
  };
};
