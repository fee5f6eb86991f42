import { bearer, call, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { type ServiceProcess, startService, temporaryFolder } from '../support/service-process.ts';

const kills = 20;
const stories = 4;
const correlation = (story: number): string => `00000000-0000-4000-8000-${String(story).padStart(12, '0')}`;

interface Sent {
  readonly messageId: string;
  readonly text: string;
}

/** Publishes to every story, one message after the other in each, until the service is gone; collects what was acknowledged. */
const publishUntilGone = async (
  service: ServiceProcess,
  acknowledged: Map<string, Sent[]>,
): Promise<void> => {
  const { base_url, workspace, producer } = service.ready;
  const token = await bearer(base_url, producer);
  const one = async (correlation_id: string): Promise<void> => {
    for (;;) {
      const message = linkCommitted({ correlation_id });
      const text = JSON.stringify(message);
      const answer = await post(`${base_url}/tenants/${workspace}/messages`, token, text).catch(
        () => undefined,
      );
      if (!answer) return;
      if (answer.status === 202) {
        acknowledged.get(correlation_id)?.push({ messageId: String(message['message_id']), text });
      }
    }
  };
  await Promise.all([...acknowledged.keys()].map(one));
};

const count = (acknowledged: Map<string, Sent[]>): number => [...acknowledged.values()].flat().length;

/** Resolves once `more` further messages were acknowledged. */
const progressed = async (acknowledged: Map<string, Sent[]>, more: number): Promise<void> => {
  const target = count(acknowledged) + more;
  while (count(acknowledged) < target) await new Promise(setImmediate);
};

interface Pulled {
  readonly message_id: string;
  readonly correlation_id: string;
  readonly receipt_handle: string;
  readonly envelope: unknown;
}

const pullAll = async ({ ready }: ServiceProcess): Promise<Pulled[]> => {
  const { base_url, workspace, consumer } = ready;
  const token = await bearer(base_url, consumer);
  const queue = `${base_url}/tenants/${workspace}/consumers/${consumer.client_id}`;
  const pulled: Pulled[] = [];
  for (;;) {
    const { body } = await call(`${queue}/messages?max=10`, { headers: { authorization: token } });
    const messages = body['messages'] as Pulled[];
    if (messages.length === 0) return pulled;
    pulled.push(...messages);
    await post(`${queue}/ack`, token, {
      receipt_handles: messages.map(({ receipt_handle }) => receipt_handle),
    });
  }
};

test(`every acknowledged message survives ${kills} kills of the service and is pulled in order`, async () => {
  const folder = temporaryFolder();
  const acknowledged = new Map(
    Array.from({ length: stories }, (_, story): [string, Sent[]] => [correlation(story), []]),
  );
  for (let kill = 0; kill < kills; kill += 1) {
    const service = await startService(folder.path, '--no-limits');
    const publishing = publishUntilGone(service, acknowledged);
    await progressed(acknowledged, 3 + ((kill * 7) % 11));
    await service.stop('SIGKILL');
    await publishing;
  }
  const service = await startService(folder.path, '--no-limits');
  const pulled = await pullAll(service);
  await service.stop();
  folder.remove();
  let published = 0;
  for (const [correlation_id, sent] of acknowledged) {
    const received = pulled.filter(message => message.correlation_id === correlation_id);
    const known = new Set(sent.map(({ messageId }) => messageId));
    expect(received.map(({ message_id }) => message_id).filter(id => known.has(id))).toEqual(
      sent.map(({ messageId }) => messageId),
    );
    for (const { messageId, text } of sent) {
      expect(received.find(({ message_id }) => message_id === messageId)?.envelope).toEqual(JSON.parse(text));
    }
    published += sent.length;
  }
  console.log(`${kills} kills, ${published} acknowledged, ${pulled.length} pulled, 0 lost, 0 out of order`);
}, 170_000);
