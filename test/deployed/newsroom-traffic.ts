import assert from 'node:assert/strict';
import { connect } from '../../lib/kit/client/index.ts';
import { linkCommitted } from '../support/messages.ts';
import { tokenOf } from './tokens.ts';
import type { Client, World } from './world.ts';

type Place = Pick<World, 'baseUrl' | 'workspace'>;

/** How long a call of the client keeps trying, in milliseconds. */
const deadline = 30_000;

const busAs = ({ baseUrl, workspace }: Place, client: Client) =>
  connect({
    baseUrl,
    workspace,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    deadline,
  });

/** A message of a correlation of its own. */
export const newMessage = () => linkCommitted({ timestamp: new Date().toISOString() });

type Message = ReturnType<typeof newMessage>;

/** One publish, without the client's patience. */
export const publishOnce = async (place: Place, client: Client, message: Message) => {
  const token = await tokenOf(place.baseUrl, client);
  return publishWithToken(place, token, message);
};

export const publishWithToken = ({ baseUrl, workspace }: Place, token: string, message: Message) =>
  fetch(`${baseUrl}/tenants/${workspace}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(message),
  });

/** Publishes with the client until the bus accepts it. */
export const publishPatiently = async (
  place: Place,
  client: Client,
  message: Message,
): Promise<void> => {
  const verdict = await busAs(place, client).publish(JSON.stringify(message));
  assert.equal(verdict.outcome, 'accepted', JSON.stringify(verdict));
};

/** Pulls and acknowledges until these messages came. @throws Error if one does not come */
export const expectArrival = async (
  place: Place,
  client: Client,
  messages: readonly Message[],
): Promise<void> => {
  const bus = busAs(place, client);
  const missing = new Set(messages.map(({ message_id }) => String(message_id)));
  for (let pulls = 0; pulls < 30 && missing.size > 0; pulls += 1) {
    const pulled = await bus.pull({ max: 10, wait: 5 });
    assert.equal(pulled.outcome, 'pulled', JSON.stringify(pulled));
    const { messages: came } = pulled as Extract<typeof pulled, { outcome: 'pulled' }>;
    if (came.length === 0) continue;
    const settled = await bus.ack(came.map(({ receiptHandle }) => receiptHandle));
    assert.equal(settled.outcome, 'settled', JSON.stringify(settled));
    for (const { messageId } of came) missing.delete(messageId);
  }
  assert.deepEqual([...missing], []);
};
