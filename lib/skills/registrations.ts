import { type Connection, type Connections, isRegistered } from '../access/registry/connection.ts';
import { type Declined, declined, isDeclined, noConnection } from '../access/registry/declined.ts';
import { instanceSlots } from '../access/registry/slots.ts';
import type { Slot } from '../contract/bounds.ts';
import { newId } from '../contract/identifiers.ts';
import { type Clock, type Entries, type Ids, type Part, timestamp } from '../contract/outside.ts';
import { textAsWritten } from '../platform/json/as-written.ts';
import { describeValue, isText, own } from '../platform/json/submitted.ts';
import { isJsonObject } from '../platform/json/value.ts';
import { yamlAsWritten } from '../platform/json/yaml-as-written.ts';
import { type CheckedInstance, checkInstances, usableScale } from './check-instances.ts';
import { skillRulebook } from './describe-library.ts';
import { type InstanceValues, instanceValues, writtenValues } from './instance-values.ts';
import { type Catalogue, currentLibrary, type Rulebook } from './library.ts';
import { readSubmission } from './read-submission.ts';

/** An instance that passed every check, with the version it was checked against. */
export interface ConfiguredInstance extends InstanceValues {
  readonly skill_id: string;
  readonly skill_version: string;
  readonly instance_label: string;
  readonly authority_scale?: readonly string[];
}

export interface SkillRegistration extends ConfiguredInstance {
  readonly id: string;
  readonly connection: string;
  readonly paused: boolean;
  readonly createdAt: string;
}

/** Skill instances registered for consumers, as the operator keeps them. Reads are fresh. */
export interface SkillRegistrations {
  of(connection: string): Promise<readonly SkillRegistration[]>;
  /** The same in parts, in no order that means anything. */
  page(connection: string, part: Part): Promise<Entries<SkillRegistration>>;
  find(connection: string, id: string): Promise<SkillRegistration | undefined>;
  /**
   * Adds all, or none if the connection has one of the labels already, which is returned, or if
   * `slots` have no room.
   */
  add(
    registrations: readonly SkillRegistration[],
    slots: readonly Slot[],
  ): Promise<{ readonly taken: string } | Declined | undefined>;
  /**
   * Puts one in the place of another. `changed`: that no longer exists, or was paused or resumed;
   * `taken`: yet another has the new label.
   */
  replace(
    before: SkillRegistration,
    after: SkillRegistration,
  ): Promise<'replaced' | 'changed' | 'taken'>;
  remove(registration: SkillRegistration): Promise<boolean>;
  setPaused(registration: SkillRegistration, paused: boolean): Promise<boolean>;
}

/** All instances of an organisation are read in 20 pages of the table. */
const configurationBytes = 8 * 1024;

/** A response shows 200 labels. */
const labelCharacters = 256;

/** A skills file with errors, one line for each: nothing is used of it. */
interface InvalidFile {
  readonly kind: 'invalid';
  readonly problems: readonly string[];
}

interface SkillPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly connections: Pick<Connections, 'find'>;
  readonly skills: SkillRegistrations;
}

/** @param written the same instance, read so that no digit is lost */
const configured = (
  instance: unknown,
  written: unknown,
  catalogue: Catalogue,
): ConfiguredInstance[] => {
  if (!isJsonObject(instance) || !isJsonObject(written)) return [];
  const [skillId, label, version, values] = [
    'skill_id',
    'instance_label',
    'skill_version',
    'values',
  ].map(name => own(instance, name));
  const scale = usableScale(own(instance, 'authority_scale'));
  if (!isText(skillId) || !isText(label) || !isJsonObject(values)) return [];
  return [
    {
      skill_id: skillId,
      skill_version: isText(version) ? version : currentLibrary(catalogue).version,
      instance_label: label,
      ...instanceValues(values, own(written, 'values')),
      ...(scale && { authority_scale: scale }),
    },
  ];
};

const lines = ({ index, instance_label, problems }: CheckedInstance): string[] =>
  problems.map(
    problem =>
      `Instance ${index + 1}${instance_label && ` (${describeValue(instance_label)})`}: ${problem}`,
  );

/**
 * Reads a house's skills file, YAML or JSON, with the checks of `POST /api/skills/validate`: either
 * the whole file is valid, or nothing of it is used.
 */
export const checkRegistrationFile = (
  file: Uint8Array,
  rulebook: Rulebook,
): { kind: 'valid'; instances: readonly ConfiguredInstance[] } | InvalidFile => {
  const submission = readSubmission(file, '');
  if (submission.kind === 'unreadable') return { kind: 'invalid', problems: [submission.message] };
  const report = checkInstances(submission, rulebook);
  if (!report.valid)
    return { kind: 'invalid', problems: [...report.problems, ...report.instances.flatMap(lines)] };
  const exact = readSubmission(file, '', { isAsWritten: true });
  const written = exact.kind === 'submission' ? exact.instances : [];
  const instances = submission.instances.flatMap((instance, index) =>
    configured(instance, written[index], rulebook.catalogue),
  );
  return { kind: 'valid', instances };
};

const executorOf = async (ports: SkillPorts, id: string): Promise<Connection | Declined> => {
  const entry = await ports.connections.find(id);
  if (!entry || !isRegistered(entry.connection)) return noConnection(id);
  if (entry.connection.kind === 'consumer') return entry.connection;
  return declined(
    `${id} is a producer: skills are registered for the consumer that executes them.`,
  );
};

const labelTaken = (label: string): Declined =>
  declined(
    `The connection has an instance ${describeValue(label)} already: remove that one first. ` +
      'Nothing was registered.',
  );

/** An instance as it was configured, of which `textAsWritten` gives all digits. */
export const configuredInstance = (instance: ConfiguredInstance) => {
  const { skill_id, skill_version, instance_label, authority_scale } = instance;
  return {
    skill_id,
    skill_version,
    instance_label,
    ...(authority_scale && { authority_scale }),
    values: writtenValues(instance),
  };
};

const instanceProblem = (instances: readonly ConfiguredInstance[]): Declined | undefined => {
  const long = instances.find(({ instance_label }) => instance_label.length > labelCharacters);
  if (long)
    return declined(
      `The instance_label ${describeValue(long.instance_label)} has ` +
        `${long.instance_label.length} characters: at most ${labelCharacters} can be registered.`,
    );
  const large = instances.find(
    one => Buffer.byteLength(textAsWritten(configuredInstance(one))) > configurationBytes,
  );
  return (
    large &&
    declined(`The instance ${describeValue(large.instance_label)} is too large to be stored.`)
  );
};

interface Registered {
  readonly kind: 'registered';
  readonly registrations: readonly SkillRegistration[];
}

/**
 * Registers every instance of a house's skills file for an executor's connection, or none of them.
 */
export const registerSkills = async (
  ports: SkillPorts,
  connection: string,
  file: Uint8Array,
): Promise<Registered | InvalidFile | Declined> => {
  const checked = checkRegistrationFile(file, skillRulebook);
  if (checked.kind === 'invalid') return checked;
  const executor = await executorOf(ports, connection);
  if (isDeclined(executor)) return executor;
  const problem = instanceProblem(checked.instances);
  if (problem) return problem;
  const createdAt = timestamp(ports);
  const registrations = checked.instances.map(instance => ({
    ...instance,
    id: newId(ports, 'r'),
    connection,
    paused: false,
    createdAt,
  }));
  const conflict = await ports.skills.add(registrations, instanceSlots(executor));
  if (isDeclined(conflict)) return conflict;
  if (conflict) return labelTaken(conflict.taken);
  return { kind: 'registered', registrations };
};

/**
 * Puts the one instance of a skills file in the place of a registered one, which it may also give
 * another label; a pause stays. Undefined if somebody else has changed or ended the registration:
 * each replacement has an id of its own.
 */
export const replaceSkill = async (
  ports: SkillPorts,
  { connection, id }: Pick<SkillRegistration, 'connection' | 'id'>,
  file: Uint8Array,
): Promise<Registered | InvalidFile | Declined | undefined> => {
  const checked = checkRegistrationFile(file, skillRulebook);
  if (checked.kind === 'invalid') return checked;
  const [instance, ...more] = checked.instances;
  if (!instance || more.length > 0) return declined('The file must have exactly one instance.');
  const before = await ports.skills.find(connection, id);
  if (!before) return undefined;
  const executor = await executorOf(ports, connection);
  if (isDeclined(executor)) return executor;
  const problem = instanceProblem([instance]);
  if (problem) return problem;
  const { paused } = before;
  const after = {
    ...instance,
    id: newId(ports, 'r'),
    connection,
    paused,
    createdAt: timestamp(ports),
  };
  const result = await ports.skills.replace(before, after);
  if (result === 'changed') return undefined;
  if (result === 'taken') return labelTaken(after.instance_label);
  return { kind: 'registered', registrations: [after] };
};

/**
 * Pauses, resumes or removes one registration of a connection; undefined when there is none with
 * that id. Those of a connection that is revoked or suspended can only be removed.
 */
export const changeSkill = async (
  ports: SkillPorts,
  { connection, id }: Pick<SkillRegistration, 'connection' | 'id'>,
  change: 'pause' | 'resume' | 'remove',
): Promise<SkillRegistration | Declined | undefined> => {
  const executor = change === 'remove' ? undefined : await executorOf(ports, connection);
  if (isDeclined(executor)) return executor;
  const registration = await ports.skills.find(connection, id);
  if (!registration) return undefined;
  const paused = change === 'pause' || (change === 'remove' && registration.paused);
  const changed =
    change === 'remove'
      ? await ports.skills.remove(registration)
      : await ports.skills.setPaused(registration, paused);
  if (changed) return { ...registration, paused };
  return undefined;
};

export const labelsOf = (registrations: readonly SkillRegistration[]): string =>
  registrations
    .map(one => one.instance_label)
    .join(', ')
    .slice(0, 300);

/** A registered instance, without its values. */
export const registrationRecord = (registration: SkillRegistration) => ({
  registration_id: registration.id,
  skill_id: registration.skill_id,
  skill_version: registration.skill_version,
  instance_label: registration.instance_label,
  paused: registration.paused,
  created_at: registration.createdAt,
});

/** Registered instances as a skills file in YAML, which can be registered again. */
export const skillsFile = (registrations: readonly SkillRegistration[]): string =>
  yamlAsWritten({ skills: registrations.map(configuredInstance) }, 120);
