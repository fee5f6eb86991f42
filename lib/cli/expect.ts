import { InvalidArgumentError } from 'commander';
import type { Bus, PulledMessage, Refused as RefusedCall, TokenRefused } from '../client/index.ts';
import { limits } from '../contract/limits.ts';
import { isJsonObject } from '../json/value.ts';
import { type AccountOptions, busAccount } from './account.ts';
import { openBus } from './bus.ts';
import { command } from './command.ts';
import { ChecksFailed, Refused } from './failures.ts';
import { duration, option, repeatable, withDefault } from './options.ts';

interface Condition {
  readonly path: string;
  readonly value: string;
}

const condition = (text: string): Condition => {
  const [, path, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (path === undefined || value === undefined)
    throw new InvalidArgumentError('Write a member and its value, such as payload.story_id=harbour-fire.');
  return { path, value };
};

const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => {
    if (Array.isArray(inner)) return inner[Number(name)];
    return isJsonObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  }, value);

const holds = ({ message }: PulledMessage, { path, value }: Condition): boolean => {
  const found = valueAt(message, path);
  return found === value || JSON.stringify(found) === value;
};

interface ExpectOptions extends AccountOptions {
  readonly type?: string;
  readonly where: readonly Condition[];
  readonly within: number;
}

const isWanted = (pulled: PulledMessage, { type, where }: ExpectOptions): boolean =>
  (type === undefined || pulled.messageType === type) && where.every(one => holds(pulled, one));

const explanation = ({ type, where, within }: ExpectOptions, others: readonly PulledMessage[]): string => {
  const conditions = where.map(({ path, value }) => `${path}=${value}`);
  const wanted = [type ?? 'message', ...(conditions.length > 0 ? ['with', conditions.join(', ')] : [])];
  const came = others.map(({ messageType, messageId }) => `${messageType} ${messageId}`);
  const count = came.length === 1 ? '1 other message' : `${came.length} other messages`;
  const instead = came.length === 0 ? 'nothing came' : `${count} came: ${came.join(', ')}`;
  return `no ${wanted.join(' ')} came within ${within} s; ${instead}`;
};

const refusal = (response: RefusedCall | TokenRefused): Refused => {
  if (response.outcome === 'token_refused') return new Refused(response.description);
  const [{ rule, message }] = response.violations;
  return new Refused(`${rule}: ${message}`);
};

const settle = async (how: Bus['ack'], messages: readonly PulledMessage[]): Promise<void> => {
  if (messages.length === 0) return;
  const settled = await how(messages.map(({ receiptHandle }) => receiptHandle));
  if (settled.outcome !== 'settled') throw refusal(settled);
};

/** Pulls until the wanted message comes. It is acknowledged, with those before it; those after it are returned. */
const awaited = async (bus: Bus, options: ExpectOptions, now: () => number): Promise<PulledMessage> => {
  const deadline = now() + options.within * 1000;
  const others: PulledMessage[] = [];
  for (let rest = options.within; ; rest = (deadline - now()) / 1000) {
    const wait = Math.max(0, Math.min(limits.pullWaitSeconds.max, Math.ceil(rest)));
    const pulled = await bus.pull({ max: limits.pullMessages.max, wait });
    if (pulled.outcome !== 'pulled') throw refusal(pulled);
    const { messages } = pulled;
    const found = messages.findIndex(message => isWanted(message, options));
    const end = found < 0 ? messages.length : found + 1;
    await settle(handles => bus.ack(handles), messages.slice(0, end));
    await settle(handles => bus.nack(handles), messages.slice(end));
    const message = messages[found];
    if (message) return message;
    others.push(...messages);
    if (now() >= deadline) throw new ChecksFailed(explanation(options, others));
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
  };
  // Between members, a line break is a space; within a text, JSON escapes it.
  return `${JSON.stringify(facts).slice(0, -1)},"envelope":${text.replaceAll(/[\r\n]/g, ' ')}}`;
};

export const expectCommand = command({
  usage: 'expect',
  description: 'wait for a message and print it; exit with 1 if it does not come',
  target: 'account',
  options: [
    option('--type <type>', 'its message type'),
    repeatable(
      '--where <member=value>',
      'a member of it, such as payload.story_id=x (repeatable)',
      condition,
    ),
    withDefault(option('--within <time>', 'how long to wait, such as 10s or 2m', duration), 10),
  ],
  help: '\nIt acknowledges the message and those before it; if it does not come, all that came.',
  async run({ terminal, options }) {
    const bus = await openBus(busAccount(options, 'consumer'));
    terminal.out(lineOf(await awaited(bus, options, Date.now)));
  },
});
