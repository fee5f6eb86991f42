import type { Directory } from '../access/people/organisations.ts';
import type { Connection } from '../access/registry/connection.ts';
import { type Declined, declined, isDeclined } from '../access/registry/declined.ts';
import { matches } from '../access/registry/patterns.ts';
import { isSubscribed } from '../access/registry/permissions.ts';
import { runSlots } from '../access/registry/slots.ts';
import type { QueueDepths } from '../bus/delivery/queues.ts';
import type { Slot } from '../contract/bounds.ts';
import {
  correlationOfRun,
  identifierBytes,
  newId,
  storyOfCase,
  testRunId,
} from '../contract/identifiers.ts';
import { limits } from '../contract/limits.ts';
import { type Clock, defined, type Ids } from '../contract/outside.ts';
import type { CheckedConnection } from '../contract/portal/checks.ts';
import { nearest } from '../platform/json/nearest.ts';
import type { ConfiguredInstance, SkillRegistrations } from '../skills/registrations.ts';
import { typesPlayed } from './consumer-plan.ts';
import type { CaseRecord } from './judging/record.ts';
import type { Case, CaseNeed } from './plan.ts';
import { fittingInstance, instanceOf, slots, slotsFor } from './plans.ts';
import { isRequired, roles } from './roles.ts';
import type { CheckRuns, Run, RunOptions } from './run.ts';
import { casesToChoose, labelKey } from './suites.ts';
import {
  busyWith,
  findTested,
  markAll,
  permissionProblem,
  type RunStarter,
  type TestedConnections,
  type TestedNames,
  type TestedPorts,
  triggerOf,
} from './tested.ts';

export interface StartPorts extends TestedPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly skills: Pick<SkillRegistrations, 'of'>;
  readonly depths: QueueDepths;
  readonly directory: Pick<Directory, 'find'>;
  readonly checkRuns: Pick<CheckRuns, 'add' | 'find'>;
  readonly busVersion: string;
}

/** A wanted run. `cases`: ids of cases, or names of skills; none: all. */
export interface StartRequest extends TestedNames, Partial<RunOptions> {}

const chosenCases = (
  all: readonly Case<unknown>[],
  names: readonly string[] = [],
): readonly Case<unknown>[] | Declined => {
  if (names.length === 0) return all;
  const isNamed = (name: string, { id }: Case<unknown>) =>
    id === name || id.startsWith(`${name.replace(/^smart-stories\//, '')}/`);
  const unknown = names.find(name => !all.some(testCase => isNamed(name, testCase)));
  if (unknown === undefined)
    return all.filter(testCase => names.some(name => isNamed(name, testCase)));

  const knownNames = all.flatMap(({ id }) => [id, id.split('/')[0] ?? '']);
  const near = nearest(unknown, knownNames);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return declined(`There is no case and no skill ${unknown}.${hint}`);
};

type Instances = Pick<Run['state'], 'instances' | 'labels' | 'registrations'>;

const labelsOf = (instances: readonly ConfiguredInstance[]): readonly string[] =>
  instances.map(({ instance_label }) => instance_label);

const instancesFor = async (
  ports: StartPorts,
  { kind, instances = 'registered', handedIn = [] }: StartRequest,
  { consumer, cases }: TestedConnections & { readonly cases: readonly Case<unknown>[] },
): Promise<Instances | Declined> => {
  if (kind !== 'executor' || !consumer) return { instances: {}, labels: [], registrations: {} };
  const present = await ports.skills.of(consumer.id);
  const needed = slotsFor(cases);

  if (instances === 'given') {
    const known = [...handedIn, ...present.filter(({ paused }) => !paused)];
    const fitting = needed.flatMap(slot => {
      const instance = fittingInstance(slot, known);
      return instance ? [[slot.id, instance] as const] : [];
    });
    const labels = labelsOf([...known, ...present]).map(labelKey);
    return { instances: Object.fromEntries(fitting), labels, registrations: {} };
  }

  const made = needed.map(slot => [slot.id, instanceOf(slot)] as const);
  const newLabels = labelsOf(made.map(([, instance]) => instance));
  const presentLabels = labelsOf(present);
  const taken = newLabels.find(label => presentLabels.includes(label));
  if (taken !== undefined)
    return declined(
      `${consumer.id} has an instance ${taken} already, which the run would register: remove it ` +
        'first.',
    );
  const registrations = Object.fromEntries(made.map(([slot]) => [slot, newId(ports, 'r')]));
  const labels = [...presentLabels, ...newLabels].map(labelKey);
  return { instances: Object.fromEntries(made), labels, registrations };
};

const missingInstance = (slotId: string): string => {
  const slot = slots.find(({ id }) => id === slotId);
  const values =
    slot?.deciding.map(name => `${name} ${JSON.stringify(slot.values[name] ?? false)}`) ?? [];
  return `No instance of ${slot?.skill} has ${values.join(', ')}.`;
};

const doesReceive = ({ consumer }: TestedConnections, messageType: string): boolean =>
  consumer !== undefined && isSubscribed(consumer, triggerOf(messageType));

/** Why a run cannot be started for a role; undefined if it can. */
const roleProblem = ({ kind, role }: StartRequest): string | undefined => {
  if (role === undefined) return undefined;
  const { name, proofs } = roles[role] ?? {};
  if (!proofs) return `There is no role ${role}. The roles are ${Object.keys(roles).join(', ')}.`;
  if (proofs[kind]) return undefined;
  return (
    `For ${name} there are runs of the kind ${Object.keys(proofs).join(', ')}: start such a run, ` +
    'or leave out the role.'
  );
};

const ownCasesProblem = ({ kind, ownCases }: StartRequest): string | undefined => {
  if (ownCases === undefined || kind === 'consumer') return undefined;
  return `Own cases are played to consumers: leave them out of a run of the kind ${kind}.`;
};

/** Why a case cannot be played: something is missing, or it says nothing about the connections. */
type Obstacle = Pick<CaseRecord, 'notRun' | 'notApplicable'>;

interface CaseFacts extends TestedConnections, Pick<Run['state'], 'instances'> {
  readonly restarts: boolean | undefined;
}

const noRestart = 'Nobody restarts the system in this run: give --restart.';

/** Why a need is not met; undefined if it is. */
const unmet = (need: CaseNeed, facts: CaseFacts): Obstacle | undefined => {
  const { producer, instances, restarts } = facts;
  if (need.kind === 'restart') return restarts ? undefined : { notApplicable: noRestart };
  if (need.kind === 'instance')
    return instances[need.slot] ? undefined : { notApplicable: missingInstance(need.slot) };
  const { kind, messageType } = need;
  if (kind === 'sends') {
    // A case may be about any message of a family.
    const isGranted = (grant: string) => matches(grant, messageType) || matches(messageType, grant);
    if (producer?.grants.some(isGranted)) return undefined;
    const problem = `The producer may not send ${messageType}`;
    return need.isWanted ? { notRun: `${problem}: grant it.` } : { notApplicable: `${problem}.` };
  }

  const isReceived = doesReceive(facts, messageType);
  if (isReceived === (kind === 'receives')) return undefined;
  if (!isReceived) return { notApplicable: `The consumer does not receive ${messageType}.` };
  return {
    notApplicable:
      `The consumer receives ${messageType}: only one that does not can show that it never ` +
      'comes.',
  };
};

const nameIn = async (
  { directory }: StartPorts,
  kind: 'app' | 'workspace',
  id: string,
): Promise<string | undefined> => (await directory.find(kind, id))?.name;

const checkedConnection = async (
  ports: StartPorts,
  { id, kind, app, systemIds }: Connection,
): Promise<CheckedConnection> =>
  defined({
    connection_id: id,
    kind,
    app_id: app,
    app_name: await nameIn(ports, 'app', app),
    system_ids: systemIds,
  });

const backlogNote = async (
  { depths }: StartPorts,
  { consumer }: TestedConnections,
): Promise<readonly string[]> => {
  const depth = consumer?.queue === undefined ? undefined : await depths.depth(consumer.queue);
  const waiting = (depth?.visible ?? 0) + (depth?.inFlight ?? 0);
  if (waiting === 0) return [];
  return [
    `About ${waiting} messages waited for ${consumer?.id} when the run began: they come before ` +
      'its fixtures.',
  ];
};

/** Only a consumer that names its producer has reactions that anybody sees. */
const reactingIn = ({ kind, producer }: StartRequest): Pick<RunOptions, 'isReacting'> =>
  kind === 'consumer' && producer !== undefined ? { isReacting: true } : {};

/** As many as a key has: nobody guesses the name of a report. */
const evidenceBytes = 16;

/** Stores a run whose connections are marked: they do not stay so without it. */
const stored = async (
  ports: StartPorts,
  run: Run,
  slots: readonly Slot[],
): Promise<Run | Declined> => {
  const unmark = async () => {
    for (const { connection_id } of run.connections)
      await ports.marks.unmark(connection_id, run.id);
  };
  try {
    const tooMany = await ports.checkRuns.add(run, slots);
    if (tooMany) await unmark();
    return tooMany ?? run;
  } catch (error) {
    // Perhaps only the response was lost.
    if (await ports.checkRuns.find(run.id)) return run;
    await unmark();
    throw error;
  }
};

const optionsOf = (
  {
    limitSeconds = limits.checks.limitSeconds.default,
    instances = 'registered',
    handedIn = [],
    bindsFirstSeen = false,
    messageTypes = [],
    role,
    systemVersion,
    reaction,
    withinSeconds,
    restarts,
    ownCases,
  }: StartRequest,
  chosen: Pick<RunOptions, 'receives' | 'cases' | 'isReacting'>,
): RunOptions => ({
  limitSeconds,
  instances,
  handedIn,
  bindsFirstSeen,
  messageTypes,
  ...chosen,
  ...defined({ role, systemVersion, reaction, withinSeconds, restarts, ownCases }),
});

const limitProblem = (request: StartRequest): string | undefined => {
  const { min, max } = limits.checks.limitSeconds;
  const { limitSeconds = min } = request;
  const isAllowed = Number.isInteger(limitSeconds) && limitSeconds >= min && limitSeconds <= max;
  if (isAllowed) return undefined;
  return `The limit must be a whole number of seconds from ${min} to ${max}.`;
};

/**
 * Starts a run, if nothing is in its way. The scheduled job does the work. Whoever is not the
 * operator can only test itself, and as an executor one more connection of its workspace and
 * organisation: this is decided here, for every way to start a run.
 */
export const startRun = async (
  ports: StartPorts,
  request: StartRequest,
  starter: RunStarter,
): Promise<Run | Declined> => {
  const wrongLimit = limitProblem(request);
  if (wrongLimit !== undefined) return declined(wrongLimit);
  const tested = await findTested(ports, request, starter);
  if (isDeclined(tested)) return tested;
  const connections = [tested.consumer, tested.producer].filter(
    connection => connection !== undefined,
  );
  const busy = await busyWith(ports, connections);
  if (busy) return busy;
  const problem =
    ownCasesProblem(request) ?? roleProblem(request) ?? permissionProblem(request.kind, tested);
  if (problem !== undefined) return declined(problem);

  const receives = typesPlayed.filter(type => doesReceive(tested, type));
  const reacting = reactingIn(request);
  const all = casesToChoose(request.kind, { ...request, receives, ...reacting });
  const chosen = chosenCases(all, request.cases);
  if (isDeclined(chosen)) return chosen;
  const isOfRole = ({ id }: Case<unknown>) => request.role !== undefined && isRequired(request, id);
  const cases = all.filter(testCase => chosen.includes(testCase) || isOfRole(testCase));
  const instances = await instancesFor(ports, request, { ...tested, cases: chosen });
  if (isDeclined(instances)) return instances;

  const facts = { ...tested, ...instances, restarts: request.restarts, chosen };
  const workspace = connections[0]?.workspace ?? '';
  const id = testRunId(ports.ids.random(identifierBytes));
  const run: Run = {
    id,
    kind: request.kind,
    workspace,
    connections: await Promise.all(
      connections.map(connection => checkedConnection(ports, connection)),
    ),
    ...defined({ consumer: tested.consumer?.id, producer: tested.producer?.id }),
    options: optionsOf(request, { receives, ...reacting, cases: cases.map(({ id }) => id) }),
    ...defined({ workspaceName: await nameIn(ports, 'workspace', workspace) }),
    evidence: Buffer.from(ports.ids.random(evidenceBytes)).toString('hex'),
    busVersion: ports.busVersion,
    createdAt: ports.clock.now(),
    status: 'running',
    state: {
      ...instances,
      cases: recordsOf(id, cases, facts),
      receives: [],
      notes: await backlogNote(ports, tested),
    },
  };

  const lost = await markAll(ports, run, connections);
  return lost ?? stored(ports, run, connections[0] ? runSlots(connections[0]) : []);
};

const recordsOf = (
  run: string,
  cases: readonly Case<unknown>[],
  facts: CaseFacts & { readonly chosen: readonly unknown[] },
): Run['state']['cases'] =>
  cases
    .filter(({ pending }) => pending === undefined)
    .map((testCase, number) => {
      const { id, needs } = testCase;
      const obstacles = needs.flatMap(need => unmet(need, facts) ?? []);
      if (!facts.chosen.includes(testCase))
        obstacles.push({ notRun: 'It was not chosen for this run.' });
      return {
        id,
        correlationId: correlationOfRun(run, number),
        storyId: storyOfCase(run, id),
        ...obstacles[0],
        steps: [],
      };
    });
