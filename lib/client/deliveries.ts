import type { Bounds } from './attempts.ts';
import type { Outside } from './outside.ts';
import type { PulledMessage, PullQuery, Queue, Settled } from './queue.ts';
import type { Refused, TokenRefused } from './verdict.ts';

/** What became of one message: `lost` means that it will be delivered again, and the rule says why. */
export type Settlement =
  | { readonly outcome: 'settled' }
  | { readonly outcome: 'lost'; readonly rule: string; readonly message: string };

/** A message in the hands of its consumer. */
export interface Delivery extends PulledMessage {
  /** Epoch milliseconds: from then on, the bus may deliver it to somebody else. Nothing extends this. */
  readonly expiresAt: number;
  /** Acknowledges it now, with those handled before. Without this, asking for the next message acknowledges it. */
  ack(): Promise<Settlement>;
  /** Returns it, to come again after the delay: before any later message of its correlation_id. */
  release(delaySeconds?: number): Promise<Settlement>;
}

export interface ConsumeOptions {
  /** Messages in one pull, 1 to 10. Default 10. */
  readonly max?: number;
  /** Seconds that a pull waits for a first message, 0 to 20. Default 20. */
  readonly wait?: number;
  /** Seconds in which all messages of a pull must be handled, 10 to 43,200. Default 60. */
  readonly visibility?: number;
  /** Ends when a pull brings nothing. Default: never. */
  readonly untilEmpty?: boolean;
  /** Ends the consumer: what was not handled is released. */
  readonly signal?: AbortSignal;
  /** Hears of each message that was handled but could not be acknowledged: it will be delivered again. */
  onLost?(message: PulledMessage, settlement: Settlement): void;
}

/** The bus refused a call of a consumer: it cannot go on. */
export class ConsumerRefused extends Error {
  override readonly name = 'ConsumerRefused';

  /** Of any copy of this module: `som-bus/testing` has one, and `import` and `require` load two. */
  static override [Symbol.hasInstance](fault: unknown): boolean {
    return fault instanceof Error && fault.name === 'ConsumerRefused';
  }

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

const accepted = <T extends { readonly outcome: string }>(answer: T | Refused | TokenRefused): T => {
  if (answer.outcome === 'refused' || answer.outcome === 'token_refused')
    throw new ConsumerRefused(answer as Refused | TokenRefused); // by its outcome
  return answer as T;
};

const settled: Settlement = { outcome: 'settled' };

const settlementIn = ({ failed }: Settled, { receiptHandle }: PulledMessage): Settlement => {
  const failure = failed.find(one => one.receiptHandle === receiptHandle);
  return failure ? { outcome: 'lost', rule: failure.rule, message: failure.message } : settled;
};

/** What a consumer works with. */
export interface ConsumerParts {
  readonly queue: Queue;
  readonly outside: Outside;
  /** For how long a call may go on. */
  readonly callMilliseconds: number;
}

/** The messages of one pull, from the first to the last that is settled. */
class Batch {
  readonly #parts: ConsumerParts;
  readonly #onLost: ConsumeOptions['onLost'];
  readonly #expiresAt: number;
  readonly #halfTime: number;
  /** Not given to the consumer yet. */
  readonly #waiting: PulledMessage[];
  #current: PulledMessage | undefined;
  /** Handled, but not acknowledged yet. */
  #handled: PulledMessage[] = [];
  readonly #settlements = new Map<PulledMessage, Settlement>();
  /** The correlations whose next message is an earlier one that comes again. */
  readonly #stuck = new Set<string>();

  constructor(parts: ConsumerParts, messages: readonly PulledMessage[], options: ConsumeOptions & PullQuery) {
    const now = parts.outside.now();
    this.#parts = parts;
    this.#onLost = options.onLost;
    this.#waiting = [...messages];
    this.#expiresAt = now + options.visibility * 1000;
    this.#halfTime = now + options.visibility * 500;
  }

  get #bounds(): Bounds {
    return { deadline: this.#parts.outside.now() + this.#parts.callMilliseconds };
  }

  /** The next message to handle; undefined when there is none whose turn it is. */
  async next(): Promise<Delivery | undefined> {
    if (this.#current) this.#handled.push(this.#current);
    this.#current = undefined;
    if (this.#parts.outside.now() >= this.#halfTime) await this.flush();
    // What has expired may be somebody else's by now.
    if (this.#parts.outside.now() >= this.#expiresAt) this.#waiting.length = 0;
    let next = this.#waiting.shift();
    while (next && this.#stuck.has(next.correlationId)) next = this.#waiting.shift();
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
        if (!this.#settlements.has(message)) this.#handled.push(message);
        await this.flush();
        return this.#settlements.get(message) ?? settled;
      },
      release: async (delaySeconds = 0) => {
        if (isCurrent()) this.#current = undefined;
        await this.flush();
        this.#stuck.add(message.correlationId);
        const answer = await this.#parts.queue.nack([message.receiptHandle], delaySeconds, this.#bounds);
        return settlementIn(accepted(answer), message);
      },
    };
  }

  /** Acknowledges what was handled. */
  async flush(): Promise<void> {
    const handled = this.#handled;
    this.#handled = [];
    if (handled.length === 0) return;
    const handles = handled.map(({ receiptHandle }) => receiptHandle);
    const answer = accepted(await this.#parts.queue.ack(handles, this.#bounds));
    for (const message of handled) this.#note(message, settlementIn(answer, message));
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
    await this.flush();
    const handles = ours.map(({ receiptHandle }) => receiptHandle);
    if (handles.length > 0 && this.#parts.outside.now() < this.#expiresAt)
      await this.#parts.queue.nack(handles, 0, this.#bounds);
  }
}

/**
 * The messages of a queue, one at a time, in order per correlation_id. Asking for the next message acknowledges the one before;
 * leaving the loop, by `break` or a fault, releases it with all that was not handled.
 *
 * @throws ConsumerRefused when the bus refuses a call
 */
export async function* deliveries(
  parts: ConsumerParts,
  given: ConsumeOptions = {},
): AsyncGenerator<Delivery, void, void> {
  const options = { max: 10, wait: 20, visibility: 60, ...given };
  const { signal } = options;
  let batch: Batch | undefined;
  try {
    while (!signal?.aborted) {
      const deadline = parts.outside.now() + parts.callMilliseconds;
      const { messages } = accepted(await parts.queue.pull(options, { deadline, signal }));
      batch = new Batch(parts, messages, options);
      for (let next = await batch.next(); next && !signal?.aborted; next = await batch.next()) yield next;
      if (signal?.aborted) return;
      await batch.flush();
      if (messages.length === 0 && options.untilEmpty) return;
    }
  } catch (fault) {
    if (!signal?.aborted) throw fault;
  } finally {
    // A fault that ended the loop says more than one of cleaning up; what is not settled comes again.
    await batch?.leave().catch(() => undefined);
  }
}
