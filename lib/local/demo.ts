import { randomUUID } from 'node:crypto';
import type { Ready } from './start.ts';

/** What the pull API hands out, as far as the client reads it. */
export interface PulledMessage {
  readonly receipt_handle: string;
  readonly message_id: string;
  readonly envelope: unknown;
}

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

const jsonOf = async <T>(response: Response): Promise<T> => {
  if (response.ok) return response.json() as Promise<T>; // the service's own documented answer
  throw new Error(`The service answered ${response.status}: ${await response.text()}`);
};

const token = async (baseUrl: string, { client_id, client_secret }: Client): Promise<string> => {
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return (await jsonOf<{ access_token: string }>(response)).access_token;
};

const json = 'application/json';

/** A producer as any HTTP client would be one. */
export const producerClient = async ({ base_url, workspace, producer }: Ready) => {
  const authorization = `Bearer ${await token(base_url, producer)}`;
  return {
    /** The status of the verdict, and its body. */
    async publish(message: string): Promise<{ readonly status: number; readonly body: unknown }> {
      const headers = { authorization, 'content-type': json };
      const url = `${base_url}/tenants/${workspace}/messages`;
      const response = await fetch(url, { method: 'POST', headers, body: message });
      return { status: response.status, body: await response.json() };
    },
  };
};

/** A consumer as any HTTP client would be one. */
export const consumerClient = async ({ base_url, workspace, consumer }: Ready) => {
  const authorization = `Bearer ${await token(base_url, consumer)}`;
  const queue = `${base_url}/tenants/${workspace}/consumers/${consumer.client_id}`;
  const settle = async (
    route: 'ack' | 'nack',
    handles: readonly string[],
  ): Promise<{ failed: readonly unknown[] }> => {
    const body = JSON.stringify({ receipt_handles: handles });
    return jsonOf(
      await fetch(`${queue}/${route}`, {
        method: 'POST',
        headers: { authorization, 'content-type': json },
        body,
      }),
    );
  };
  return {
    async pull(query = ''): Promise<readonly PulledMessage[]> {
      const response = await fetch(`${queue}/messages${query}`, { headers: { authorization } });
      return (await jsonOf<{ messages: PulledMessage[] }>(response)).messages;
    },
    ack: (handles: readonly string[]) => settle('ack', handles),
    nack: (handles: readonly string[]) => settle('nack', handles),
  };
};

type Payload = Readonly<Record<string, unknown>>;

const asset = (id: string, type: string, status: string): Payload => ({
  asset_id: id,
  asset_type: type,
  status,
});

const minute = (number: number): string => `2026-05-04T09:${String(number).padStart(2, '0')}:00Z`;

const developing = { phase: 'DEVELOPING', phase_entered_at: minute(1) };
const breaking = { phase: 'BREAKING', phase_entered_at: minute(3), previous_phase: 'DEVELOPING' };
const published = { phase: 'PUBLISHED', phase_entered_at: minute(5), previous_phase: 'BREAKING' };

const pictures = asset('harbour-live', 'VIDEO', 'READY');
const map = asset('harbour-map', 'MAP', 'IN_PRODUCTION');
const sources = [
  {
    source_id: 'fire-service',
    source_type: 'OFFICIAL',
    provider: 'Feuerwehr Hafen',
    credibility: 'VERIFIED',
    received_at: minute(0),
  },
];

/** What each snapshot changes; a story.context is always the whole story, so nothing that was said goes away. */
const changes: readonly Payload[] = [
  { headline: 'Smoke seen over the old harbour', story_type: 'PLANNED', editorial_source: sources },
  { story_type: 'ACTIVE', lifecycle: developing },
  { headline: 'Fire at the old harbour', assets: [asset('harbour-live', 'VIDEO', 'IN_PRODUCTION')] },
  { lifecycle: breaking, priority: { level: 'URGENT', reason: 'Löscharbeiten laufen – Straße gesperrt' } },
  { assets: [pictures, map] },
  { lifecycle: published, assets: [pictures, { ...map, status: 'READY' }] },
  { headline: 'Harbour fire is out', story_type: 'ARCHIVED', lifecycle: undefined },
];

/**
 * The life of one story in seven story.context messages, each the exact bytes a producer would send.
 *
 * @param systemId the sender's `originating_system.system_id`
 */
export const demoStory = (systemId: string): readonly string[] => {
  const correlationId = randomUUID();
  let story: Payload = { story_id: `harbour-fire-${correlationId.slice(0, 8)}`, slug: 'HARBOUR-FIRE' };
  return changes.map((change, index) => {
    story = { ...story, ...change, sequence_number: index + 1, updated_at: minute(index) };
    const envelope = {
      som_version: '1.0.0',
      message_id: randomUUID(),
      correlation_id: correlationId,
      message_type: 'story.context',
      timestamp: minute(index),
      originating_system: { system_id: systemId, system_type: 'ncs' },
      topic: 'som.story',
      payload: story,
    };
    return JSON.stringify(envelope, null, 2);
  });
};
