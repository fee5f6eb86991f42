/** A time such as `250ms`, `5s`, `15m`, `2h` or `7d`; a number counts milliseconds. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** What goes wrong for one connection. Each member is off unless it is given. */
export interface Faults {
  /** A consumer: each message comes twice. */
  readonly duplicate?: boolean;
  /** A consumer: each message comes this much later, in the same order. */
  readonly delay?: Duration;
  /** A consumer: messages are held back, until this ends. Then they come in their order. */
  readonly hold?: boolean;
  /** A consumer: each message comes once more, this much later, whatever came in between. */
  readonly redeliver?: Duration;
  /** The next requests are refused, and nothing is done. */
  readonly refuse?: {
    readonly status: 429 | 503;
    readonly times?: number;
    /** Seconds that `Retry-After` says. */
    readonly retryAfter?: number;
  };
  /** The responses to so many requests are lost, after the bus has done what they ask for. */
  readonly loseResponses?: number;
  readonly slow?: Duration;
}
