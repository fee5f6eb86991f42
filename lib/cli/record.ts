import { appendFileSync, writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Bus, ConsumerRefused, uuidv7, type Verdict } from '../client/index.ts';
import { type Outside, systemOutside } from '../client/outside.ts';
import { errorCode } from '../engines/machine.ts';
import { isJsonObject, type JsonObject, textOf, utf8Text } from '../json/value.ts';
import { type AccountOptions, accountOptions, busAccount } from './account.ts';
import { openBus } from './bus.ts';
import { ChecksFailed, type CommandContext, inputBytes, Refused, type Terminal } from './command.ts';
import { duration, wholeNumber } from './options.ts';
import { readScenario, type Step, scenarioHead, stepText, withNewIds } from './scenario.ts';

interface RecordOptions extends AccountOptions {
  readonly count?: number;
  readonly for?: number;
}

/** Begins a new file. @throws Refused when there is one already */
const beginFile = (file: string): void => {
  try {
    writeFileSync(file, scenarioHead, { flag: 'wx' });
  } catch (error) {
    if (errorCode(error) === 'EEXIST')
      throw new Refused(`The file ${file} is there already: name another one.`);
    throw new Error(`The file ${file} cannot be written.`, { cause: error });
  }
};

/** Aborts when the user ends the command, or when its time is over. */
const endOf = (seconds: number | undefined): AbortSignal => {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  if (seconds !== undefined) setTimeout(() => stop.abort(), seconds * 1000).unref();
  return stop.signal;
};

/** Writes what comes to the file. A message is acknowledged when it is there. */
const recordTo = async (
  file: string,
  bus: Bus,
  options: RecordOptions,
  terminal: Terminal,
): Promise<number> => {
  const { count = Number.POSITIVE_INFINITY } = options;
  const signal = endOf(options.for);
  let recorded = 0;
  let before: number | undefined;
  for await (const delivery of bus.consume({ signal })) {
    const acceptedAt = Date.parse(delivery.enqueuedAt);
    appendFileSync(file, stepText(delivery, Math.max(0, acceptedAt - (before ?? acceptedAt))));
    before = Math.max(before ?? acceptedAt, acceptedAt);
    await delivery.ack();
    recorded += 1;
    terminal.out(`recorded  ${delivery.messageType}  ${delivery.messageId}  from ${delivery.systemId}`);
    if (recorded === count) break;
  }
  return recorded;
};

/** `sombus record FILE`: what a consumer receives, as a scenario. */
export const recordCommand = ({ terminal }: CommandContext): Command =>
  accountOptions(new Command('record').argument('<file>', 'the new scenario file (YAML)'))
    .description('write the messages that a consumer receives to a scenario file, until it is stopped')
    .addOption(
      new Option('--count <messages>', 'stop after this many messages').argParser(
        wholeNumber(1, 999_999_999),
      ),
    )
    .addOption(new Option('--for <time>', 'stop after this time, such as 30s or 10m').argParser(duration))
    .addHelpText('after', '\nIt acknowledges what it has written.')
    .action(async (file: string, options: RecordOptions) => {
      const bus = await openBus(busAccount(options, 'consumer', process.env));
      beginFile(file);
      const recorded = await recordTo(file, bus, options, terminal).catch((error: unknown) => {
        throw error instanceof ConsumerRefused ? new Refused(error.message) : error;
      });
      terminal.out(`${recorded} ${recorded === 1 ? 'message' : 'messages'} in ${file}`);
    });

interface PlayOptions extends AccountOptions {
  readonly speed: number;
  readonly as?: string;
}

const speed = (text: string): number => {
  const factor = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (factor >= 0.01 && factor <= 100_000) return factor;
  throw new InvalidArgumentError('A speed is a number such as 0.5, 1 or 60.');
};

/** The message as it is sent now. @param systemId sends it; absent: as the scenario says */
const sentNow = (message: JsonObject, systemId: string | undefined, now: number): string => {
  const system = message['originating_system'];
  const sender =
    systemId === undefined || !isJsonObject(system)
      ? {}
      : { originating_system: { ...system, system_id: systemId } };
  return JSON.stringify({ ...message, ...sender, timestamp: new Date(now).toISOString() });
};

const verdictWords = (verdict: Verdict): string => {
  if (verdict.outcome === 'refused')
    return `refused: ${verdict.violations.map(({ rule, message }) => `${rule}: ${message}`).join(' | ')}`;
  if (verdict.outcome === 'token_refused') return `refused: ${verdict.error}`;
  return verdict.outcome === 'duplicate' ? 'accepted' : verdict.outcome;
};

/** Publishes the steps, each at its time. @returns how many were not accepted */
export const playSteps = async (
  bus: Pick<Bus, 'publish'>,
  steps: readonly Step[],
  options: Pick<PlayOptions, 'speed' | 'as'> & { readonly terminal: Terminal },
  { now, sleep }: Pick<Outside, 'now' | 'sleep'> = systemOutside,
): Promise<number> => {
  let refused = 0;
  let due = now();
  for (const { afterMilliseconds, message } of steps) {
    due += afterMilliseconds / options.speed;
    await sleep(Math.max(0, due - now()));
    const verdict = await bus.publish(sentNow(message, options.as, now()));
    // Ids are new, so a duplicate is a retry of this same publish.
    refused += verdict.outcome === 'accepted' || verdict.outcome === 'duplicate' ? 0 : 1;
    options.terminal.out(
      `${textOf(message, 'message_type')}  ${textOf(message, 'message_id')}  ${verdictWords(verdict)}`,
    );
  }
  return refused;
};

/** `sombus play FILE`: publishes a scenario. */
export const playCommand = ({ terminal }: CommandContext): Command =>
  accountOptions(new Command('play').argument('<file>', 'a scenario (YAML or JSON), or - for standard input'))
    .description('publish the messages of a scenario file at their times, with new ids')
    .addOption(new Option('--speed <factor>', 'how much faster').argParser(speed).default(1))
    .option(
      '--as <system_id>',
      'send all messages as this system (default: as the scenario says, and the demo producer as itself)',
    )
    .action(async (file: string, { speed: factor, as, ...options }: PlayOptions) => {
      const steps = readScenario(utf8Text(inputBytes(file)) ?? '');
      const account = busAccount(options, 'producer', process.env);
      const bus = await openBus(account);
      const newId = () => uuidv7(systemOutside.now(), systemOutside.randomBytes(10));
      const sender = as ?? (account.isDemo ? account.systemId : undefined);
      const refused = await playSteps(bus, withNewIds(steps, newId), {
        speed: factor,
        terminal,
        ...(sender === undefined ? {} : { as: sender }),
      });
      if (refused > 0) throw new ChecksFailed(`${refused} of ${steps.length} messages were not accepted`);
      terminal.out(`${steps.length} ${steps.length === 1 ? 'message' : 'messages'} accepted`);
    });
