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

/** A desk with one story, as a program that a vendor might have written on the client. */
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

  return {
    /** A day's work. */
    async work(): Promise<void> {
      await snapshot('Fire at the harbour');
      await snapshot('Fire at the harbour, two boats lost');
      await publish({
        message_type: 'link.committed',
        payload: {
          message_type: 'link.committed',
          link_id: link,
          asset_id: asset.asset_id,
          destination_id: 'bulletin',
          committed_by: 'desk',
          committed_at: '2026-05-04T09:10:00Z',
          compliance_gate_status: 'PENDING',
        },
      });
      await publish({
        message_type: 'telling.started',
        payload: {
          message_type: 'telling.started',
          telling_id: '0190a000-0000-7000-8000-00000000000c',
          link_id: link,
          exposure_start: '2026-05-04T09:20:00Z',
        },
      });
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
