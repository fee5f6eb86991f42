// node:test: node --test story.test.mjs
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startBus } from 'som-bus/testing';

let bus;
let producer;
let consumer;

before(async () => {
  bus = await startBus();
  producer = await bus.producer({ systems: ['mam'], grants: ['delivery.media_available'] });
  consumer = await bus.consumer({ receives: ['delivery.*'] });
});
after(() => bus.close());

const delivery = () =>
  producer.compose({
    message_type: 'delivery.media_available',
    payload: {
      message_type: 'delivery.media_available',
      delivery_id: crypto.randomUUID(),
      asset_id: 'clip-1',
      locator: { store: 'mam', ref: 'clips/1' },
      arrived_in: 'mam',
      arrived_at: new Date().toISOString(),
    },
  });

test('media that arrived is announced', async () => {
  const message = delivery();
  assert.equal((await producer.publish(message)).outcome, 'accepted');
  const { messageId } = await bus.expect(consumer, { payload: { asset_id: 'clip-1' } });
  assert.equal(messageId, message.message_id);
});

test('a message that nobody acknowledged comes again', async () => {
  await producer.publish(delivery());
  await consumer.pull({ visibility: 60 });
  await bus.clock.advance('61s');
  const { receiveCount } = await bus.expect(consumer, { message_type: 'delivery.media_available' });
  assert.equal(receiveCount, 2);
});
