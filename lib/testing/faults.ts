import { queueName } from '../contract/environments.ts';
import type { RouteId } from '../contract/routes.ts';
import type { Operation } from '../engines/aws-json/server.ts';
import { apiRefusal } from '../http/answer.ts';
import { proxyResult } from '../http/respond.ts';
import { textOf } from '../json/value.ts';
import type { ProxyHandler } from '../wiring/function.ts';
import type { Faults } from './api.ts';
import { milliseconds, type TurnableClock } from './clock.ts';

/** The faults of one connection, and what they have brought about. */
interface State {
  faults: Faults;
  refusals: number;
  losses: number;
  /** Sends that wait, in their order. */
  held: (() => void)[];
  /** When the last delayed message is due. */
  lastDue: number;
}

type Handlers = Readonly<Record<RouteId, ProxyHandler>>;

const rules = { 429: 'rate.limited', 503: 'registry.unavailable' } as const;

/** The faults of all connections of a bus. */
export class FaultInjector {
  readonly #clock: TurnableClock;
  readonly #states = new Map<string, State>();
  readonly #lost = new Set<string>();

  constructor(clock: TurnableClock) {
    this.#clock = clock;
  }

  /** Replaces the faults of a connection. */
  set(connection: string, faults: Faults): void {
    const { held, lastDue } = this.#states.get(connection) ?? { held: [], lastDue: 0 };
    const refusals = faults.refuse ? (faults.refuse.times ?? 1) : 0;
    const state: State = { faults, refusals, losses: faults.loseAnswers ?? 0, held, lastDue };
    this.#states.set(connection, state);
    if (!faults.hold) for (const send of state.held.splice(0)) send();
  }

  /** Ends all faults; messages that wait are dropped. */
  clear(): void {
    this.#states.clear();
    this.#lost.clear();
  }

  /** The functions, with what goes wrong before and after them. */
  around(handlers: Handlers): Handlers {
    const entries = Object.entries(handlers).map(([route, handler]) => [route, this.#faulty(handler)]);
    return Object.fromEntries(entries) as Handlers; // the same keys
  }

  /** Whether the answer to this request is lost. */
  loses = (requestId: string): boolean => this.#lost.delete(requestId);

  #faulty(handler: ProxyHandler): ProxyHandler {
    return async event => {
      const state = this.#states.get(String(event.requestContext.authorizer?.['connection']));
      const { requestId } = event.requestContext;
      if (state === undefined) return handler(event);
      const { slow, refuse } = state.faults;
      if (slow !== undefined) await this.#clock.sleep(milliseconds(slow));
      if (refuse && state.refusals > 0) {
        state.refusals -= 1;
        const { status, retryAfter } = refuse;
        const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
        return proxyResult(apiRefusal('bus', rules[status], { headers }), requestId);
      }
      const result = await handler(event);
      if (state.losses > 0) {
        state.losses -= 1;
        this.#lost.add(requestId);
      }
      return result;
    };
  }

  /** SQS's operations, with what goes wrong on the way into a queue. */
  aroundQueues(operations: ReadonlyMap<string, Operation>): ReadonlyMap<string, Operation> {
    const send = operations.get('SendMessage');
    if (send === undefined) return operations;
    const faulty: Operation = (input, call) => {
      const queue = (textOf(input, 'QueueUrl') ?? '').split('/').at(-1);
      const [, state] = [...this.#states].find(([connection]) => queueName(connection) === queue) ?? [];
      const copy = (name: string) =>
        void send(
          { ...input, MessageDeduplicationId: `${textOf(input, 'MessageDeduplicationId')}-${name}` },
          call,
        );
      return state ? this.#send(state, () => send(input, call), copy) : send(input, call);
    };
    return new Map(operations).set('SendMessage', faulty);
  }

  #send(
    state: State,
    first: () => ReturnType<Operation>,
    copy: (name: string) => void,
  ): ReturnType<Operation> {
    const { duplicate, delay, hold, redeliver } = state.faults;
    const whole = (): ReturnType<Operation> => {
      const answer = first();
      if (duplicate) copy('again');
      if (redeliver !== undefined) this.#clock.after(milliseconds(redeliver), () => copy('late'));
      return answer;
    };
    if (hold) {
      state.held.push(() => void whole());
      return {};
    }
    if (delay === undefined) return whole();
    state.lastDue = Math.max(state.lastDue, this.#clock.now() + milliseconds(delay));
    this.#clock.after(state.lastDue - this.#clock.now(), () => void whole());
    return {};
  }
}
