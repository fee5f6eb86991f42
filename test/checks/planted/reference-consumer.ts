import type { Bus, PulledMessage } from '../../../lib/kit/client/index.ts';

const visibility = 60;

/** A display of stories, as a program that a vendor might have written on the bus's own routes. */
export const referenceConsumer = (
  bus: Pick<Bus, 'pull' | 'ack' | 'nack'>,
  sleep: (milliseconds: number) => Promise<void>,
) => {
  const handled = new Set<string>();
  const returned = new Set<string>();

  /** Shows a story. What it does not know is left aside. */
  const show = async ({ message }: PulledMessage): Promise<void> => {
    const isToReturn = JSON.stringify(message.payload).includes('Return this message once');
    const isBusy = isToReturn && !returned.has(message.message_id);
    returned.add(message.message_id);
    if (isBusy) throw new Error('busy');
    if (message.message_type === 'story.context') {
      const { headline, lifecycle } = message.payload;
      handled.add(`${message.message_id} ${headline} ${lifecycle?.phase}`);
    }
    await sleep(10);
  };

  const take = async (pulled: PulledMessage): Promise<void> => {
    if (!handled.has(pulled.messageId)) await show(pulled);
    handled.add(pulled.messageId);
    await bus.ack([pulled.receiptHandle]);
  };

  /** Returns a message. */
  const release = async ({ receiptHandle }: PulledMessage): Promise<void> => {
    await bus.nack([receiptHandle], { delaySeconds: 5 });
  };

  return {
    /** One pull, and the work with what it brings. */
    async turn(): Promise<void> {
      const response = await bus.pull({ max: 10, wait: 20, visibility });
      const messages = response.outcome === 'pulled' ? response.messages : [];
      const stuck = new Set<string>();
      for (const one of messages) {
        try {
          if (stuck.has(one.correlationId)) await release(one);
          else await take(one);
        } catch {
          stuck.add(one.correlationId);
          await release(one);
        }
      }
    },
  };
};
