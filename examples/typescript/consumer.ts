import { connect, giveUp } from './client.ts';

// Receives until the queue is empty, and keeps the latest snapshot of each story: node consumer.ts

interface Received {
  readonly receipt_handle: string;
  readonly message_id: string;
  readonly message_type: string;
  readonly correlation_id: string;
  readonly envelope: { readonly payload: { readonly story_id: string; readonly sequence_number: number } };
}

const { clientId, call } = connect();

const called = async (path: string, body?: object) => {
  const answer = await call(`consumers/${clientId}/${path}`, body && JSON.stringify(body));
  if (answer.status !== 200) giveUp(`${answer.status} ${answer.text}`);
  return JSON.parse(answer.text) as { readonly messages: readonly Received[] };
};

// A real consumer keeps both in a database.
const handled = new Set<string>();
const latest = new Map<string, number>();

/** Whether a message is newer than the snapshot that we have. */
const isNews = ({ message_type, envelope }: Received): boolean => {
  if (message_type !== 'story.context') return true;
  const { story_id, sequence_number } = envelope.payload;
  if (sequence_number < (latest.get(story_id) ?? -1)) return false;
  latest.set(story_id, sequence_number);
  return true;
};

const handle = (message: Received): void => {
  if (handled.has(message.message_id)) return;
  if (isNews(message)) console.log(message.message_type, message.message_id);
  handled.add(message.message_id);
};

for (;;) {
  const { messages } = await called('messages?max=10&wait=1');
  if (messages.length === 0) break;
  const done: string[] = [];
  const failed: string[] = [];
  const stuck = new Set<string>();
  for (const message of messages) {
    try {
      // Messages of one correlation_id stay in order.
      if (!stuck.has(message.correlation_id)) handle(message);
    } catch (fault) {
      // Check receive_count too: a message that keeps failing needs a person.
      console.error(`failed ${message.message_id}`, fault);
      stuck.add(message.correlation_id);
    }
    (stuck.has(message.correlation_id) ? failed : done).push(message.receipt_handle);
  }
  if (done.length > 0) await called('ack', { receipt_handles: done });
  if (failed.length > 0) await called('nack', { receipt_handles: failed, delay_seconds: 30 });
}
