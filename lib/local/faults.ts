import type { IncomingMessage } from 'node:http';
import { queueName } from '../contract/environments.ts';
import type { Duration, Faults } from '../contract/faults.ts';
import type { RouteId } from '../contract/routes.ts';
import { proxyResult } from '../platform/http/respond.ts';
import { apiRefusal, type HttpResponse, response } from '../platform/http/response.ts';
import { durationMilliseconds } from '../platform/json/formats.ts';
import { isJsonObject, type JsonObject, jsonIn, textOf } from '../platform/json/value.ts';
import type { ProxyHandler } from '../wiring/function.ts';
import type { Operation, Operations } from './engines/aws-json/server.ts';
import { type EngineClock, errorMessage } from './engines/machine.ts';
import { readOneTimeKey, writeOneTimeKey } from './engines/oidc/issuer.ts';
import { derivedSecret } from './sign-in.ts';
import type { SigV4Key } from './sigv4.ts';

/** Undefined when it is not a duration. */
export const durationIn = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value >= 0 ? value : undefined;
  if (typeof value === 'string') return durationMilliseconds(value);
  return undefined;
};

/** @throws TypeError when it is not a duration */
export const milliseconds = (duration: Duration): number => {
  const found = durationIn(duration);
  if (found === undefined)
    throw new TypeError(`"${duration}" is not a duration: write 250ms, 5s, 15m, 2h or 7d.`);
  return found;
};

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const isFlag = (value: unknown): boolean => typeof value === 'boolean';

const isDuration = (value: unknown): boolean => durationIn(value) !== undefined;

const isRefusal = (value: unknown): boolean =>
  isJsonObject(value) &&
  Object.keys(value).every(name => ['status', 'times', 'retryAfter'].includes(name)) &&
  (value['status'] === 429 || value['status'] === 503) &&
  [value['times'], value['retryAfter']].every(count => count === undefined || isCount(count));

const members: Readonly<Record<keyof Faults, (value: unknown) => boolean>> = {
  duplicate: isFlag,
  delay: isDuration,
  hold: isFlag,
  redeliver: isDuration,
  refuse: isRefusal,
  loseResponses: isCount,
  slow: isDuration,
};

const ofConsumers = ['duplicate', 'delay', 'hold', 'redeliver'];

const isMember = (name: string): name is keyof Faults => Object.hasOwn(members, name);

const whyNoFaults = (given: unknown, kind?: unknown): string | undefined => {
  if (!isJsonObject(given)) return 'Faults are an object.';
  for (const [name, value] of Object.entries(given)) {
    if (!isMember(name))
      return `There is no fault "${name}", only ${Object.keys(members).join(', ')}.`;
    if (!members[name](value)) return `The fault "${name}" cannot be ${JSON.stringify(value)}.`;
    if (kind === 'producer' && ofConsumers.includes(name))
      return `The fault "${name}" is for consumers.`;
  }
  return undefined;
};

interface State {
  faults: Faults;
  refusals: number;
  losses: number;
  held: (() => void)[];
  delayed: (() => void)[];
  lastDue: number;
}

const leftOf = ({ faults, refusals, losses }: State): Faults => {
  const { refuse, loseResponses: _, ...lasting } = faults;
  return {
    ...lasting,
    ...(refuse && refusals > 0 && { refuse: { ...refuse, times: refusals } }),
    ...(losses > 0 && { loseResponses: losses }),
  };
};

type Handlers = Readonly<Record<RouteId, ProxyHandler>>;

/**
 * The connection of a cloud role, in a workspace or on the operator's routes: no authoriser has
 * looked it up.
 */
export type ConnectionOfRole = (role: string, workspace?: string) => Promise<string | undefined>;

const rules = { 429: 'rate.limited', 503: 'registry.unavailable' } as const;

/** Its sender was answered long ago: nobody is left to tell what went wrong. */
const unheard = (send: () => ReturnType<Operation>): void =>
  void (async () => send())().catch(() => undefined);

export class FaultInjector {
  readonly #clock: EngineClock;
  readonly #states = new Map<string, State>();
  readonly #lost = new Set<string>();
  /** Sends that come later, in the order in which they were put off, and what cancels each. */
  readonly #later = new Map<() => void, () => void>();

  constructor(clock: EngineClock) {
    this.#clock = clock;
  }

  /**
   * Replaces the faults of a connection.
   *
   * @throws TypeError if there are no such faults, or not for its kind
   */
  set(connection: string, faults: Faults, kind?: unknown): void {
    const wrong = whyNoFaults(faults, kind);
    if (wrong !== undefined) throw new TypeError(wrong);
    const before = this.#states.get(connection);
    const { held, delayed, lastDue } = before ?? { held: [], delayed: [], lastDue: 0 };
    const refusals = faults.refuse ? (faults.refuse.times ?? 1) : 0;
    const state: State = {
      faults,
      refusals,
      losses: faults.loseResponses ?? 0,
      held,
      delayed,
      lastDue,
    };
    if (Object.keys(faults).length > 0) this.#states.set(connection, state);
    else this.#states.delete(connection);
    if (!faults.hold) for (const send of state.held.splice(0)) send();
    // What comes from now on must not overtake.
    if (faults.delay === undefined) for (const send of state.delayed.splice(0)) send();
  }

  list(): Readonly<Record<string, Faults>> {
    const left = [...this.#states].map(
      ([connection, state]) => [connection, leftOf(state)] as const,
    );
    return Object.fromEntries(left.filter(([, faults]) => Object.keys(faults).length > 0));
  }

  /** Ends all faults, and sends at once what waits: the service is about to stop. */
  end(): void {
    for (const [send, cancel] of [...this.#later]) {
      cancel();
      send();
    }
    this.#later.clear();
    for (const connection of [...this.#states.keys()]) this.set(connection, {});
  }

  /** Ends all faults; messages that wait are dropped. */
  clear(): void {
    for (const cancel of this.#later.values()) cancel();
    this.#later.clear();
    this.#states.clear();
    this.#lost.clear();
  }

  around(handlers: Handlers, connectionOfRole: ConnectionOfRole): Handlers {
    const entries = Object.entries(handlers).map(([route, handler]) => [
      route,
      this.#faulty(handler, connectionOfRole),
    ]);
    return Object.fromEntries(entries) as Handlers; // the same keys
  }

  loses = (requestId: string): boolean => this.#lost.delete(requestId);

  #after(pause: number, send: () => void): void {
    const cancel = this.#clock.after(pause, () => {
      this.#later.delete(send);
      send();
    });
    this.#later.set(send, cancel);
  }

  #sleep(pause: number): Promise<void> {
    return new Promise(resolve => {
      this.#clock.after(pause, resolve);
    });
  }

  #faulty(handler: ProxyHandler, connectionOfRole: ConnectionOfRole): ProxyHandler {
    return async event => {
      if (this.#states.size === 0) return handler(event);
      const { authorizer, identity, requestId } = event.requestContext;
      const connection = identity?.userArn
        ? await connectionOfRole(identity.userArn, event.pathParameters?.['t'])
        : authorizer?.['connection'];
      const state = this.#states.get(String(connection));
      if (state === undefined) return handler(event);
      const { slow, refuse } = state.faults;
      if (slow !== undefined) await this.#sleep(milliseconds(slow));
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
  aroundQueues(operations: Operations): Operations {
    const send = operations.get('SendMessage');
    if (send === undefined) return operations;
    const faulty: Operation = (input, call) => {
      const queue = (textOf(input, 'QueueUrl') ?? '').split('/').at(-1);
      const [, state] =
        [...this.#states].find(([connection]) => queueName(connection) === queue) ?? [];
      const copy = (name: string) =>
        unheard(() =>
          send(
            {
              ...input,
              MessageDeduplicationId: `${textOf(input, 'MessageDeduplicationId')}-${name}`,
            },
            call,
          ),
        );
      if (state) return this.#send(state, () => send(input, call), copy);
      return send(input, call);
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
      const response = first();
      if (duplicate) copy('again');
      if (redeliver !== undefined) this.#after(milliseconds(redeliver), () => copy('late'));
      return response;
    };
    if (hold) {
      state.held.push(() => unheard(whole));
      return {};
    }
    if (delay === undefined) return whole();
    state.lastDue = Math.max(state.lastDue, this.#clock.now() + milliseconds(delay));
    const { delayed } = state;
    const late = () => unheard(whole);
    delayed.push(late);
    // With those before it, because timers that are due at the same time may come in another order.
    this.#after(state.lastDue - this.#clock.now(), () => {
      for (const due of delayed.splice(0, delayed.indexOf(late) + 1)) due();
    });
    return {};
  }
}

/**
 * Where the commands list and set the faults of a local service: at the bus's port, below no
 * version.
 */
export const faultsPath = '/local/faults';

const keyMilliseconds = 60_000;
const purpose = 'faults';

/** What a command shows to the service: only who can read the operator's key can make it. */
export const faultsKey = (operator: SigV4Key, now: number): string =>
  writeOneTimeKey(derivedSecret(operator, purpose), {
    name: purpose,
    until: now + keyMilliseconds,
  });

const maxBytes = 4_096;

const bodyOf = async (request: IncomingMessage): Promise<JsonObject | undefined> => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > maxBytes) return undefined;
  }
  const body = jsonIn(text);
  return isJsonObject(body) ? body : undefined;
};

const isLoopback = (address = ''): boolean => /^(::ffff:)?127\.|^::1$/.test(address);

/**
 * The response to a request that is not for a route of the bus; undefined when it is none of the
 * operator on this machine.
 */
export type Control = (path: string, request: IncomingMessage) => Promise<HttpResponse | undefined>;

/**
 * Lists the faults (GET), or replaces those of one connection (PUT with `connection`, its `kind`
 * and `faults`).
 */
export const faultsControl = (
  injector: FaultInjector,
  operator: SigV4Key,
  now: () => number,
): Control => {
  const secret = derivedSecret(operator, purpose);
  const isOperator = ({ socket, headers }: IncomingMessage): boolean => {
    const [, key = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
    return isLoopback(socket.remoteAddress) && readOneTimeKey(secret, key, now()) !== undefined;
  };
  return async function controlFaults(path, request) {
    if (path !== faultsPath || !isOperator(request)) return undefined;
    if (request.method === 'PUT') {
      const { connection, kind, faults } = (await bodyOf(request)) ?? {};
      try {
        injector.set(String(connection), faults as Faults, kind); // it checks them
      } catch (error) {
        return response(400, { error: errorMessage(error) });
      }
    }
    return response(200, { faults: injector.list() });
  };
};
