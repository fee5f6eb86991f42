import { InvalidArgumentError } from 'commander';
import { limits } from '../../contract/limits.ts';
import type {
  Bus,
  PulledMessage,
  Refused as RefusedCall,
  TokenRefused,
} from '../../kit/client/index.ts';
import { canonicalForm, exactJsonIn } from '../../platform/json/canonical-form.ts';
import { valueAt } from '../../platform/json/value.ts';
import { busAccount } from '../frame/account.ts';
import { openBus, recordLine } from '../frame/bus.ts';
import { command } from '../frame/command.ts';
import { ChecksFailed, CommandRefused } from '../frame/failures.ts';
import { duration, type OptionsOf, option, repeatable, withDefault } from '../frame/options.ts';

interface Condition {
  readonly path: string;
  readonly value: string;
}

const condition = (text: string): Condition => {
  const [, path, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (path === undefined || value === undefined)
    throw new InvalidArgumentError(
      'Write a member and its value, such as payload.story_id=harbour-fire.',
    );
  return { path, value };
};

/**
 * The values at a path of names with dots between them. A name may have dots of its own: each way
 * to read the path counts.
 */
const valuesAlong = (value: unknown, names: readonly string[]): readonly unknown[] => {
  if (names.length === 0) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return names.flatMap((_, index) => {
    const name = names.slice(0, index + 1).join('.');
    if (!Object.hasOwn(value, name)) return [];
    return valuesAlong(Reflect.get(value, name), names.slice(index + 1));
  });
};

const valuesAt = (message: unknown, path: string): readonly unknown[] => {
  if (path.startsWith('/')) return [valueAt(message, path)];
  return valuesAlong(message, path.split('.'));
};

/**
 * Whether a message has a value, which is written as its text or as JSON. Numbers are compared to
 * their last digit.
 */
const holds = ({ text }: PulledMessage, { path, value }: Condition): boolean => {
  const wanted = exactJsonIn(value);
  const form = wanted === undefined ? undefined : canonicalForm(wanted);
  const found = valuesAt(exactJsonIn(text), path).filter(one => one !== undefined);
  return found.some(one => one === value || canonicalForm(one) === form);
};

const expectOptions = {
  type: option('--type <type>', 'its message type'),
  where: repeatable(
    '--where <member=value>',
    'a member of it, such as payload.story_id=x (repeatable)',
    condition,
  ),
  within: withDefault(
    option('--within <time>', 'how long to wait, such as 10s or 2m', duration),
    10,
    '10s',
  ),
};

type ExpectOptions = OptionsOf<typeof expectOptions>;

const isWanted = (pulled: PulledMessage, { type, where }: ExpectOptions): boolean =>
  (type === undefined || pulled.messageType === type) && where.every(one => holds(pulled, one));

const explanation = (
  { type, where, within }: ExpectOptions,
  others: readonly PulledMessage[],
): string => {
  const conditions = where.map(({ path, value }) => `${path}=${value}`);
  const wanted = [type ?? 'message'];
  if (conditions.length > 0) wanted.push('with', conditions.join(', '));
  const came = others.map(({ messageType, messageId }) => `${messageType} ${messageId}`);
  const count = came.length === 1 ? '1 other message' : `${came.length} other messages`;
  const instead = came.length === 0 ? 'nothing came' : `${count} came: ${came.join(', ')}`;
  return `no ${wanted.join(' ')} came within ${within} s; ${instead}`;
};

const refusal = (response: RefusedCall | TokenRefused): CommandRefused => {
  if (response.outcome === 'token_refused') return new CommandRefused(response.description);
  const [{ rule, message }] = response.violations;
  return new CommandRefused(`${rule}: ${message}`);
};

const settle = async (how: Bus['ack'], messages: readonly PulledMessage[]): Promise<void> => {
  if (messages.length === 0) return;
  const settled = await how(messages.map(({ receiptHandle }) => receiptHandle));
  if (settled.outcome !== 'settled') throw refusal(settled);
};

/**
 * Seconds after which a message that is not the wanted one is looked at again: another may have
 * come behind it.
 */
const again = 1;

/**
 * Pulls until the wanted message comes. It is acknowledged, with those before it in the same pull;
 * all others are returned to the queue. Only where they fill a pull are they acknowledged, since
 * nothing behind them could be seen.
 */
const awaited = async (
  bus: Bus,
  options: ExpectOptions,
  now: () => number,
): Promise<PulledMessage> => {
  const { max } = limits.pullMessages;
  const deadline = now() + options.within * 1000;
  const others = new Map<string, PulledMessage>();
  for (let rest = options.within; ; rest = (deadline - now()) / 1000) {
    const wait = Math.max(0, Math.min(limits.pullWaitSeconds.max, Math.ceil(rest)));
    const pulled = await bus.pull({ max, wait });
    if (pulled.outcome !== 'pulled') throw refusal(pulled);
    const { messages } = pulled;
    const found = messages.findIndex(message => isWanted(message, options));
    const isFull = messages.length === max;
    const end = found < 0 && isFull ? max : found + 1;
    await settle(handles => bus.ack(handles), messages.slice(0, end));
    const delaySeconds = found < 0 ? again : 0;
    await settle(handles => bus.nack(handles, { delaySeconds }), messages.slice(end));
    const message = messages[found];
    if (message) return message;
    for (const other of messages) others.set(other.messageId, other);
    if (now() >= deadline) throw new ChecksFailed(explanation(options, [...others.values()]));
  }
};

const lineOf = (pulled: PulledMessage): string => {
  const { text, messageId, messageType, correlationId, producerId, systemId, enqueuedAt } = pulled;
  const facts = {
    message_id: messageId,
    message_type: messageType,
    correlation_id: correlationId,
    producer_id: producerId,
    system_id: systemId,
    enqueued_at: enqueuedAt,
    receive_count: pulled.receiveCount,
    envelope: {},
  };
  return recordLine(facts, text);
};

export const expectCommand = command({
  usage: 'expect',
  description: 'wait for a message and print it; exit with 1 if it does not come',
  target: 'account',
  options: expectOptions,
  help: `
A member is named with dots, or as a JSON Pointer: --where /payload/extensions/com.example.n=5
It acknowledges the message and those before it in the same pull. What else came stays in the
queue, unless ten or more other messages are in front: those are acknowledged, to see what is
behind them.`,
  async run({ terminal, options }) {
    const bus = await openBus(busAccount(options, 'consumer'));
    terminal.out(lineOf(await awaited(bus, options, Date.now)));
  },
});
