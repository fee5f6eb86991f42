import { type Attempt, type Bounds, NoResponse, passing } from './attempts.ts';
import type { Outside } from './outside.ts';
import {
  afterLimit,
  afterPull,
  afterRequest,
  defaultRequestsPerMinute,
  type Pace,
  paceFrom,
  pauseBefore,
} from './pace.ts';
import type { Pulled, PulledMessage, PullQuery, Queue, Settled } from './queue.ts';
import { isNamed, type Refused, type TokenRefused, UnexpectedResponse } from './verdict.ts';

/**
 * The result for one message. `lost`: it will be delivered again, and the rule says why.
 * `uncertain`: the bus did not answer, so it may be delivered again.
 */
export type Settlement =
  | { readonly outcome: 'settled' }
  | { readonly outcome: 'lost'; readonly rule: string; readonly message: string }
  | { readonly outcome: 'uncertain'; readonly message: string };

export interface Delivery extends PulledMessage {
  /**
   * Epoch milliseconds: from then on, the bus may deliver it to another program. It counts from
   * when the pull was sent, so a wait for the message is part of it. Nothing extends it.
   */
  readonly expiresAt: number;
  /**
   * Acknowledges it now, with those handled before. Without this, it is acknowledged later,
   * together with others: see `consume`.
   */
  ack(): Promise<Settlement>;
  /** Returns it, to come again after the delay: before any later message of its correlation_id. */
  release(delaySeconds?: number): Promise<Settlement>;
}

export interface ConsumeOptions {
  /** Messages in one pull, 1 to 10. Default 10. */
  readonly max?: number;
  /**
   * Seconds that a pull waits for a first message, 0 to 20; never more than half of `visibility`.
   * Default 20.
   */
  readonly wait?: number;
  /**
   * Seconds from sending a pull in which all its messages must be handled, 10 to 43,200.
   * Default 60.
   */
  readonly visibility?: number;
  /**
   * Ends when a pull brings nothing, or when a call finds no bus within its deadline. Default:
   * never.
   */
  readonly untilEmpty?: boolean;
  /**
   * Pulls and acknowledgements a minute, of the 600 that all systems behind one address share. A
   * message comes at once while there is budget; then several come together. Each message costs a
   * fiftieth of a request. A consumer whose messages are old goes up to four times as fast.
   * Default 40; Infinity for a bus without limits.
   */
  readonly requestsPerMinute?: number;
  /** Ends the consumer: what was not handled is released. */
  readonly signal?: AbortSignal;
  /**
   * Called for each message that was handled but not acknowledged: it will, or may, be delivered
   * again. The loop continues.
   */
  onLost?(message: PulledMessage, settlement: Settlement): void;
  /**
   * Called when the bus begins to refuse requests for a while, such as with 429, or cannot be
   * reached; not again before a request has succeeded. The consumer goes on, more slowly.
   */
  onSlow?(attempt: Attempt): void;
}

/** The bus refused a call of a consumer: it cannot go on. */
export class ConsumerRefused extends Error {
  override readonly name = 'ConsumerRefused';

  static override readonly [Symbol.hasInstance] = isNamed('ConsumerRefused');

  readonly refusal: Refused | TokenRefused;

  constructor(refusal: Refused | TokenRefused) {
    const [rule, words] =
      refusal.outcome === 'refused'
        ? [refusal.violations[0].rule, refusal.violations[0].message]
        : [refusal.error, refusal.description];
    super(`${rule}: ${words}`);
    this.refusal = refusal;
  }
}

const accepted = <T extends { outcome: string }>(response: T | Refused | TokenRefused): T => {
  if (response.outcome === 'refused' || response.outcome === 'token_refused')
    throw new ConsumerRefused(response as Refused | TokenRefused); // by its outcome
  return response as T;
};

/** Whether the bus may serve the same call later: its connection is not what was refused. */
const isPassing = (error: unknown): error is Error => {
  if (error instanceof ConsumerRefused) return passing.has(error.refusal.status);
  if (error instanceof UnexpectedResponse) return passing.has(error.status);
  return error instanceof NoResponse;
};

const settled: Settlement = { outcome: 'settled' };

const settlementIn = ({ failed }: Settled, { receiptHandle }: PulledMessage): Settlement => {
  const failure = failed.find(one => one.receiptHandle === receiptHandle);
  if (failure) return { outcome: 'lost', rule: failure.rule, message: failure.message };
  return settled;
};

/** The results of an ack or a nack; without a response, nobody knows them. */
const settlementsIn = async (
  call: Promise<Settled | Refused | TokenRefused>,
): Promise<(message: PulledMessage) => Settlement> => {
  try {
    const response = accepted(await call);
    return message => settlementIn(response, message);
  } catch (error) {
    if (!isPassing(error)) throw error;
    return () => ({ outcome: 'uncertain', message: error.message });
  }
};

interface ConsumerParts {
  readonly queue: Queue;
  readonly outside: Outside;
  readonly callMilliseconds: number;
}

/** The speed of one consumer: it counts its attempts, and notes what the bus says of them. */
class Speed {
  readonly #outside: Outside;
  readonly #onSlow: ConsumeOptions['onSlow'];
  #pace: Pace;
  #isSlowTold = false;

  constructor(outside: Outside, options: ConsumeOptions) {
    this.#outside = outside;
    this.#onSlow = options.onSlow;
    const { requestsPerMinute = defaultRequestsPerMinute } = options;
    this.#pace = paceFrom(requestsPerMinute, outside.now());
  }

  note = (attempt: Attempt): void => {
    const now = this.#outside.now();
    if (attempt.route !== 'token') this.#pace = afterRequest(this.#pace, now);
    if (attempt.status === 429) this.#pace = afterLimit(this.#pace, now);
    const isSlow = attempt.status === undefined || passing.has(attempt.status);
    if (isSlow && !this.#isSlowTold) this.#tell(attempt);
    this.#isSlowTold = isSlow;
  };

  /** A hook that fails changes nothing for the call. */
  #tell(attempt: Attempt): void {
    const call = async () => this.#onSlow?.(attempt);
    call().catch(() => undefined);
  }

  /** @param lag how old the newest of the messages is, in milliseconds; 0 if no more of them wait */
  notePull(messages: number, lag: number): void {
    this.#pace = afterPull(this.#pace, messages, lag, this.#outside.now());
  }

  pauseBefore(requests: number): number {
    return pauseBefore(this.#pace, requests, this.#outside.now());
  }
}

/**
 * Milliseconds after which what was handled is acknowledged with the next request for a message; at
 * most a tenth of the visibility.
 */
const maxUnacknowledged = 5_000;

/** The messages of one pull, from the first to the last that is settled. */
class Batch {
  readonly #parts: ConsumerParts;
  readonly #speed: Speed;
  readonly #onLost: ConsumeOptions['onLost'];
  readonly #expiresAt: number;
  readonly #halfTime: number;
  readonly #quarterTime: number;
  /** Full pulls before this one, of which something is not acknowledged. */
  #earlier: readonly Batch[];
  readonly #maxUnacknowledged: number;
  /**
   * Epoch milliseconds: from then on, asking for the next message acknowledges all that were
   * handled.
   */
  #acknowledgeAt = Number.POSITIVE_INFINITY;
  readonly #waiting: PulledMessage[];
  #current: PulledMessage | undefined;
  #handled: PulledMessage[] = [];
  readonly #settlements = new Map<PulledMessage, Settlement>();
  /** The correlations whose next message is an earlier one that comes again. */
  readonly #stuck = new Set<string>();

  constructor(
    parts: ConsumerParts,
    speed: Speed,
    { messages, askedAt }: Pulled,
    options: ConsumeOptions & PullQuery,
    earlier: readonly Batch[],
  ) {
    this.#parts = parts;
    this.#speed = speed;
    this.#earlier = earlier;
    this.#onLost = options.onLost;
    this.#waiting = [...messages];
    this.#expiresAt = askedAt + options.visibility * 1000;
    this.#halfTime = askedAt + options.visibility * 500;
    this.#quarterTime = askedAt + options.visibility * 250;
    this.#maxUnacknowledged = Math.min(maxUnacknowledged, options.visibility * 100);
  }

  get #bounds(): Bounds {
    const deadline = this.#parts.outside.now() + this.#parts.callMilliseconds;
    return { deadline, onAttempt: this.#speed.note };
  }

  get #unacknowledged(): readonly Batch[] {
    return [...this.#earlier, this].filter(batch => batch.#handled.length > 0);
  }

  /** How many messages were handled and not acknowledged, in this pull and in those before it. */
  get unacknowledged(): number {
    return this.#unacknowledged.reduce((sum, batch) => sum + batch.#handled.length, 0);
  }

  /** Epoch milliseconds by which they must be acknowledged. */
  get acknowledgeBy(): number {
    return Math.min(...this.#unacknowledged.map(batch => batch.#quarterTime));
  }

  /** Gives what is not acknowledged to the pull after this one. */
  handOver(): readonly Batch[] {
    const batches = this.#unacknowledged;
    this.#earlier = [];
    return batches;
  }

  /** The next message to handle; undefined when there is none whose turn it is. */
  async next(): Promise<Delivery | undefined> {
    if (this.#current) this.#handled.push(this.#current);
    this.#current = undefined;
    const times = this.#earlier.map(batch => batch.#quarterTime);
    if (this.#parts.outside.now() >= Math.min(this.#halfTime, this.#acknowledgeAt, ...times))
      await this.flush();
    // Another program may have what has expired.
    if (this.#parts.outside.now() >= this.#expiresAt) this.#waiting.length = 0;
    let next = this.#waiting.shift();
    while (next && this.#stuck.has(next.correlationId)) next = this.#waiting.shift();
    if (this.#handled.length === 0)
      this.#acknowledgeAt = this.#parts.outside.now() + this.#maxUnacknowledged;
    this.#current = next;
    return next && this.#deliveryOf(next);
  }

  #deliveryOf(message: PulledMessage): Delivery {
    const isCurrent = () => this.#current === message;
    return {
      ...message,
      expiresAt: this.#expiresAt,
      ack: async () => {
        if (isCurrent()) this.#current = undefined;
        const isHandled = this.#handled.includes(message);
        if (this.#isOpen(message) && !isHandled) this.#handled.push(message);
        await this.flush();
        return this.#settlements.get(message) ?? settled;
      },
      release: async (delaySeconds = 0) => {
        if (isCurrent()) this.#current = undefined;
        await this.flush();
        // A message that was acknowledged before does not come again.
        if (this.#isOpen(message)) this.#stuck.add(message.correlationId);
        const call = this.#parts.queue.nack([message.receiptHandle], delaySeconds, this.#bounds);
        return (await settlementsIn(call))(message);
      },
    };
  }

  /** Whether it may come again. */
  #isOpen(message: PulledMessage): boolean {
    return this.#settlements.get(message)?.outcome !== 'settled';
  }

  #takeHandled(): readonly { batch: Batch; message: PulledMessage }[] {
    const handled = this.#handled.map(message => ({ batch: this, message }));
    this.#handled = [];
    return handled;
  }

  /**
   * Acknowledges what was handled, in this pull and in those before it.
   *
   * @returns whether the bus answered
   */
  async flush(): Promise<boolean> {
    const handled = this.handOver().flatMap(batch => batch.#takeHandled());
    if (handled.length === 0) return true;
    const handles = handled.map(({ message }) => message.receiptHandle);
    const settlementOf = await settlementsIn(this.#parts.queue.ack(handles, this.#bounds));
    const settlements = handled.map(({ batch, message }) => {
      const settlement = settlementOf(message);
      batch.#note(message, settlement);
      return settlement;
    });
    return settlements.every(({ outcome }) => outcome !== 'uncertain');
  }

  #note(message: PulledMessage, settlement: Settlement): void {
    this.#settlements.set(message, settlement);
    if (settlement.outcome === 'settled') return;
    this.#stuck.add(message.correlationId);
    this.#onLost?.(message, settlement);
  }

  /** Returns what was not handled, so that it comes again at once. */
  async leave(): Promise<void> {
    const rest = [...(this.#current ? [this.#current] : []), ...this.#waiting];
    const ours = rest.filter(({ correlationId }) => !this.#stuck.has(correlationId));
    this.#current = undefined;
    this.#waiting.length = 0;
    if (!(await this.flush())) return;
    const handles = ours.map(({ receiptHandle }) => receiptHandle);
    if (handles.length > 0 && this.#parts.outside.now() < this.#expiresAt)
      await this.#parts.queue.nack(handles, 0, this.#bounds);
  }
}

/**
 * The bus answers at once when three polls of the connection wait already: idle pulls begin at
 * least this far apart.
 */
const idlePullMilliseconds = 1_000;

/** What the bus asked to wait; otherwise as after an idle pull. */
const retryMilliseconds = (error: Error): number => {
  const refusal = error instanceof ConsumerRefused ? error.refusal : undefined;
  if (refusal?.outcome !== 'refused') return idlePullMilliseconds;
  const { retryAfterSeconds } = refusal;
  if (retryAfterSeconds === undefined) return idlePullMilliseconds;
  return retryAfterSeconds * 1000;
};

/**
 * A wait is part of the time in which a message must be handled: half of that time remains in any
 * case.
 */
const queryOf = (given: ConsumeOptions): ConsumeOptions & PullQuery => {
  const { max = 10, wait = 20, visibility = 60 } = given;
  return { ...given, max, visibility, wait: Math.min(wait, Math.floor(visibility / 2)) };
};

/** How old the newest message of a pull is, in milliseconds. */
const lagOf = ({ messages, askedAt }: Pulled): number =>
  askedAt - Math.max(...messages.map(({ enqueuedAt }) => Date.parse(enqueuedAt)));

/** An ack takes up to 100 handles; what a pull brings must find room. */
const maxHandles = 90;

/**
 * The part of the visibility that a pull may take for itself before an ack is due: 2 s of a minute.
 */
const aheadShare = 1 / 30;

/** One consumer, from pull to pull. */
class Loop {
  readonly #parts: ConsumerParts;
  readonly #options: ConsumeOptions & PullQuery;
  readonly #speed: Speed;
  #batch: Batch | undefined;
  #isFull = false;
  /** More handled messages than these are acknowledged before the next pull. */
  #maxUnacknowledged = maxHandles;
  /** Epoch milliseconds before which no pull begins. */
  #idleUntil = 0;
  isAtEnd = false;

  constructor(parts: ConsumerParts, options: ConsumeOptions & PullQuery) {
    this.#parts = parts;
    this.#options = options;
    this.#speed = new Speed(parts.outside, options);
  }

  async #sleepUntil(time: number): Promise<void> {
    const pause = time - this.#parts.outside.now();
    if (pause > 0) await this.#parts.outside.sleep(pause, this.#options.signal);
  }

  get #unacknowledged(): number {
    return this.#batch?.unacknowledged ?? 0;
  }

  /**
   * An unacknowledged message holds back the later ones of its correlation_id: its ack goes before
   * the pull. After a full pull others wait, and several pulls are acknowledged together.
   */
  async #prepare(): Promise<void> {
    const waiting = this.#unacknowledged;
    const isAckFirst = waiting > 0 && (!this.#isFull || waiting > this.#maxUnacknowledged);
    const now = this.#parts.outside.now();
    const pause = this.#speed.pauseBefore(isAckFirst ? 2 : 1);
    const pullAt = Math.max(now + pause, this.#idleUntil);
    const acknowledgeBy = this.#batch?.acknowledgeBy ?? Number.POSITIVE_INFINITY;
    const pullMilliseconds = this.#options.visibility * aheadShare * 1000;
    const isDue = pullAt + pullMilliseconds >= acknowledgeBy;
    await this.#sleepUntil(Math.min(pullAt, acknowledgeBy));
    if (isAckFirst || isDue) await this.#batch?.flush();
    await this.#sleepUntil(pullAt);
  }

  /** Undefined when the bus cannot be reached now, or serves no more requests for a while. */
  async #pull(): Promise<Pulled | undefined> {
    const { signal, untilEmpty, max, visibility } = this.#options;
    const began = this.#parts.outside.now();
    const isAhead = this.#unacknowledged > 0;
    // What is not acknowledged may hold back all that waits.
    const wait = isAhead ? 0 : this.#options.wait;
    // Nor does its ack wait until a pull gets through.
    const acknowledgeBy = this.#batch?.acknowledgeBy ?? Number.POSITIVE_INFINITY;
    const deadline = Math.min(began + this.#parts.callMilliseconds, acknowledgeBy);
    try {
      const bounds = { deadline, signal, onAttempt: this.#speed.note };
      return accepted(await this.#parts.queue.pull({ max, wait, visibility }, bounds));
    } catch (error) {
      if ((untilEmpty && !isAhead) || !isPassing(error)) throw error;
      this.#idleUntil = this.#parts.outside.now() + retryMilliseconds(error);
      return undefined;
    }
  }

  /** Notes what a pull tells of the queue. */
  #learn(pulled: Pulled): void {
    const { max } = this.#options;
    const count = pulled.messages.length;
    const unacknowledged = this.#unacknowledged;
    const isAhead = unacknowledged > 0;
    if (!isAhead) this.#maxUnacknowledged = Math.min(maxHandles, this.#maxUnacknowledged + 1);
    // All that waits may be held back: next time, so many are acknowledged first.
    if (isAhead && count === 0) this.#maxUnacknowledged = unacknowledged - max;
    const isDrained = !isAhead && count < max;
    if (isDrained) this.#speed.notePull(count, 0);
    else if (count > 0) this.#speed.notePull(count, lagOf(pulled));
    // A consumer that takes one message at a time finds each pull full.
    this.#isFull = max > 1 && count === max;
  }

  /** The messages of the next pull. */
  async next(): Promise<Batch | undefined> {
    await this.#prepare();
    const began = this.#parts.outside.now();
    const pulled = await this.#pull();
    if (pulled === undefined) {
      this.#isFull = false;
      return undefined;
    }
    this.#learn(pulled);
    const isIdle = pulled.messages.length === 0 && this.#unacknowledged === 0;
    this.isAtEnd = this.#options.untilEmpty === true && isIdle;
    this.#idleUntil = isIdle ? began + idlePullMilliseconds : 0;
    const earlier = this.#batch?.handOver() ?? [];
    this.#batch = new Batch(this.#parts, this.#speed, pulled, this.#options, earlier);
    return this.#batch;
  }

  async leave(): Promise<void> {
    await this.#batch?.leave();
  }
}

/**
 * The messages of a queue, as `Bus.consume` promises. Leaving the loop, by `break` or an error,
 * releases the message in hand with all that were not handled.
 *
 * @throws ConsumerRefused when the bus refuses the connection
 */
export async function* deliveries(
  parts: ConsumerParts,
  given: ConsumeOptions = {},
): AsyncGenerator<Delivery, void, void> {
  const options = queryOf(given);
  const { signal } = options;
  const loop = new Loop(parts, options);
  try {
    while (!signal?.aborted && !loop.isAtEnd) {
      const batch = await loop.next();
      if (batch === undefined) continue;
      for (let next = await batch.next(); next && !signal?.aborted; next = await batch.next())
        yield next;
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    // An error that ended the loop says more than one of cleaning up; what is not settled comes
    // again.
    await loop.leave().catch(() => undefined);
  }
}
