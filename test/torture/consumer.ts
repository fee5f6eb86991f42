import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { call, post, type Response } from '../support/http-client.ts';
import { isWorthAnother, unlessKilled } from './answered.ts';
import type { Event } from './compare.ts';
import { type Client, type Stage, tokenOf } from './stage.ts';

interface Pulled {
  readonly message_id: string;
  readonly receipt_handle: string;
  readonly envelope: unknown;
}

/** Pulls in a row that get nothing, of a second each: four times as long as messages are invisible. */
const patience = 40;

/** One consumer, over HTTP. */
class Consumer {
  readonly events: Event[] = [];
  readonly #stage: Stage;
  readonly #client: Client;
  readonly #token: () => Promise<string>;
  readonly #settled = new Set<string>();

  constructor(stage: Stage, client: Client) {
    this.#stage = stage;
    this.#client = client;
    this.#token = tokenOf(stage, client);
  }

  /** Runs until it has settled everything that was acknowledged, or gets nothing any more. */
  async work(): Promise<void> {
    let empty = 0;
    while (!this.#isDone() && empty < patience) {
      const messages = await this.#pull();
      empty = messages.length > 0 || !this.#stage.isOver ? 0 : empty + 1;
      await this.#settle(messages);
    }
  }

  #isDone(): boolean {
    return this.#stage.isOver && [...this.#stage.acknowledged.keys()].every(id => this.#settled.has(id));
  }

  get #queue(): string {
    const { base_url, workspace } = this.#stage.service.ready;
    return `${base_url}/tenants/${workspace}/consumers/${this.#client.client_id}`;
  }

  async #pull(): Promise<readonly Pulled[]> {
    const headers = { authorization: await this.#token() };
    const response = await unlessKilled(
      call(`${this.#queue}/messages?max=10&wait=1&visibility=10`, { headers }),
    );
    if (!isExpected(response, this.#stage)) {
      await this.#stage.started;
      return [];
    }
    const messages = response.body['messages'] as Pulled[];
    for (const { message_id, envelope } of messages) {
      const isSame = (text: string) => text !== '' && isDeepStrictEqual(envelope, JSON.parse(text));
      this.events.push({ kind: 'got', messageId: message_id, isSame });
    }
    return messages;
  }

  /** Acks a batch; nacks the end of every eighth one. */
  async #settle(messages: readonly Pulled[]): Promise<void> {
    const kept = randomInt(8) === 0 ? randomInt(messages.length + 1) : messages.length;
    await this.#ack(messages.slice(0, kept));
    await this.#nack(messages.slice(kept));
  }

  async #ack(messages: readonly Pulled[]): Promise<void> {
    const response = await this.#send('ack', messages);
    const ok = response ? (response.body['ok'] as string[]) : messages.map(one => one.receipt_handle);
    for (const { message_id: messageId, receipt_handle } of messages) {
      if (!ok.includes(receipt_handle)) continue;
      this.events.push({ kind: response ? 'acked' : 'unsure', messageId });
      this.#settled.add(messageId);
    }
  }

  /** Sends a nack again when its response was lost in a kill, as a careful consumer does. */
  async #nack(messages: readonly Pulled[]): Promise<void> {
    for (let tries = 0; tries < 3; tries += 1) {
      if (await this.#send('nack', messages)) return;
      await this.#stage.started;
    }
  }

  /** The response; undefined when it was lost in a kill. */
  async #send(what: 'ack' | 'nack', messages: readonly Pulled[]): Promise<Response | undefined> {
    if (messages.length === 0) return undefined;
    const receipt_handles = messages.map(one => one.receipt_handle);
    const response = await unlessKilled(
      post(`${this.#queue}/${what}`, await this.#token(), { receipt_handles }),
    );
    return isExpected(response, this.#stage) ? response : undefined;
  }
}

const isExpected = (response: Response | undefined, stage: Stage): response is Response => {
  if (isWorthAnother(response, stage)) return false;
  if (response?.status !== 200)
    throw new Error(`A consumer was refused with ${response?.status}: ${JSON.stringify(response?.body)}`);
  return true;
};

/** Pulls, acks and nacks until everything is settled; responds with what happened. */
export const consume = async (stage: Stage, client: Client): Promise<readonly Event[]> => {
  const consumer = new Consumer(stage, client);
  await consumer.work();
  return consumer.events;
};
