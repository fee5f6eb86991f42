import type { Duration, Faults } from '../../contract/faults.ts';
import type { Bus, ConnectOptions, PulledMessage } from '../../kit/client/index.ts';

/**
 * What a message must look like: the members that are named, as deep as they are named; `{}` is any
 * message. A list must have the same length. In the place of a value may stand a function that says
 * whether it is right, or a matcher of jest or vitest such as `expect.any(String)`.
 */
export type Matcher =
  | { readonly [member: string]: unknown }
  | ((message: PulledMessage['message']) => boolean);

export interface BusOptions {
  /** Where the data is kept. Default: in memory. What an earlier bus left there is removed. */
  readonly folder?: string;
  /** A file as `sombus connections apply` takes it: its connections are there from the start. */
  readonly connections?: string;
  /** Whether rate limits and quotas are enforced. Default: no. */
  readonly limits?: boolean;
  /** The tier of all connections, with `limits`. Default: high. */
  readonly tier?: 'minimal' | 'standard' | 'high';
  readonly print?: (line: string) => void;
}

/**
 * A connection of a test bus: a client, and what other programs need to connect.
 * `consume({ untilEmpty: true })` ends without a wait.
 */
export interface TestConnection extends Bus {
  readonly id: string;
  readonly secret: string;
  readonly options: Pick<ConnectOptions, 'baseUrl' | 'workspace' | 'clientId' | 'clientSecret'>;
}

export interface ProducerOptions {
  /** The systems that it may send as; composed messages come from the first. Default: its app. */
  readonly systems?: readonly string[];
  /** The message types that it may send, such as `story.context` or `telling.*`. Default: all. */
  readonly grants?: readonly string[];
  /** Default: a new one. */
  readonly app?: string;
}

export interface ConsumerOptions {
  /** The message types that it gets. Default: all. */
  readonly receives?: readonly string[];
  /** The systems whose messages it gets. Default: all. */
  readonly sources?: readonly string[];
  /** Default: a new one. */
  readonly app?: string;
}

export interface TestBus {
  /** Ends in `/v1/`. */
  readonly baseUrl: string;
  readonly portalUrl: string;
  readonly workspace: string;
  producer(options?: ProducerOptions): Promise<TestConnection>;
  consumer(options?: ConsumerOptions): Promise<TestConnection>;
  /** The producer or consumer of an entry of the file that the bus was started with. */
  connection(name: string, kind: 'producer' | 'consumer'): TestConnection;
  /**
   * The consumer's next message that matches. It is acknowledged, and so are those before it, which
   * later calls still see.
   *
   * @throws Error that says what came instead, and where the closest message differs
   */
  expect(
    consumer: TestConnection,
    matcher: Matcher,
    options?: { within?: Duration },
  ): Promise<PulledMessage>;
  /**
   * Replaces what goes wrong for a connection; `{}` ends it, and sends what was held back or
   * delayed.
   *
   * @throws TypeError when there is no such fault, or not for this kind of connection
   */
  faults(connection: TestConnection, faults: Faults): void;
  readonly clock: {
    now(): Date;
    /**
     * Turns the time of everything forward: tokens, secrets, visibility, quotas, the archive, and
     * the clients. Never back.
     */
    advance(duration: Duration): Promise<void>;
  };
  /** Forgets all messages and faults. Connections and the time stay. */
  reset(): Promise<void>;
  /** Ends the bus, and the loops of its consumers. */
  close(): Promise<void>;
}
