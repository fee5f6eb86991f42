import { connect } from '../../../lib/kit/client/index.ts';
import type { RoleConnections, RoleMessage } from '../../../lib/kit/newsroom/actor.ts';
import type { Day, Time } from '../../../lib/kit/newsroom/day.ts';
import { playDay } from '../../../lib/kit/newsroom/play.ts';
import { type RoleName, roleNames } from '../../../lib/kit/newsroom/roles.ts';
import { startBus, type TestBus } from '../../../lib/local/testing/index.ts';

/** A newsroom on a bus of its own, whose time passes as fast as the bus can follow. */
export interface Stage {
  readonly bus: TestBus;
  /** Plays a day to its end, or to that of the process. */
  play(options: PlayOptions): Promise<readonly RoleMessage[]>;
}

interface PlayOptions {
  readonly day: Day;
  readonly without?: readonly RoleName[];
  readonly speed?: number;
  /** The process is killed after so many calls that change something. */
  readonly diesAfter?: number;
}

/** A time that passes when the test says so. */
export class TurnedTime implements Time {
  readonly now: () => number;
  #waiting: { readonly due: number; wake(): void }[] = [];

  constructor(now: () => number) {
    this.now = now;
  }

  sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = () => reject(signal?.reason);
      const wake = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      signal?.addEventListener('abort', stop, { once: true });
      this.#waiting.push({ due: this.now() + milliseconds, wake });
    });

  /** When the next one wakes; undefined if nobody sleeps. */
  get nextDue(): number | undefined {
    return this.#waiting.sort((one, other) => one.due - other.due)[0]?.due;
  }

  /** Wakes those whose time has come, or only the first of them. */
  wake(max = Number.POSITIVE_INFINITY): void {
    const due = this.#waiting.filter(one => one.due <= this.now()).slice(0, max);
    this.#waiting = this.#waiting.filter(one => !due.includes(one));
    for (const { wake } of due) wake();
  }
}

/**
 * A process that dies in the middle of its work: its connections break, and nothing in it goes on.
 */
class Mortal {
  #callsLeft: number;
  #pending = 0;
  readonly #death = new AbortController();

  constructor(calls: number) {
    this.#callsLeft = calls;
  }

  get isDead(): boolean {
    return this.#death.signal.aborted;
  }

  /** Whether a call other than a poll is under way. */
  get isBusy(): boolean {
    return this.#pending > 0;
  }

  /**
   * Counts what changes something. Of the last such call, the bus does what it asks for; the
   * response is lost.
   */
  fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const isPoll = url.includes('/messages?');
    this.#pending += isPoll ? 0 : 1;
    const response = await this.#response(url, init);
    this.#pending -= isPoll ? 0 : 1;
    return response;
  };

  async #response(url: string, init: RequestInit): Promise<Response> {
    if (init.method === 'POST' && !url.endsWith('/token')) this.#callsLeft -= 1;
    if (this.isDead) return new Promise(() => undefined);
    const { signal } = this.#death;
    const gone = init.signal ? AbortSignal.any([init.signal, signal]) : signal;
    const response = await fetch(url, { ...init, signal: gone }).catch((error: unknown) => {
      if (signal.aborted) return new Promise<never>(() => undefined);
      throw error;
    });
    if (this.#callsLeft < 0) this.#death.abort();
    return this.isDead ? new Promise(() => undefined) : response;
  }
}

const never = new AbortController().signal;

const connectionsOf = (
  bus: TestBus,
  name: RoleName,
  time: Time,
  process: Mortal,
): RoleConnections => {
  const outside = { ...time, timeout: () => never, fetch: process.fetch };
  const as = (kind: 'producer' | 'consumer') =>
    connect({ ...bus.connection(name, kind).options, outside });
  return { producer: as('producer'), consumer: as('consumer') };
};

export const newsroomStage = async (): Promise<Stage> => {
  const bus = await startBus({ connections: 'examples/newsroom.yaml' });
  return {
    bus,
    async play({ day, without = [], speed = 600, diesAfter = Number.POSITIVE_INFINITY }) {
      const told: RoleMessage[] = [];
      const time = new TurnedTime(() => bus.clock.now().getTime());
      const process = new Mortal(diesAfter);
      const names = roleNames.filter(name => !without.includes(name));
      const roles = new Map(names.map(name => [name, connectionsOf(bus, name, time, process)]));
      let isOver = false;
      const report = (one: RoleMessage) => void told.push(one);
      const playing = playDay({ day, speed, roles, time, signal: never, report }).finally(() => {
        isOver = true;
      });
      while (!isOver && !process.isDead) {
        await bus.clock.advance('1s');
        time.wake();
        // What the bus has sent by then arrives before its next response.
        do await fetch(`${bus.baseUrl}/health`);
        while (process.isBusy && !isOver && !process.isDead);
      }
      if (!process.isDead) await playing;
      return told;
    },
  };
};
