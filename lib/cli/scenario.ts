import { stringify } from 'yaml';
import type { PulledMessage } from '../client/index.ts';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import { readYaml } from '../skills/yaml.ts';
import { Refused } from './command.ts';

/** A message of a scenario, and how long after the one before it is sent. */
export interface Step {
  readonly afterMilliseconds: number;
  readonly message: JsonObject;
}

/** How a scenario file begins; its steps follow. */
export const scenarioHead = `# A scenario: play it with "sombus play FILE". Edit it as you like.
# after: the time since the message before (250ms, 5s, 2m, 1h). Ids and the envelope's timestamp are new whenever it is played;
# an id that stands in several places stays the same one, so you may also write names of your own, such as message_id: first.
messages:
`;

const written = (milliseconds: number): string =>
  milliseconds < 1000 ? `${milliseconds}ms` : `${Number((milliseconds / 1000).toFixed(3))}s`;

/** A received message as a step of a scenario file. @param afterMilliseconds since the one before */
export const stepText = ({ message }: PulledMessage, afterMilliseconds: number): string =>
  stringify([{ after: written(afterMilliseconds), message }], { lineWidth: 120 });

const unitMilliseconds: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

const millisecondsIn = (value: unknown): number | undefined => {
  if (value === undefined) return 0;
  const [, digits, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(String(value)) ?? [];
  const factor = unitMilliseconds[unit];
  return factor === undefined ? undefined : Number(digits) * factor;
};

const stepNames = ['after', 'message'];

/** The problems of one entry are added to the list. */
const stepOf = (entry: unknown, where: string, problems: string[]): readonly Step[] => {
  const { after, message } = isJsonObject(entry) ? entry : {};
  if (!isJsonObject(entry) || !isJsonObject(message)) {
    problems.push(`${where}: a map with a message is expected.`);
    return [];
  }
  for (const name of Object.keys(entry).filter(one => !stepNames.includes(one)))
    problems.push(`${where}: there is no "${name}" here; it has ${stepNames.join(' and ')}.`);
  const afterMilliseconds = millisecondsIn(after);
  if (afterMilliseconds === undefined) problems.push(`${where}.after: write a time such as 250ms, 5s or 2m.`);
  return [{ afterMilliseconds: afterMilliseconds ?? 0, message }];
};

/**
 * The steps of a scenario file (YAML or JSON).
 *
 * @throws Refused with everything that is wrong with it
 */
export const readScenario = (text: string): readonly Step[] => {
  const read = readYaml(text, Number.POSITIVE_INFINITY);
  if (read.kind === 'error')
    throw new Refused('The scenario cannot be read, and nothing was sent.', [read.reason]);
  const entries = isJsonObject(read.value) ? read.value['messages'] : undefined;
  if (!Array.isArray(entries) || entries.length === 0)
    throw new Refused('The scenario has no list of messages: is it a file of "sombus record"?');
  const problems: string[] = [];
  const steps = entries.flatMap((entry, index) => stepOf(entry, `messages[${index}]`, problems));
  if (problems.length > 0) throw new Refused('The scenario has errors, and nothing was sent.', problems);
  return steps;
};

/** What every run must name anew, because the bus or a consumer remembers it. */
const envelopeIds = ['message_id', 'correlation_id', 'causation_id'];
const payloadIds = ['story_id', 'link_id', 'telling_id', 'delivery_id', 'audit_id', 'warning_id'];

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The new names of a run. */
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
    const parts = text.split(/([:/])/);
    const isId = /ids?$/.test(name) || parts.length > 1;
    const renewed = (part: string): string =>
      isId || uuidForm.test(part) ? (this.#names.get(part) ?? part) : part;
    return parts.map(renewed).join('');
  }
}

/** The steps with new ids. One that stands in several places is replaced in all of them; a message without an id gets one. */
export const withNewIds = (steps: readonly Step[], newId: () => string): readonly Step[] => {
  const renewal = new Renewal(newId);
  for (const { message } of steps) {
    renewal.learn(message, envelopeIds);
    renewal.learn(message['payload'], payloadIds);
  }
  return steps.map(({ afterMilliseconds, message }) => {
    const members = Object.entries(message).map(([name, value]) => [name, renewal.renew(value, name)]);
    return { afterMilliseconds, message: { message_id: newId(), ...Object.fromEntries(members) } };
  });
};
