import { countRequest } from '../../lib/bus/tokens/issue-token.ts';
import { windows } from '../../lib/contract/limits.ts';
import { type Bus, type ConsumeOptions, connect } from '../../lib/kit/client/index.ts';
import { type InFlight, PacedQueue, visibilitySeconds } from './paced-queue.ts';
import { Random } from './random.ts';
import { Scheduler } from './scheduler.ts';

/** Consumers and a producer with the official client, behind one address. Time is virtual. */
export interface HousePlan {
  readonly seed: number;
  readonly consumers: number;
  readonly minutes: number;
  readonly perSecond: number;
  /** So many more at once, every ten minutes. */
  readonly burst?: number;
  /** How many correlations the messages belong to, in turn. Default 20. */
  readonly correlations?: number;
  /** Of each consumer. Default: as the client has it. */
  readonly requestsPerMinute?: number;
  /** Of the producer. Default: as the client has it. */
  readonly publishesPerMinute?: number;
  /** Requests in a minute that the bus serves. Default: what it allows an address. */
  readonly allowed?: number;
  /** The share of requests of which the response is lost. */
  readonly lost?: number;
  /** The share of requests that are refused with 429 although there is room. */
  readonly refused?: number;
  /** A consumer dies so often, and starts again half a minute later. */
  readonly crashEveryMinutes?: number;
}

/** What was seen. Times in milliseconds. */
export interface HouseFigures {
  /** When each request was sent, also those that were refused or got no response. */
  readonly requests: readonly number[];
  /** By the limit of the address. */
  readonly refused: number;
  readonly accepted: number;
  /** The verdicts of publishes that were not accepted. */
  readonly notAccepted: readonly string[];
  readonly pulls: number;
  /** How many messages each pull brought that brought any. */
  readonly pulled: readonly number[];
  /** How long pulls waited at the bus while the day went on. */
  readonly waitedSeconds: number;
  readonly acks: number;
  readonly publishTimes: readonly number[];
  /** From accepted to delivered for the first time, for each message and consumer. */
  readonly lags: readonly number[];
  /** Messages that were accepted and never delivered, counted for each consumer. */
  readonly undelivered: number;
  /** Deliveries of a message before the one before it in its correlation was handled. */
  readonly outOfOrder: number;
  /** Messages acknowledged later than a quarter of their visibility. */
  readonly lateAcks: number;
  /** Why consumers ended. */
  readonly ended: readonly unknown[];
}

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly retryAfterSeconds?: number;
}

const minute = 60_000;
const begin = Date.UTC(2026, 4, 4, 9);
/** Of each request, there and back. */
const latency = 20;
const crashMilliseconds = 30_000;

const refusal = (rule: string, retryAfterSeconds: number): Answer => ({
  status: 429,
  body: { accepted: false, violations: [{ source: 'policy', rule, message: rule }] },
  retryAfterSeconds,
});

const responseOf = ({ status, body, retryAfterSeconds }: Answer): Response => {
  const seconds = retryAfterSeconds === undefined ? null : String(retryAfterSeconds);
  const headers = { get: (name: string) => (name === 'retry-after' ? seconds : null) };
  // What the client reads of a response; a real one would take most of the simulation's time.
  return { status, headers, text: async () => JSON.stringify(body) } as unknown as Response;
};

/** One consumer's program. It may die, and start again. */
class Program {
  readonly index: number;
  readonly queue: PacedQueue;
  /** Messages that it handled, by correlation. */
  readonly handled = new Map<string, number>();
  readonly #begun = new Set<string>();
  life = 0;

  constructor(index: number, queue: PacedQueue) {
    this.index = index;
    this.queue = queue;
  }

  /** Whether a message is new to it. */
  begins(messageId: string): boolean {
    const isNew = !this.#begun.has(messageId);
    this.#begun.add(messageId);
    return isNew;
  }

  get handledMessages(): number {
    return [...this.handled.values()].reduce((sum, count) => sum + count, 0);
  }
}

class House {
  readonly #plan: HousePlan;
  readonly #random: Random;
  readonly #scheduler: Scheduler;
  readonly #programs: readonly Program[];
  #recent: readonly number[] = [];
  readonly #positions = new Map<string, number>();
  readonly #acceptedAt = new Map<string, number>();
  readonly #acknowledgeBy = new Map<string, number>();
  readonly #requests: number[] = [];
  readonly #publishTimes: number[] = [];
  readonly #lags: number[] = [];
  readonly #ended: unknown[] = [];
  readonly #notAccepted: string[] = [];
  #refused = 0;
  #pulls = 0;
  readonly #pulled: number[] = [];
  #waitedMilliseconds = 0;
  #acks = 0;
  #outOfOrder = 0;
  #lateAcks = 0;
  #isFaulty = true;

  constructor(plan: HousePlan) {
    this.#plan = plan;
    this.#random = new Random(plan.seed);
    this.#scheduler = new Scheduler(this.#random, begin);
    this.#programs = Array.from(
      { length: plan.consumers },
      (_, index) => new Program(index, new PacedQueue(this.#scheduler)),
    );
  }

  get #figures(): HouseFigures {
    const handled = this.#programs.reduce((sum, program) => sum + program.handledMessages, 0);
    const accepted = this.#acceptedAt.size;
    return {
      requests: this.#requests,
      refused: this.#refused,
      accepted,
      notAccepted: this.#notAccepted,
      pulls: this.#pulls,
      pulled: this.#pulled,
      waitedSeconds: this.#waitedMilliseconds / 1000,
      acks: this.#acks,
      publishTimes: this.#publishTimes,
      lags: this.#lags,
      undelivered: accepted * this.#programs.length - handled,
      outOfOrder: this.#outOfOrder,
      lateAcks: this.#lateAcks,
      ended: this.#ended,
    };
  }

  async run(): Promise<HouseFigures> {
    for (const program of this.#programs) this.#start(program);
    const { crashEveryMinutes } = this.#plan;
    if (crashEveryMinutes !== undefined) void this.#crash(crashEveryMinutes * minute);
    await this.#scheduler.run(this.#day(), 10_000_000);
    return this.#figures;
  }

  async #day(): Promise<void> {
    const { minutes, perSecond, burst = 0 } = this.#plan;
    const producer = this.#connect('producer', () => false);
    const publishes: Promise<void>[] = [];
    let number = 0;
    const publish = (): void => {
      number += 1;
      publishes.push(this.#publish(producer, number));
    };
    for (let sent = 0; sent < minutes * 60 * perSecond; sent += 1) {
      await this.#sleepUntil(begin + (sent * 1000) / perSecond);
      publish();
      const isBurst = sent % (600 * perSecond) === 300 * perSecond;
      for (let more = 0; isBurst && more < burst; more += 1) publish();
    }
    await Promise.all(publishes);
    this.#isFaulty = false;
    await this.#sleepUntil(this.#scheduler.now + 5 * minute);
  }

  async #sleepUntil(time: number): Promise<void> {
    await this.#scheduler.sleep(time - this.#scheduler.now);
  }

  async #publish(producer: Bus, number: number): Promise<void> {
    const { correlations = 20 } = this.#plan;
    const message = { message_id: `m${number}`, correlation_id: `c${number % correlations}` };
    const sentAt = this.#scheduler.now;
    const { outcome } = await producer.publish(JSON.stringify(message), { deadline: 10 * minute });
    this.#publishTimes.push(this.#scheduler.now - sentAt);
    if (outcome !== 'accepted' && outcome !== 'duplicate') this.#notAccepted.push(outcome);
  }

  async #crash(everyMilliseconds: number): Promise<void> {
    for (;;) {
      await this.#scheduler.sleep(everyMilliseconds);
      if (!this.#isFaulty) return;
      const program = this.#random.pick(this.#programs);
      program.life += 1;
      await this.#scheduler.sleep(crashMilliseconds);
      this.#start(program);
    }
  }

  #start(program: Program): void {
    this.#consume(program).then(
      () => this.#ended.push('without an error'),
      (error: unknown) => this.#ended.push(error),
    );
  }

  async #consume(program: Program): Promise<void> {
    const { life } = program;
    const bus = this.#connect(`consumer${program.index}`, () => program.life !== life);
    const { requestsPerMinute } = this.#plan;
    const options: ConsumeOptions = {
      visibility: visibilitySeconds,
      ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    };
    for await (const { messageId, correlationId, receiptHandle } of bus.consume(options)) {
      const handled = program.handled.get(correlationId) ?? 0;
      const position = this.#positions.get(messageId) ?? 0;
      if (position > handled) this.#outOfOrder += 1;
      const acceptedAt = this.#acceptedAt.get(messageId) ?? 0;
      if (program.begins(messageId)) this.#lags.push(this.#scheduler.now - acceptedAt);
      program.handled.set(correlationId, Math.max(handled, position + 1));
      const handledAt = this.#scheduler.now;
      const key = `${program.index} ${receiptHandle}`;
      this.#acknowledgeBy.set(key, Math.max(handledAt, this.#acknowledgeBy.get(key) ?? 0));
    }
  }

  /** @param isGone whether the program that has the connection is dead */
  #connect(clientId: string, isGone: () => boolean): Bus {
    const { publishesPerMinute } = this.#plan;
    const bytes = (count: number) => this.#random.bytes(count);
    return connect({
      baseUrl: 'https://bus.example/v1',
      workspace: 'wnewsroom2345',
      clientId,
      clientSecret: 'sbs_secret',
      ...(publishesPerMinute === undefined ? {} : { publishesPerMinute }),
      outside: {
        now: () => this.#scheduler.now,
        sleep: milliseconds => this.#scheduler.sleep(milliseconds),
        timeout: () => new AbortController().signal,
        random: () => this.#random.next(),
        randomBytes: bytes,
        fetch: (url, init) => this.#fetch(url, init, isGone),
      },
    });
  }

  async #fetch(url: string, init: RequestInit, isGone: () => boolean): Promise<Response> {
    // A dead program sends nothing, and hears nothing.
    if (isGone()) return new Promise(() => undefined);
    this.#requests.push(this.#scheduler.now);
    this.#noteAck(url, init);
    const answer = await this.#answer(new URL(url), init, isGone);
    await this.#scheduler.sleep(latency);
    if (isGone()) return new Promise(() => undefined);
    if (this.#hits(this.#plan.lost)) throw new TypeError('The response is lost.');
    return responseOf(answer);
  }

  /** When messages are acknowledged for the first time: a repeat may be late. */
  #noteAck(url: string, init: RequestInit): void {
    const [, index] = /consumer(\d+)\/ack$/.exec(url) ?? [];
    if (index === undefined) return;
    this.#acks += 1;
    const handles: readonly string[] = JSON.parse(String(init.body)).receipt_handles;
    for (const handle of handles) {
      const key = `${index} ${handle}`;
      const by = this.#acknowledgeBy.get(key);
      if (by !== undefined && this.#scheduler.now > by + latency) this.#lateAcks += 1;
      this.#acknowledgeBy.delete(key);
    }
  }

  #hits(share = 0): boolean {
    return this.#isFaulty && this.#random.chance(share);
  }

  #limit(): Answer | undefined {
    const { allowed = windows.anyRoutePerAddress.requests } = this.#plan;
    const window = { requests: allowed, seconds: windows.anyRoutePerAddress.seconds };
    const counted = countRequest(window, this.#recent, this.#scheduler.now);
    this.#recent = counted.times;
    if (counted.allowed) return undefined;
    this.#refused += 1;
    return refusal('rate.limited', Math.max(1, Math.ceil(counted.waitMilliseconds / 1000)));
  }

  async #answer(url: URL, init: RequestInit, isGone: () => boolean): Promise<Answer> {
    const limited = this.#limit();
    if (limited) return limited;
    if (this.#hits(this.#plan.refused)) return refusal('rate.limited', 1 + this.#random.below(10));
    const body = String(init.body ?? '');
    const { pathname, searchParams } = url;
    if (pathname.endsWith('/token'))
      return { status: 200, body: { access_token: 't', expires_in: 3600 } };
    const [, index] = /consumer(\d+)/.exec(pathname) ?? [];
    if (index === undefined) return this.#accept(JSON.parse(body));
    const program = this.#programs[Number(index)];
    if (!program) throw new Error(`There is no consumer ${index}.`);
    if (pathname.endsWith('/messages')) return this.#pull(program, searchParams, isGone);
    const handles: readonly string[] = JSON.parse(body).receipt_handles;
    if (pathname.endsWith('/ack')) return this.#ack(program, handles);
    program.queue.release(handles);
    return { status: 200, body: { ok: handles, failed: [] } };
  }

  #accept({ message_id, correlation_id }: Record<'message_id' | 'correlation_id', string>): Answer {
    if (this.#acceptedAt.has(message_id))
      return { status: 202, body: { accepted: true, message_id, duplicate: true } };
    const number = this.#acceptedAt.size;
    this.#acceptedAt.set(message_id, this.#scheduler.now);
    const count = `of ${correlation_id}`;
    const position = this.#positions.get(count) ?? 0;
    this.#positions.set(count, position + 1);
    this.#positions.set(message_id, position);
    const message = { number, messageId: message_id, correlationId: correlation_id };
    for (const { queue } of this.#programs) queue.put(message);
    return { status: 202, body: { accepted: true, message_id } };
  }

  async #pull(
    { index, queue }: Program,
    query: URLSearchParams,
    isGone: () => boolean,
  ): Promise<Answer> {
    this.#pulls += 1;
    const askedAt = this.#scheduler.now;
    const [max, wait] = [Number(query.get('max')), Number(query.get('wait'))];
    const taken = await queue.pull(max, wait * 1000, isGone);
    if (taken.length > 0) this.#pulled.push(taken.length);
    if (this.#isFaulty) this.#waitedMilliseconds += this.#scheduler.now - askedAt;
    for (const { handle } of taken)
      this.#acknowledgeBy.set(`${index} ${handle}`, askedAt + visibilitySeconds * 250);
    return { status: 200, body: { messages: taken.map(one => this.#record(one)) } };
  }

  #record({ message, handle }: InFlight): object {
    const { messageId, correlationId } = message;
    return {
      receipt_handle: handle,
      message_id: messageId,
      message_type: 'story.context',
      correlation_id: correlationId,
      producer_id: 'producer',
      system_id: 'demo-ncs',
      enqueued_at: new Date(this.#acceptedAt.get(messageId) ?? 0).toISOString(),
      receive_count: 1,
      envelope: {},
    };
  }

  #ack({ queue }: Program, handles: readonly string[]): Answer {
    const failed = queue.ack(handles);
    return {
      status: 200,
      body: {
        ok: handles.filter(handle => !failed.includes(handle)),
        failed: failed.map(receipt_handle => ({
          receipt_handle,
          rule: 'receipt.expired',
          message: 'Expired.',
        })),
      },
    };
  }
}

export const simulateHouse = (plan: HousePlan): Promise<HouseFigures> => new House(plan).run();

/** The most requests in any minute. */
export const busiestMinute = (requests: readonly number[]): number => {
  const times = [...requests].sort((one, other) => one - other);
  let first = 0;
  let most = 0;
  for (const [index, time] of times.entries()) {
    while ((times[first] ?? time) <= time - minute) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
};

export const percentileOf = (values: readonly number[], percent: number): number => {
  const sorted = [...values].sort((one, other) => one - other);
  const index = Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100));
  return sorted[index] ?? 0;
};
