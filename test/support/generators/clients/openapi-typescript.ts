import createClient from 'openapi-fetch';
import type { components, paths } from './schema';

// Publishes a message, pulls it and acknowledges it, with the types of openapi-typescript.

const { origin, workspace, producer, consumer, message } = JSON.parse(process.env['GIVEN'] ?? '');
const bus = createClient<paths>({ baseUrl: origin });

const bearer = async (client: { client_id: string; client_secret: string }) => {
  const { data, error } = await bus.POST('/v1/oauth/token', {
    body: {
      grant_type: 'client_credentials',
      client_id: client.client_id,
      client_secret: client.client_secret,
    },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  if (!data) throw new Error(JSON.stringify(error));
  return { authorization: `Bearer ${data.access_token}` };
};

const story: components['schemas']['StoryContextMessage'] = {
  som_version: '1.0.0',
  message_id: message.message_id,
  correlation_id: message.correlation_id,
  message_type: 'story.context',
  timestamp: '2026-05-04T09:00:00Z',
  originating_system: { system_id: producer.system_id, system_type: 'ncs' },
  topic: 'som.story',
  payload: {
    story_id: message.story_id,
    slug: 'HARBOUR-FIRE',
    headline: 'Fire in the harbour',
    story_type: 'PLANNED',
    sequence_number: 1,
    updated_at: '2026-05-04T09:00:00Z',
    extensions: { 'com.example.desk': { row: 1 } },
  },
};

const main = async () => {
  const published = await bus.POST('/v1/tenants/{workspace}/messages', {
    params: { path: { workspace } },
    headers: await bearer(producer),
    body: story,
  });
  const path = { workspace, consumer: consumer.client_id };
  const headers = await bearer(consumer);
  const pulled = await bus.GET('/v1/tenants/{workspace}/consumers/{consumer}/messages', {
    params: { path, query: { max: 1, wait: 10 } },
    headers,
  });
  const [record] = pulled.data?.messages ?? [];
  const settled = await bus.POST('/v1/tenants/{workspace}/consumers/{consumer}/ack', {
    params: { path },
    headers,
    body: { receipt_handles: [record?.receipt_handle ?? ''] },
  });
  console.log(
    JSON.stringify({
      accepted: published.data?.accepted,
      family: published.data?.family,
      pulled: record?.message_id,
      acknowledged: settled.data?.ok.length,
    }),
  );
};

void main();
