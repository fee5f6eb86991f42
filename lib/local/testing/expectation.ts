import { isDeepStrictEqual } from 'node:util';
import type { Duration } from '../../contract/faults.ts';
import { limits } from '../../contract/limits.ts';
import type { PulledMessage } from '../../kit/client/index.ts';
import { isJsonObject } from '../../platform/json/value.ts';
import { milliseconds } from '../faults.ts';
import type { Matcher, TestConnection } from './api.ts';
import type { TurnableClock } from './clock.ts';

interface Difference {
  readonly path: string;
  readonly expected: string;
  readonly received: string;
}

const shown = (value: unknown): string => {
  if (typeof value === 'function') {
    if (value.name === '') return 'what its function takes';
    return value.name;
  }
  if (value === undefined) return 'nothing';
  return JSON.stringify(value) ?? String(value);
};

const isRight = (expected: unknown, received: unknown): boolean => {
  if (typeof expected === 'function') return Boolean(expected(received));
  const asymmetric = isJsonObject(expected) ? expected['asymmetricMatch'] : undefined;
  if (typeof asymmetric === 'function') return Boolean(asymmetric.call(expected, received));
  return isDeepStrictEqual(expected, received);
};

const isPattern = (value: unknown): boolean =>
  isJsonObject(value) && typeof value['asymmetricMatch'] === 'function';

/**
 * Whether two values are compared member by member: objects as far as members are named, lists of
 * the same length.
 */
const isComparedWithin = (expected: unknown, received: unknown): boolean => {
  if (Array.isArray(expected))
    return Array.isArray(received) && expected.length === received.length;
  return isJsonObject(expected) && !isPattern(expected) && isJsonObject(received);
};

const differences = (expected: unknown, received: unknown, path: string): readonly Difference[] => {
  if (isComparedWithin(expected, received)) {
    const members = new Map<string, unknown>(Object.entries(Object(received)));
    return Object.entries(Object(expected)).flatMap(([name, inner]) =>
      differences(inner, members.get(name), path === '' ? name : `${path}.${name}`),
    );
  }
  if (isRight(expected, received)) return [];
  return [{ path, expected: shown(expected), received: shown(received) }];
};

const differencesOf = (matcher: Matcher, { message }: PulledMessage): readonly Difference[] => {
  if (typeof matcher !== 'function') return differences(matcher, message, '');
  if (matcher(message)) return [];
  return [{ path: 'message', expected: shown(matcher), received: message.message_type }];
};

const isMatch = (matcher: Matcher, message: PulledMessage): boolean =>
  differencesOf(matcher, message).length === 0;

const nameOf = ({ messageType, messageId }: PulledMessage): string => `${messageType} ${messageId}`;

const linesOf = (found: readonly Difference[]): readonly string[] => {
  const width = Math.max(...found.map(({ path }) => path.length));
  return found.map(
    ({ path, expected, received }) =>
      `  ${path.padEnd(width)}  expected ${expected}, received ${received}`,
  );
};

const explanation = (
  matcher: Matcher,
  received: readonly PulledMessage[],
  within: string,
): string => {
  if (received.length === 0) return `No message came within ${within}.`;
  const ranked = received
    .map(message => ({ message, found: differencesOf(matcher, message) }))
    .sort((one, other) => one.found.length - other.found.length);
  const [closest, ...others] = ranked;
  const count = received.length === 1 ? 'One message' : `${received.length} messages`;
  return [
    `${count} came within ${within}, but not the expected one.`,
    ...(closest ? [`The closest is ${nameOf(closest.message)}:`, ...linesOf(closest.found)] : []),
    ...(others.length > 0 ? ['Also received:'] : []),
    ...others.map(({ message }) => `  ${nameOf(message)}`),
  ].join('\n');
};

export class Inboxes {
  readonly #clock: TurnableClock;
  readonly #received = new Map<string, PulledMessage[]>();

  constructor(clock: TurnableClock) {
    this.#clock = clock;
  }

  clear(): void {
    this.#received.clear();
  }

  async take(consumer: TestConnection, matcher: Matcher, within: Duration): Promise<PulledMessage> {
    const received = this.#received.get(consumer.id) ?? [];
    this.#received.set(consumer.id, received);
    const deadline = this.#clock.now() + milliseconds(within);
    for (;;) {
      const found = received.findIndex(message => isMatch(matcher, message));
      const [message] = found < 0 ? [] : received.splice(found, 1);
      if (message) return message;
      const rest = deadline - this.#clock.now();
      if (rest <= 0) throw new Error(explanation(matcher, received, String(within)));
      received.push(...(await this.#pull(consumer, rest)));
    }
  }

  async #pull(consumer: TestConnection, rest: number): Promise<readonly PulledMessage[]> {
    const wait = Math.min(limits.pullWaitSeconds.max, Math.ceil(rest / 1000));
    const signal = AbortSignal.timeout(rest);
    const pulled = await consumer.pull({ wait }, { signal }).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (pulled === undefined) return [];
    if (pulled.outcome !== 'pulled')
      throw new Error(`The consumer cannot pull: ${JSON.stringify(pulled)}.`);
    const handles = pulled.messages.map(({ receiptHandle }) => receiptHandle);
    if (handles.length > 0) await consumer.ack(handles);
    return pulled.messages;
  }
}
