import { client } from './generated/client.gen';
import { ack, publish, pull, token } from './generated/sdk.gen';
import type { StoryContextMessage } from './generated/types.gen';

// Publishes a message, pulls it and acknowledges it, with the client of @hey-api/openapi-ts.

const { origin, workspace, producer, consumer, message } = JSON.parse(process.env['GIVEN'] ?? '');
client.setConfig({ baseUrl: origin });

const bearer = async ({
  client_id,
  client_secret,
}: {
  client_id: string;
  client_secret: string;
}) => {
  const { data, error } = await token({
    body: { grant_type: 'client_credentials', client_id, client_secret },
  });
  if (!data) throw new Error(JSON.stringify(error));
  return { auth: data.access_token };
};

const story: StoryContextMessage = {
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
  const published = await publish({
    ...(await bearer(producer)),
    path: { workspace },
    body: story,
  });
  const path = { workspace, consumer: consumer.client_id };
  const auth = await bearer(consumer);
  const pulled = await pull({ ...auth, path, query: { max: 1, wait: 10 } });
  const [record] = pulled.data?.messages ?? [];
  const settled = await ack({
    ...auth,
    path,
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
