import { appendFileSync, writeFileSync } from 'node:fs';
import { limits } from '../../contract/limits.ts';
import { iso } from '../../contract/outside.ts';
import {
  type Attempt,
  type Bus,
  ConsumerRefused,
  type PulledMessage,
  uuidv7,
  type Verdict,
} from '../../kit/client/index.ts';
import { type Outside, systemOutside } from '../../kit/client/outside.ts';
import { errorCode } from '../../local/engines/machine.ts';
import { jsonInOrder, textAsWritten } from '../../platform/json/as-written.ts';
import { durationMilliseconds } from '../../platform/json/formats.ts';
import { isJsonObject, type JsonObject, textOf, utf8Text } from '../../platform/json/value.ts';
import { readYaml } from '../../platform/json/yaml.ts';
import { yamlAsWritten } from '../../platform/json/yaml-as-written.ts';
import { type AccountOptions, busAccount } from '../frame/account.ts';
import { openBus } from '../frame/bus.ts';
import { type CommandRun, command } from '../frame/command.ts';
import { ChecksFailed, CommandRefused, rethrow } from '../frame/failures.ts';
import {
  duration,
  type OptionsOf,
  option,
  speedUp,
  wholeNumber,
  withDefault,
} from '../frame/options.ts';
import { inputBytes, type Terminal, untilStopped } from '../frame/terminal.ts';

interface Step {
  readonly afterMilliseconds: number;
  readonly message: JsonObject;
}

export const scenarioHead = `# A scenario: play it with "sombus play FILE". Edit it as you like.
# after: the time since the message before (250ms, 5s, 2m, 1h).
# Ids and the envelope's timestamp are new whenever it is played; an id that stands in several
# places stays the same one, so you may also write names of your own, such as message_id: first.
messages:
`;

/** What no YAML text may hold. */
const unprintables = /[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/** Deeper than any message, and the lists and maps around it in a file. */
const scenarioDepth = limits.messageDepth + 8;

const written = (milliseconds: number): string => {
  if (milliseconds < 1000) return `${milliseconds}ms`;
  return `${Number((milliseconds / 1000).toFixed(3))}s`;
};

/** A message as one line of JSON, with what no YAML text may hold escaped. */
const asJsonLine = (message: unknown): string =>
  textAsWritten(message).replace(
    unprintables,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const isReadAs = (step: string, wanted: string): boolean => {
  try {
    const [read] = readScenario(scenarioHead + step);
    return textAsWritten(read?.message) === wanted;
  } catch (error) {
    if (error instanceof CommandRefused) return false;
    throw error;
  }
};

/**
 * A received message as a step of a scenario file: in YAML's own style, which is easier to edit, or
 * as JSON where that would be read as something else.
 *
 * @param afterMilliseconds since the one before
 * @throws CommandRefused if a scenario cannot hold the message
 */
export const stepText = (
  { text, messageId }: Pick<PulledMessage, 'text' | 'messageId'>,
  afterMilliseconds: number,
): string => {
  const message = jsonInOrder(text);
  const wanted = textAsWritten(message);
  const after = written(afterMilliseconds);
  const inBlocks = yamlAsWritten([{ after, message }], 120);
  if (isReadAs(inBlocks, wanted)) return inBlocks;
  const inJson = `- after: ${after}\n  message: ${asJsonLine(message)}\n`;
  if (isReadAs(inJson, wanted)) return inJson;
  throw new CommandRefused(
    `The message ${messageId} cannot be written to a scenario. It is not acknowledged.`,
  );
};

const stepNames = ['after', 'message'];

const stepOf = (entry: unknown, place: string, problems: string[]): readonly Step[] => {
  const { after, message } = isJsonObject(entry) ? entry : {};
  if (!isJsonObject(entry) || !isJsonObject(message)) {
    problems.push(`${place}: a map with a message is expected.`);
    return [];
  }
  for (const name of Object.keys(entry).filter(one => !stepNames.includes(one)))
    problems.push(`${place}: there is no "${name}" here; it has ${stepNames.join(' and ')}.`);
  const afterMilliseconds = after === undefined ? 0 : durationMilliseconds(String(after));
  if (afterMilliseconds === undefined)
    problems.push(`${place}.after: write a time such as 250ms, 5s or 2m.`);
  return [{ afterMilliseconds: afterMilliseconds ?? 0, message }];
};

/**
 * The steps of a scenario file (YAML or JSON).
 *
 * @throws CommandRefused with everything that is wrong with it
 */
export const readScenario = (text: string): readonly Step[] => {
  const read = readYaml(text, {
    maxTokens: Number.POSITIVE_INFINITY,
    maxDepth: scenarioDepth,
    isAsWritten: true,
  });
  if (read.kind === 'error')
    throw new CommandRefused('The scenario cannot be read, and nothing was sent.', [read.reason]);
  const entries = isJsonObject(read.value) ? read.value['messages'] : undefined;
  if (!Array.isArray(entries) || entries.length === 0)
    throw new CommandRefused(
      'The scenario has no list of messages: is it a file of "sombus record"?',
    );
  const problems: string[] = [];
  const steps = entries.flatMap((entry, index) => stepOf(entry, `messages[${index}]`, problems));
  if (problems.length > 0)
    throw new CommandRefused('The scenario has errors, and nothing was sent.', problems);
  return steps;
};

/** What every run must name anew, because the bus or a consumer remembers it. */
const envelopeIds = ['message_id', 'correlation_id', 'causation_id'];
const payloadIds = ['story_id', 'link_id', 'telling_id', 'delivery_id', 'audit_id', 'warning_id'];

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

class Renewal {
  readonly #names = new Map<string, string>();
  readonly #newId: () => string;
  readonly #suffix: string;

  constructor(newId: () => string) {
    this.#newId = newId;
    this.#suffix = newId().slice(-6);
  }

  learn(members: unknown, ids: readonly string[]): void {
    if (!isJsonObject(members)) return;
    for (const name of ids) {
      const id = members[name];
      if (typeof id !== 'string' || id === '' || this.#names.has(id)) continue;
      // A story may have a readable name, and keeps it.
      const isStory = name === 'story_id' && !uuidForm.test(id);
      this.#names.set(id, isStory ? `${id}-${this.#suffix}` : this.#newId());
    }
  }

  /** The value with all known ids replaced. @param name the member that it is the value of */
  renew(value: unknown, name: string): unknown {
    if (typeof value === 'string') return this.#text(value, name);
    if (Array.isArray(value)) return value.map(item => this.renew(item, name));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, inner]) => [member, this.renew(inner, member)]),
    );
  }

  /** A word that happens to be the name of a story is left alone where no id can stand. */
  #text(text: string, name: string): string {
    const isId = /ids?$/.test(name) || name === 'scope';
    const renewed = (part: string): string =>
      isId || uuidForm.test(part) ? (this.#names.get(part) ?? part) : part;
    return text
      .split(/([:/])/)
      .map(renewed)
      .join('');
  }
}

/**
 * The steps with new ids. One that stands in several places is replaced in all of them; a message
 * without an id gets one.
 */
export const withNewIds = (steps: readonly Step[], newId: () => string): readonly Step[] => {
  const renewal = new Renewal(newId);
  for (const { message } of steps) {
    renewal.learn(message, envelopeIds);
    renewal.learn(message['payload'], payloadIds);
  }
  return steps.map(({ afterMilliseconds, message }) => {
    const members = Object.entries(message).map(([name, value]) => [
      name,
      renewal.renew(value, name),
    ]);
    return { afterMilliseconds, message: { message_id: newId(), ...Object.fromEntries(members) } };
  });
};

const recordOptions = {
  count: option('--count <messages>', 'stop after this many messages', wholeNumber(1, 999_999_999)),
  for: option('--for <time>', 'stop after this time, such as 30s or 10m', duration),
};

type RecordOptions = OptionsOf<typeof recordOptions>;

/** Begins a new file. @throws CommandRefused when there is one already */
const beginFile = (file: string): void => {
  try {
    writeFileSync(file, scenarioHead, { flag: 'wx' });
  } catch (error) {
    if (errorCode(error) === 'EEXIST')
      throw new CommandRefused(`The file ${file} is there already: name another one.`);
    throw new Error(`The file ${file} cannot be written.`, { cause: error });
  }
};

const slowText = (status: number | undefined): string => {
  if (status === undefined) return 'note: the bus cannot be reached; trying again.';
  if (status === 429) return 'note: too many requests behind this address; going on more slowly.';
  return `note: the bus answers with ${status} for now; trying again.`;
};

/** Writes what comes to the file. Messages are acknowledged when they are there, together. */
const recordTo = async (
  file: string,
  bus: Bus,
  { options, terminal }: Pick<CommandRun<RecordOptions>, 'options' | 'terminal'>,
): Promise<number> => {
  const { count = Number.POSITIVE_INFINITY } = options;
  const signal = untilStopped(options.for);
  let recorded = 0;
  let before: number | undefined;
  const onSlow = ({ status }: Attempt) => terminal.error(slowText(status));
  for await (const delivery of bus.consume({ signal, onSlow })) {
    const acceptedAt = Date.parse(delivery.enqueuedAt);
    appendFileSync(file, stepText(delivery, Math.max(0, acceptedAt - (before ?? acceptedAt))));
    before = Math.max(before ?? acceptedAt, acceptedAt);
    recorded += 1;
    terminal.out(
      `recorded  ${delivery.messageType}  ${delivery.messageId}  from ${delivery.systemId}`,
    );
    if (recorded < count) continue;
    // Leaving would return it.
    await delivery.ack();
    break;
  }
  return recorded;
};

export const recordCommand = command({
  usage: 'record <file>',
  arguments: { file: 'the new scenario file (YAML)' },
  description:
    'write the messages that a consumer receives to a scenario file, until it is stopped',
  target: 'account',
  options: recordOptions,
  help: '\nIt acknowledges what it has written.',
  async run({ terminal, options }, file) {
    const bus = await openBus(busAccount(options, 'consumer'));
    beginFile(file);
    const recorded = await recordTo(file, bus, { options, terminal }).catch((error: unknown) =>
      rethrow(error, error instanceof ConsumerRefused),
    );
    terminal.out(`${recorded} ${recorded === 1 ? 'message' : 'messages'} in ${file}`);
  },
});

interface PlayOptions extends AccountOptions {
  readonly speed: number;
  readonly as?: string | undefined;
}

/** The message as it is sent now. @param systemId sends it; absent: as the scenario says */
const sentNow = (message: JsonObject, systemId: string | undefined, now: number): string => {
  const timestamp = iso(now);
  const system = message['originating_system'];
  if (systemId === undefined || !isJsonObject(system))
    return textAsWritten({ ...message, timestamp });

  const originating_system = { ...system, system_id: systemId };
  return textAsWritten({ ...message, originating_system, timestamp });
};

const verdictWords = (verdict: Verdict): string => {
  if (verdict.outcome === 'refused')
    return `refused: ${verdict.violations.map(({ rule, message }) => `${rule}: ${message}`).join(' | ')}`;
  if (verdict.outcome === 'token_refused') return `refused: ${verdict.error}`;
  // Ids are new, so a duplicate is a retry of this same publish.
  if (verdict.outcome === 'duplicate') return 'accepted';
  return verdict.outcome;
};

/** Publishes the steps, each at its time. @returns how many were not accepted */
export const playSteps = async (
  bus: Pick<Bus, 'publish'>,
  steps: readonly Step[],
  options: Pick<PlayOptions, 'speed' | 'as'> & { terminal: Terminal },
  { now, sleep }: Pick<Outside, 'now' | 'sleep'> = systemOutside,
): Promise<number> => {
  let refused = 0;
  let due = now();
  for (const { afterMilliseconds, message } of steps) {
    due += afterMilliseconds / options.speed;
    await sleep(Math.max(0, due - now()));
    const verdict = await bus.publish(sentNow(message, options.as, now()));
    const words = verdictWords(verdict);
    if (words !== 'accepted') refused += 1;
    options.terminal.out(
      `${textOf(message, 'message_type')}  ${textOf(message, 'message_id')}  ${words}`,
    );
  }
  return refused;
};

export const playCommand = command({
  usage: 'play <file>',
  arguments: { file: 'a scenario (YAML or JSON), or - for standard input' },
  description: 'publish the messages of a scenario file at their times, with new ids',
  target: 'account',
  options: {
    speed: withDefault(
      option(
        '--speed <factor>',
        'how much faster',
        speedUp(0.01, 100_000, 'A speed is a number such as 0.5, 1 or 60.'),
      ),
      1,
    ),
    as: option(
      '--as <system_id>',
      'send all messages as this system (default: as the scenario says, and the demo producer as itself)',
    ),
  },
  async run({ terminal, options }, file) {
    const steps = readScenario(utf8Text(inputBytes(file)) ?? '');
    const account = busAccount(options, 'producer');
    const bus = await openBus(account);
    const newId = () => uuidv7(systemOutside.now(), systemOutside.randomBytes(10));
    const as = options.as ?? (account.isDemo ? account.systemId : undefined);
    const refused = await playSteps(bus, withNewIds(steps, newId), {
      speed: options.speed,
      as,
      terminal,
    });
    if (refused > 0)
      throw new ChecksFailed(`${refused} of ${steps.length} messages were not accepted`);
    terminal.out(`${steps.length} ${steps.length === 1 ? 'message' : 'messages'} accepted`);
  },
});
