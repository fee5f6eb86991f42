import { Command, InvalidArgumentError } from 'commander';
import { limits } from '../contract/limits.ts';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import { type AccountOptions, accountOptions, busAccount } from './account.ts';
import { acceptedRecords } from './bus-answer.ts';
import { type BusSession, openSession, pull, settle } from './bus-client.ts';
import { ChecksFailed, type CommandContext } from './command.ts';
import { duration } from './options.ts';

/** A member of a message, and what it must be. */
interface Condition {
  /** Such as `payload.story_id`. */
  readonly path: string;
  readonly value: string;
}

/** One more `payload.story_id=harbour-fire`. */
const condition = (text: string, before: readonly Condition[]): readonly Condition[] => {
  const [, path, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (path === undefined || value === undefined)
    throw new InvalidArgumentError('Write a member and its value, such as payload.story_id=harbour-fire.');
  return [...before, { path, value }];
};

/** The value at a path of members, or of numbers in lists. */
const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => {
    if (Array.isArray(inner)) return inner[Number(name)];
    return isJsonObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  }, value);

const holds = (record: JsonObject, { path, value }: Condition): boolean => {
  const found = valueAt(record['envelope'], path);
  return found === value || JSON.stringify(found) === value;
};

interface ExpectOptions extends AccountOptions {
  readonly type?: string;
  readonly where: readonly Condition[];
  readonly within: number;
}

const isWanted = (record: JsonObject, { type, where }: ExpectOptions): boolean =>
  (type === undefined || record['message_type'] === type) && where.every(one => holds(record, one));

/** What did not come, and what came instead. */
const explanation = ({ type, where, within }: ExpectOptions, others: readonly JsonObject[]): string => {
  const conditions = where.map(({ path, value }) => `${path}=${value}`);
  const wanted = [type ?? 'message', ...(conditions.length > 0 ? ['with', conditions.join(', ')] : [])];
  const came = others.map(({ message_type, message_id }) => `${message_type} ${message_id}`);
  const instead = came.length === 0 ? 'nothing came' : `${came.length} others came: ${came.join(', ')}`;
  return `no ${wanted.join(' ')} came within ${within} s; ${instead}`;
};

/** Pulls until the wanted message comes. It is acknowledged, with those before it; those after it are returned. */
const awaited = async (
  session: BusSession,
  options: ExpectOptions,
  now: () => number,
): Promise<JsonObject> => {
  const deadline = now() + options.within * 1000;
  const others: JsonObject[] = [];
  for (let rest = options.within; ; rest = (deadline - now()) / 1000) {
    const wait = Math.max(0, Math.min(limits.pullWaitSeconds.max, Math.ceil(rest)));
    const records = acceptedRecords(await pull(session, { max: limits.pullMessages.max, wait }));
    const found = records.findIndex(record => isWanted(record, options));
    const [taken, left] = found < 0 ? [records, []] : [records.slice(0, found + 1), records.slice(found + 1)];
    if (taken.length > 0) acceptedRecords(await settle(session, 'ack', taken));
    if (left.length > 0) acceptedRecords(await settle(session, 'nack', left));
    const record = records[found];
    if (record) return record;
    others.push(...records);
    if (now() >= deadline) throw new ChecksFailed(explanation(options, others));
  }
};

/** `sombus expect`: waits for one message; the exit code says whether it came. */
export const expectCommand = ({ terminal }: CommandContext): Command =>
  accountOptions(new Command('expect'))
    .description('wait for a message and print it; exit with 1 if it does not come')
    .option('--type <type>', 'its message type')
    .option(
      '--where <member=value>',
      'a member of it, such as payload.story_id=x (repeatable)',
      condition,
      [],
    )
    .option('--within <time>', 'how long to wait, such as 10s or 2m', duration, 10)
    .addHelpText('after', '\nIt acknowledges the message and those before it.')
    .action(async (options: ExpectOptions) => {
      const session = await openSession(busAccount(options, 'consumer', process.env));
      terminal.out(JSON.stringify(await awaited(session, options, Date.now)));
    });
