import { pull } from '../../lib/consuming/pull.ts';
import { consumer, pullPorts, sentByBus } from './pull-ports.ts';

const options = { max: 10, waitSeconds: 0, visibilitySeconds: 60 };

/** A pull of two messages of one correlation, whose receipts cannot be saved. */
const unsaved = (release: () => Promise<readonly string[]>) => {
  const { ports } = pullPorts([sentByBus, { ...sentByBus, receiptHandle: 'h2', messageId: 'm2' }]);
  const released: unknown[] = [];
  const inbox = {
    ...ports.inbox,
    release: (...call: unknown[]) => {
      released.push(call);
      return release();
    },
  };
  const save = () => Promise.reject(new Error('The table left writes unprocessed.'));
  const receipts = { ...ports.receipts, save };
  return { released, pulled: pull({ ...ports, inbox, receipts })(consumer, options) };
};

describe('a pull whose receipts cannot be saved', () => {
  test('fails after it has returned its messages, the last one first', async () => {
    let freed = false;
    const { released, pulled } = unsaved(async () => {
      freed = true;
      return [];
    });
    await expect(pulled).rejects.toThrow('unprocessed');
    expect(freed).toBe(true);
    expect(released).toEqual([[consumer.queue, ['h2', 'h1'], 0]]);
  });

  test('fails for that reason even if they cannot be returned either', async () => {
    const { pulled } = unsaved(() => Promise.reject(new Error('socket hang up')));
    await expect(pulled).rejects.toThrow('unprocessed');
  });
});
