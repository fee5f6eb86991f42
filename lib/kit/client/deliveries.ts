import { type Bounds, NoResponse } from './attempts.ts';
import type { Outside } from './outside.ts';
import type { Pulled, PulledMessage, PullQuery, Queue, Settled } from './queue.ts';
import { isNamed, type Refused, type TokenRefused } from './verdict.ts';

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
  /** Ends when a pull brings nothing. Default: never. */
  readonly untilEmpty?: boolean;
  /** Ends the consumer: what was not handled is released. */
  readonly signal?: AbortSignal;
  /**
   * Called for each message that was handled but not acknowledged: it will, or may, be delivered
   * again. The loop continues.
   */
  onLost?(message: PulledMessage, settlement: Settlement): void;
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

const accepted = <T extends { readonly outcome: string }>(
  response: T | Refused | TokenRefused,
): T => {
  if (response.outcome === 'refused' || response.outcome === 'token_refused')
    throw new ConsumerRefused(response as Refused | TokenRefused); // by its outcome
  return response as T;
};

const settled: Settlement = { outcome: 'settled' };

const settlementIn = ({ failed }: Settled, { receiptHandle }: PulledMessage): Settlement => {
  const failure = failed.find(one => one.receiptHandle === receiptHandle);
  return failure ? { outcome: 'lost', rule: failure.rule, message: failure.message } : settled;
};

/** The results of an ack or a nack; without a response, nobody knows them. */
const settlementsIn = async (
  call: Promise<Settled | Refused | TokenRefused>,
): Promise<(message: PulledMessage) => Settlement> => {
  try {
    const response = accepted(await call);
    return message => settlementIn(response, message);
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    return () => ({ outcome: 'uncertain', message: error.message });
  }
};

export interface ConsumerParts {
  readonly queue: Queue;
  readonly outside: Outside;
  readonly callMilliseconds: number;
}

/**
 * Milliseconds after which what was handled is acknowledged with the next request for a message; at
 * most a tenth of the visibility.
 */
const maxUnacknowledged = 5_000;

/** The messages of one pull, from the first to the last that is settled. */
class Batch {
  readonly #parts: ConsumerParts;
  readonly #onLost: ConsumeOptions['onLost'];
  readonly #expiresAt: number;
  readonly #halfTime: number;
  readonly #maxUnacknowledged: number;
  /**
   * Epoch milliseconds: from then on, asking for the next message acknowledges all that were
   * handled.
   */
  #acknowledgeAt = 0;
  readonly #waiting: PulledMessage[];
  #current: PulledMessage | undefined;
  #handled: PulledMessage[] = [];
  readonly #settlements = new Map<PulledMessage, Settlement>();
  /** The correlations whose next message is an earlier one that comes again. */
  readonly #stuck = new Set<string>();

  constructor(
    parts: ConsumerParts,
    { messages, askedAt }: Pulled,
    options: ConsumeOptions & PullQuery,
  ) {
    this.#parts = parts;
    this.#onLost = options.onLost;
    this.#waiting = [...messages];
    this.#expiresAt = askedAt + options.visibility * 1000;
    this.#halfTime = askedAt + options.visibility * 500;
    this.#maxUnacknowledged = Math.min(maxUnacknowledged, options.visibility * 100);
  }

  get #bounds(): Bounds {
    return { deadline: this.#parts.outside.now() + this.#parts.callMilliseconds };
  }

  /** The next message to handle; undefined when there is none whose turn it is. */
  async next(): Promise<Delivery | undefined> {
    if (this.#current) this.#handled.push(this.#current);
    this.#current = undefined;
    if (this.#parts.outside.now() >= Math.min(this.#halfTime, this.#acknowledgeAt))
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

  /** Acknowledges what was handled. @returns whether the bus answered */
  async flush(): Promise<boolean> {
    const handled = this.#handled;
    this.#handled = [];
    if (handled.length === 0) return true;
    const handles = handled.map(({ receiptHandle }) => receiptHandle);
    const settlementOf = await settlementsIn(this.#parts.queue.ack(handles, this.#bounds));
    for (const message of handled) this.#note(message, settlementOf(message));
    return handled.every(message => this.#settlements.get(message)?.outcome !== 'uncertain');
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

/**
 * A wait is part of the time in which a message must be handled: half of that time remains in any
 * case.
 */
const queryOf = (given: ConsumeOptions): ConsumeOptions & PullQuery => {
  const { max = 10, wait = 20, visibility = 60 } = given;
  return { ...given, max, visibility, wait: Math.min(wait, Math.floor(visibility / 2)) };
};

/**
 * The messages of a queue, as `Bus.consume` promises. Leaving the loop, by `break` or an error,
 * releases the message in hand with all that were not handled.
 *
 * @throws ConsumerRefused when the bus refuses a call
 */
export async function* deliveries(
  parts: ConsumerParts,
  given: ConsumeOptions = {},
): AsyncGenerator<Delivery, void, void> {
  const options = queryOf(given);
  const { signal } = options;
  let batch: Batch | undefined;
  try {
    while (!signal?.aborted) {
      const began = parts.outside.now();
      const deadline = began + parts.callMilliseconds;
      const pulled = accepted(await parts.queue.pull(options, { deadline, signal }));
      batch = new Batch(parts, pulled, options);
      for (let next = await batch.next(); next && !signal?.aborted; next = await batch.next())
        yield next;
      if (signal?.aborted) return;
      await batch.flush();
      if (pulled.messages.length > 0) continue;
      if (options.untilEmpty) return;
      const pause = began + idlePullMilliseconds - parts.outside.now();
      if (pause > 0) await parts.outside.sleep(pause, signal);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    // An error that ended the loop says more than one of cleaning up; what is not settled comes
    // again.
    await batch?.leave().catch(() => undefined);
  }
}
