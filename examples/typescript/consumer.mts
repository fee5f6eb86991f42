import { connect, type Delivery, fromEnvironment } from 'som-bus/client';

// Receives until the queue is empty, and keeps the latest snapshot of each story: node consumer.mts

const bus = connect(fromEnvironment(process.env));

// A real consumer keeps both in a database.
const handled = new Set<string>();
const latest = new Map<string, number>();

/** Whether a message is newer than the snapshot that we have. */
const isNews = ({ message }: Delivery): boolean => {
  if (message.message_type !== 'story.context') return true;
  const { story_id, sequence_number } = message.payload;
  if (sequence_number < (latest.get(story_id) ?? -1)) return false;
  latest.set(story_id, sequence_number);
  return true;
};

for await (const delivery of bus.consume({ wait: 1, untilEmpty: true })) {
  const { messageId, messageType } = delivery;
  try {
    if (!handled.has(messageId) && isNews(delivery)) console.log(messageType, messageId);
    handled.add(messageId);
  } catch (error) {
    // Check receiveCount too: a message that keeps failing needs a person.
    console.error(`failed ${messageId}`, error);
    await delivery.release(30);
  }
}
