import assert from 'node:assert/strict';
import { connect } from '../../lib/kit/client/index.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import type { Run, World } from './world.ts';

const clientOf = (
  { baseUrl, workspace }: World,
  { client_id, client_secret }: World['producer'],
  deadline: number,
) =>
  connect({
    baseUrl,
    workspace,
    clientId: client_id,
    clientSecret: client_secret,
    deadline,
  });

const timestamp = () => new Date().toISOString();

interface Amount {
  /** Messages of three stories. */
  readonly links: number;
  /** How often at most the consumer asks for them. */
  readonly pulls: number;
  /** How long a call keeps trying, in milliseconds. */
  readonly deadline: number;
}

/** What a producer and a consumer do all day, with the client that vendors use. */
export const day = async (
  { checks }: Run,
  world: World,
  { links, pulls, deadline }: Amount = { links: 12, pulls: 40, deadline: 20_000 },
): Promise<void> => {
  checks.step("A day's traffic");
  const [producer, consumer] = [
    clientOf(world, world.producer, deadline),
    clientOf(world, world.consumer, deadline),
  ];
  const sent: string[] = [];
  await checks.check(`${links} messages of three stories are accepted`, async () => {
    const correlations = [1, 2, 3].map(() => String(linkCommitted()['correlation_id']));
    for (let count = 0; count < links; count += 1) {
      const correlation_id = correlations[count % correlations.length];
      const message = linkCommitted({ timestamp: timestamp(), correlation_id });
      const verdict = await producer.publish(JSON.stringify(message));
      assert.equal(verdict.outcome, 'accepted', JSON.stringify(verdict));
      sent.push(String(message['message_id']));
    }
  });
  await checks.check(
    'a story goes from its first snapshot to its second, and back is refused',
    async () => {
      const first = storyContext({ updated_at: timestamp() }, { timestamp: timestamp() });
      const payload = first['payload'] as object;
      const snapshot = (sequence_number: number) => ({
        ...storyContext({ ...payload, sequence_number }, { timestamp: timestamp() }),
        correlation_id: first['correlation_id'],
      });
      const kinds = [];
      for (const message of [first, snapshot(2), snapshot(1)])
        kinds.push((await producer.publish(JSON.stringify(message))).outcome);
      assert.deepEqual(kinds, ['accepted', 'accepted', 'refused']);
    },
  );
  await checks.check(
    'the consumer sees its backlog, returns one message, and acknowledges all',
    async () => {
      const backlog = await consumer.backlog();
      assert.equal(backlog.outcome, 'backlog', JSON.stringify(backlog));
      const wanted = new Set(sent);
      let hasReturned = false;
      for (let count = 0; count < pulls && wanted.size > 0; count += 1) {
        const pulled = await consumer.pull({ max: 10, wait: 5 });
        assert.equal(pulled.outcome, 'pulled', JSON.stringify(pulled));
        const { messages } = pulled as Extract<typeof pulled, { outcome: 'pulled' }>;
        const handles = messages.map(({ receiptHandle }) => receiptHandle);
        if (!hasReturned && handles.length > 0) {
          hasReturned = true;
          const returned = await consumer.nack(handles, { delaySeconds: 0 });
          assert.equal(returned.outcome, 'settled', JSON.stringify(returned));
          continue;
        }
        if (handles.length === 0) continue;
        const settled = await consumer.ack(handles);
        assert.equal(settled.outcome, 'settled', JSON.stringify(settled));
        for (const { messageId } of messages) wanted.delete(messageId);
      }
      assert.ok(hasReturned, 'nothing was pulled');
      assert.deepEqual([...wanted], []);
    },
  );
  await checks.check('the registrations of the consumer are read', async () => {
    const found = await consumer.registrations();
    assert.equal(found.outcome, 'registrations', JSON.stringify(found));
  });
  checks.count('messages', sent.length + 2);
};
