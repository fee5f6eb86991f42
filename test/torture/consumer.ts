import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { call, post, type Response } from '../support/http-client.ts';
import type { Event } from './compare.ts';
import { type Client, isWorthAnother, type Stage, tokenOf, unlessKilled } from './stage.ts';

interface Pulled {
  readonly message_id: string;
  readonly receipt_handle: string;
  readonly envelope: unknown;
}

/** A consumer's calls; each returns undefined if its response was lost in a kill. */
const callsOf = (stage: Stage, client: Client) => {
  const token = tokenOf(stage, client);
  const queue = () => {
    const { base_url, workspace } = stage.service.ready;
    return `${base_url}/tenants/${workspace}/consumers/${client.client_id}`;
  };
  const responded = async (sending: Promise<Response>): Promise<Response | undefined> => {
    const response = await unlessKilled(sending);
    if (response === undefined || isWorthAnother(response, stage)) return undefined;
    if (response.status === 200) return response;
    throw new Error(
      `A consumer was refused with ${response.status}: ${JSON.stringify(response.body)}`,
    );
  };
  return {
    async pull() {
      const headers = { authorization: await token() };
      const response = await responded(
        call(`${queue()}/messages?max=10&wait=1&visibility=10`, { headers }),
      );
      return response?.body['messages'] as readonly Pulled[] | undefined;
    },
    async settle(what: 'ack' | 'nack', messages: readonly Pulled[]) {
      const receipt_handles = messages.map(one => one.receipt_handle);
      return responded(post(`${queue()}/${what}`, await token(), { receipt_handles }));
    },
  };
};

/**
 * Pulls in a row that get nothing, of a second each: four times as long as messages are invisible.
 */
const patience = 40;

/**
 * Pulls, acks and nacks until everything that was acknowledged to the producers is settled, or
 * nothing comes any more; returns what happened.
 */
export const consume = async (stage: Stage, client: Client): Promise<readonly Event[]> => {
  const events: Event[] = [];
  const settled = new Set<string>();
  const { pull, settle } = callsOf(stage, client);
  const ack = async (messages: readonly Pulled[]) => {
    const response = await settle('ack', messages);
    const ok = response
      ? (response.body['ok'] as string[])
      : messages.map(one => one.receipt_handle);
    for (const { message_id: messageId } of messages.filter(one =>
      ok.includes(one.receipt_handle),
    )) {
      events.push({ kind: response ? 'acked' : 'unsure', messageId });
      settled.add(messageId);
    }
  };
  /** Again if its response was lost in a kill, as a careful consumer does. */
  const nack = async (messages: readonly Pulled[]) => {
    for (let tries = 0; tries < 3 && !(await settle('nack', messages)); tries += 1)
      await stage.started;
  };
  const isDone = () => stage.isOver && [...stage.acknowledged.keys()].every(id => settled.has(id));
  for (let empty = 0; !isDone() && empty < patience; ) {
    const messages = await pull();
    if (!messages) await stage.started;
    for (const { message_id: messageId, envelope } of messages ?? []) {
      const isSame = (text: string) => text !== '' && isDeepStrictEqual(envelope, JSON.parse(text));
      events.push({ kind: 'got', messageId, isSame });
    }
    empty = messages?.length || !stage.isOver ? 0 : empty + 1;
    if (!messages?.length) continue;
    // The end of every eighth batch is nacked.
    const kept = randomInt(8) === 0 ? randomInt(messages.length + 1) : messages.length;
    if (kept > 0) await ack(messages.slice(0, kept));
    if (kept < messages.length) await nack(messages.slice(kept));
  }
  return events;
};
