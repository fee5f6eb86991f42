// Receives until the queue is empty, and keeps the newest snapshot of each story.
import { account, tokens } from './client.ts';

interface Received {
  readonly receipt_handle: string;
  readonly message_id: string;
  readonly message_type: string;
  readonly envelope: { readonly payload: Readonly<Record<string, unknown>> };
}

const of = account();
const token = tokens(of);
const queue = `${of.baseUrl}/tenants/${of.workspace}/consumers/${of.clientId}`;

const call = async (path: string, body?: object): Promise<Readonly<Record<string, unknown>>> => {
  const headers = { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' };
  const response = await fetch(
    `${queue}/${path}`,
    body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
  );
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
};

/** A real consumer keeps both where they outlive the process. */
const handled = new Set<string>();
const newest = new Map<string, number>();

const handle = ({ message_id, message_type, envelope: { payload } }: Received): void => {
  if (handled.has(message_id)) return;
  const story = String(payload['story_id']);
  const sequence = Number(payload['sequence_number']);
  const isNews = message_type !== 'story.context' || sequence > (newest.get(story) ?? -1);
  if (message_type === 'story.context' && isNews) newest.set(story, sequence);
  if (isNews) console.log(message_type, message_id);
  handled.add(message_id);
};

const main = async (): Promise<void> => {
  for (;;) {
    const messages = (await call('messages?max=10&wait=1'))['messages'] as readonly Received[];
    if (messages.length === 0) return;
    for (const message of messages) handle(message);
    await call('ack', { receipt_handles: messages.map(({ receipt_handle }) => receipt_handle) });
  }
};

void main();
