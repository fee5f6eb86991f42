import { pull } from '../../lib/consuming/pull.ts';
import { limits } from '../../lib/contract/limits.ts';
import { consumer, pullPorts, sentByBus } from './pull-ports.ts';

const options = { max: 10, waitSeconds: 0, visibilitySeconds: 60 };

/** A pull of one message, whose handle at the queue has so many characters. */
const pulled = async (characters: number) => {
  const message = { ...sentByBus, receiptHandle: 'x'.repeat(characters) };
  const { ports, saved } = pullPorts([message]);
  const [only] = await pull(ports)(consumer, options);
  return { handle: only?.receiptHandle ?? '', saved, queueHandle: message.receiptHandle };
};

test('a handle of the usual length is carried by the receipt, and nothing is stored', async () => {
  const { handle, saved, queueHandle } = await pulled(400);
  expect(handle).toContain(queueHandle);
  expect(saved()).toEqual([]);
});

test('the longest handle that a queue may give is kept, so that the receipt can be sent back', async () => {
  const { handle, saved, queueHandle } = await pulled(1_024);
  expect(handle.length).toBeLessThanOrEqual(limits.receiptHandleCharacters);
  expect(saved()).toMatchObject([{ handles: [queueHandle] }]);
});
