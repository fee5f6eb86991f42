import type { Entry } from '../../../lib/bus/delivery/log.ts';
import { queueName } from '../../../lib/contract/environments.ts';
import { linkCommitted, storyContext } from '../../support/messages.ts';
import { headlines } from './headlines.ts';
import { uuidOf } from './ids.ts';

/** Who sends and receives, and when. */
export interface Plan {
  readonly workspace: string;
  /** Connections and system_ids, in turn. */
  readonly producers: readonly { readonly id: string; readonly systemId: string }[];
  /** Who gets the message with an index. */
  targetsOf(index: number): readonly string[];
  readonly count: number;
  /** Epoch milliseconds: when the first is accepted. */
  readonly from: number;
  readonly stepMilliseconds: number;
}

/** Messages of one story. */
const perStory = 10;

const bodyOf = (index: number, names: { readonly system: string; readonly at: string }): object => {
  const story = Math.floor(index / perStory);
  const envelope = {
    message_id: uuidOf(`message ${index}`),
    correlation_id: uuidOf(`story ${story}`),
    timestamp: names.at,
    originating_system: { system_id: names.system, system_type: 'ncs' },
  };
  const number = index % perStory;
  const headline = headlines[story % headlines.length];
  const snapshot = {
    story_id: `story-${story}`,
    slug: `STORY-${story}`,
    headline,
    sequence_number: Math.floor(number / 2) + 1,
    updated_at: names.at,
  };
  return number % 2 === 0
    ? storyContext(snapshot, envelope)
    : linkCommitted({ ...envelope, causation_id: uuidOf(`message ${index - 1}`) });
};

/**
 * The accepted messages of a plan, in the order of time: stories of ten messages, a snapshot and a
 * link in turn.
 */
export function* planned(plan: Plan): Generator<Entry> {
  for (let index = 0; index < plan.count; index += 1) {
    const acceptedAt = plan.from + index * plan.stepMilliseconds;
    const { id: producer, systemId } = plan.producers[index % plan.producers.length] ?? {
      id: '',
      systemId: '',
    };
    const message = bodyOf(index, { system: systemId, at: new Date(acceptedAt).toISOString() });
    const { message_id, correlation_id, message_type } = message as Record<string, string>;
    yield {
      workspace: plan.workspace,
      correlationId: String(correlation_id),
      number: (index % perStory) + 1,
      messageId: String(message_id),
      messageType: String(message_type),
      systemId,
      producer,
      acceptedAt,
      targets: plan
        .targetsOf(index)
        .map(connection => ({ connection, queue: queueName(connection) })),
      body: Buffer.from(JSON.stringify(message)),
    };
  }
}
