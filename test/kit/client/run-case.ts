import { isDeepStrictEqual } from 'node:util';
import type * as client from '../../../lib/kit/client/index.ts';
import type { Case, FlowItem, Step } from './case-table.ts';
import { start, VirtualTime } from './virtual-time.ts';

type Client = typeof client;

const account = {
  baseUrl: 'https://bus.example/v1',
  workspace: 'wnewsroom2345',
  clientId: 'cproducer2345',
  clientSecret: 'sbs_secret',
};
const system = { system_id: 'demo-ncs', system_type: 'ncs' } as const;

/** Names in the table's spelling. */
const snake = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(snake);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.map(([name, inner]) => [
      name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
      snake(inner),
    ]),
  );
};

class Mismatch extends Error {}

const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
  if (!isDeepStrictEqual(actual, expected))
    throw new Mismatch(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
};

const bytesOf = (body: unknown): Buffer =>
  typeof body === 'string'
    ? Buffer.from(body)
    : Buffer.from((body as Uint8Array | undefined) ?? []);

/** The bus's side of a step, which checks the client's. */
class Script {
  readonly #time: VirtualTime;
  readonly #began: number;
  readonly #clientId: string;
  readonly #flow: FlowItem[];
  #bytes: Buffer | undefined;
  /** Rejects at the first thing that should not happen. */
  readonly broken: Promise<never>;
  #break: (error: unknown) => void = () => undefined;

  constructor(time: VirtualTime, clientId: string, { flow = [] }: Step) {
    this.#time = time;
    this.#began = time.now();
    this.#clientId = clientId;
    this.#flow = [...flow];
    this.broken = new Promise((_resolve, reject) => {
      this.#break = reject;
    });
    this.broken.catch(() => undefined);
  }

  /** The next item, if `check` takes it. Otherwise nothing goes on. */
  async take(what: string, check: (item: FlowItem) => void): Promise<FlowItem> {
    try {
      const item = this.#flow.shift();
      if (item === undefined) throw new Mismatch(`${what}: nothing more should happen`);
      check(item);
      if (item.at !== undefined) this.isAt(item.at, what);
      return item;
    } catch (error) {
      this.#break(error);
      return new Promise(() => undefined);
    }
  }

  isAt(seconds: number, what: string): void {
    const milliseconds = this.#time.now() - this.#began;
    if (Math.abs(milliseconds - seconds * 1000) > 1)
      throw new Mismatch(`${what}: at ${milliseconds / 1000} s instead of ${seconds} s`);
  }

  end(): void {
    expectEqual('what did not happen', this.#flow, []);
  }

  fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const what = `${init.method ?? 'GET'} ${new URL(url).pathname}`;
    const {
      response = 'lost',
      after_seconds = 0,
      byte_seconds,
    } = await this.take(what, item => this.#check(url, init, item));
    const signal = init.signal ?? new AbortController().signal;
    this.#time.pass(after_seconds * 1000);
    if (response === 'silent') await this.#time.passUntil(signal);
    signal.throwIfAborted();
    if (response === 'lost' || response === 'silent') throw new TypeError('fetch failed');
    if (response === 'cut')
      return new Response(new ReadableStream({ start: stream => stream.error(new Error('cut')) }));
    const text = response.text ?? JSON.stringify(response.json);
    const body = byte_seconds === undefined ? text : this.#dripping(text, byte_seconds, signal);
    return new Response(body, { status: response.status, headers: response.headers ?? {} });
  };

  /** A body that comes byte by byte. */
  #dripping(text: string, seconds: number, signal: AbortSignal): ReadableStream<Uint8Array> {
    const bytes = [...Buffer.from(text)];
    return new ReadableStream({
      pull: stream => {
        this.#time.pass(seconds * 1000);
        const byte = bytes.shift();
        if (signal.aborted) stream.error(signal.reason);
        else if (byte === undefined) stream.close();
        else stream.enqueue(Uint8Array.of(byte));
      },
    });
  }

  #check(url: string, init: RequestInit, { request }: FlowItem): void {
    const queue = `/v1/tenants/${account.workspace}/consumers/${this.#clientId}`;
    const routes = {
      token: 'POST /v1/oauth/token',
      publish: `POST /v1/tenants/${account.workspace}/messages`,
      validate: `POST /v1/tenants/${account.workspace}/validate`,
      pull: `GET ${queue}/messages`,
      ack: `POST ${queue}/ack`,
      nack: `POST ${queue}/nack`,
      backlog: `GET ${queue}/backlog`,
      skills: `GET ${queue}/skills`,
    };
    const { origin, pathname, search } = new URL(url);
    expectEqual('origin', origin, 'https://bus.example');
    expectEqual('request', `${init.method ?? 'GET'} ${pathname}`, request && routes[request.route]);
    const headers = new Headers(init.headers);
    if (request?.token)
      expectEqual('token', headers.get('authorization'), `Bearer ${request.token}`);
    for (const [name, value] of Object.entries(request?.headers ?? {}))
      expectEqual(name, headers.get(name), value);
    if (request?.query !== undefined) expectEqual('query', search.slice(1), request.query);
    expectEqual('redirect', init.redirect, 'manual');
    this.#checkBody(bytesOf(init.body), request);
  }

  #checkBody(bytes: Buffer, request: FlowItem['request']): void {
    if (request?.json !== undefined)
      expectEqual('body', JSON.parse(bytes.toString()), request.json);
    if (request?.text !== undefined) expectEqual('body', bytes.toString(), request.text);
    if (request?.base64 !== undefined)
      expectEqual('body', bytes.toString('base64'), request.base64);
    if (request?.route !== 'publish') return;
    this.#bytes ??= bytes;
    expectEqual('bytes of a retry', bytes.toString('base64'), this.#bytes.toString('base64'));
  }
}

class HandlerFailed extends Error {}

/** A client under test, with everything outside it. */
class World {
  readonly #client: Client;
  readonly #time = new VirtualTime();
  readonly #bus: client.Bus;
  readonly #clientId: string;
  #script: Script;
  #attempts: unknown[] = [];
  #before: client.Delivery | undefined;
  #random = 0;

  constructor(client: Client, { client: given = {}, random = 0.5 }: Case) {
    const { client_id, client_secret, deadline_seconds, hook_fails } = given;
    const { publishes_per_minute } = given;
    this.#client = client;
    this.#clientId = String(client_id ?? account.clientId);
    this.#script = new Script(this.#time, this.#clientId, { do: 'wait' });
    this.#bus = client.connect({
      ...account,
      ...(given['system'] === null ? {} : { system }),
      ...(deadline_seconds === undefined ? {} : { deadline: Number(deadline_seconds) * 1000 }),
      ...(publishes_per_minute === undefined
        ? {}
        : { publishesPerMinute: Number(publishes_per_minute) }),
      clientId: this.#clientId,
      clientSecret: String(client_secret ?? account.clientSecret),
      onAttempt: attempt => {
        this.#attempts.push(this.#noted(attempt));
        if (hook_fails) throw new Error('The hook fails.');
      },
      outside: {
        now: this.#time.now,
        sleep: this.#time.sleep,
        timeout: this.#time.timeout,
        random: () => random,
        randomBytes: count => Uint8Array.from({ length: count }, () => this.#random++ % 256),
        fetch: (url, init) => this.#script.fetch(url, init),
      },
    });
  }

  #noted({ error, milliseconds, retryInMilliseconds, ...facts }: client.Attempt): unknown {
    const seconds =
      retryInMilliseconds === undefined ? {} : { retry_in_seconds: retryInMilliseconds / 1000 };
    return {
      ...(snake(facts) as object),
      ...(error === undefined ? {} : { error: true }),
      ...seconds,
    };
  }

  async run(step: Step): Promise<void> {
    this.#attempts = [];
    this.#script = new Script(this.#time, this.#clientId, step);
    await Promise.race([this.#act(step), this.#script.broken]);
    this.#script.end();
    if (step.attempts) expectEqual('attempts', this.#attempts, step.attempts);
    if (step.ends_at !== undefined) this.#script.isAt(step.ends_at, 'the end');
  }

  #act(step: Step): Promise<void> {
    if (step.do === 'consume') return this.#consume(step);
    if (step.do === 'compose') return this.#judge(step, async () => this.#compose(step));
    if (step.do === 'together') return this.#together(step);
    if (step.do === 'backlog' || step.do === 'registrations')
      return this.#judge(step, () =>
        this.#look(step, step.do === 'backlog' ? 'backlog' : 'registrations'),
      );
    if (step.do === 'wait') return this.#time.sleep((step.seconds ?? 0) * 1000);
    return this.#judge(step, async () => {
      const options = { ...this.#signalOf(step), ...this.#deadlineOf(step) };
      const message = step.base64
        ? Buffer.from(step.base64, 'base64')
        : (step.text ?? (step.message as never));
      const verdict = await this.#bus[step.do === 'validate' ? 'validate' : 'publish'](
        message,
        options,
      );
      expectEqual('verdict', snake(verdict), step.verdict);
    });
  }

  #signalOf({ stop_after_seconds: seconds }: Step) {
    return seconds === undefined ? {} : { signal: this.#time.timeout(seconds * 1000, 'aborted') };
  }

  #deadlineOf({ deadline_seconds: seconds }: Step) {
    return seconds === undefined ? {} : { deadline: seconds * 1000 };
  }

  async #compose({ draft, message }: Step): Promise<void> {
    const composed = this.#bus.compose(draft as never);
    if (message) expectEqual('message', JSON.parse(JSON.stringify(composed)), message);
  }

  async #together({ messages = [], deadlines_seconds = [], verdicts }: Step): Promise<void> {
    const calls = messages.map((message, index) => {
      const seconds = deadlines_seconds[index];
      const options = seconds === undefined ? {} : { deadline: seconds * 1000 };
      return this.#bus.publish(message as never, options).then(snake, error => this.#kindOf(error));
    });
    expectEqual('verdicts', await Promise.all(calls), verdicts);
  }

  async #look({ found }: Step, what: 'backlog' | 'registrations'): Promise<void> {
    expectEqual('found', snake(await this.#bus[what]()), found);
  }

  async #judge({ error, attempts_made }: Step, work: () => Promise<void>): Promise<void> {
    const failure = await work().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (failure instanceof Mismatch || (failure !== undefined && error === undefined))
      throw failure;
    expectEqual('error', this.#kindOf(failure), error);
    if (attempts_made !== undefined)
      expectEqual('attempts', (failure as client.NoResponse).attempts, attempts_made);
  }

  #kindOf(error: unknown): string | undefined {
    if (error === undefined) return undefined;
    if (error instanceof this.#client.NoResponse) return 'unanswered';
    if (error instanceof this.#client.UnexpectedResponse) return 'unexpected_response';
    if (error instanceof TypeError) return 'wrong_use';
    return error instanceof Error ? error.message : String(error);
  }

  async #consume(step: Step): Promise<void> {
    const lost: string[] = [];
    let slow = 0;
    const { until_empty, requests_per_minute, ...query } = step.options ?? {};
    const options = {
      ...query,
      ...(requests_per_minute === undefined
        ? {}
        : { requestsPerMinute: Number(requests_per_minute) }),
      ...this.#signalOf(step),
      untilEmpty: until_empty === true,
      onLost: ({ messageId }: client.PulledMessage) => void lost.push(messageId),
      onSlow: () => {
        slow += 1;
      },
    };
    expectEqual('the end', await this.#endOf(step, options), step.ends);
    expectEqual('lost', lost, step.lost ?? []);
    if (step.slow !== undefined) expectEqual('slow', slow, step.slow);
  }

  async #endOf(step: Step, options: client.ConsumeOptions): Promise<Step['ends']> {
    try {
      for await (const delivery of this.#bus.consume(options))
        if (!(await this.#handle(delivery))) return 'left';
      return step.stop_after_seconds === undefined ? 'empty' : 'stopped';
    } catch (error) {
      if (error instanceof HandlerFailed) return 'failed';
      if (error instanceof this.#client.NoResponse) return 'unanswered';
      if (error instanceof this.#client.UnexpectedResponse) return 'unexpected_response';
      if (!(error instanceof this.#client.ConsumerRefused)) throw error;
      const { refusal } = error;
      return {
        refused: refusal.outcome === 'refused' ? refusal.violations[0].rule : refusal.error,
      };
    }
  }

  async #settle(delivery: client.Delivery, { then, delay_seconds }: FlowItem): Promise<unknown> {
    if (then === 'ack_before') return this.#before?.ack();
    if (then?.startsWith('ack')) return delivery.ack();
    if (then === 'release') return delivery.release(delay_seconds);
    return then === 'release_before' ? this.#before?.release() : undefined;
  }

  /** Whether to go on. */
  async #handle(delivery: client.Delivery): Promise<boolean> {
    const item = await this.#script.take(
      `delivery of ${delivery.messageId}`,
      ({ deliver, text }) => {
        expectEqual('delivered', delivery.messageId, deliver);
        if (text !== undefined) expectEqual('text', delivery.text, text);
      },
    );
    this.#time.pass((item.takes_seconds ?? 0) * 1000);
    if (item.then === 'fail') throw new HandlerFailed();
    const settlement = await this.#settle(delivery, item);
    this.#before = delivery;
    if (item.settlement) expectEqual('settlement', snake(settlement), item.settlement);
    return !item.then?.endsWith('leave');
  }
}

/** Runs one row. @returns what was wrong; undefined when nothing was */
export const runCase = async (client: Client, row: Case): Promise<string | undefined> => {
  try {
    const world = new World(client, row);
    for (const step of row.steps) await world.run(step);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

export { start };
