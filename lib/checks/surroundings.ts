import type { History, ReceiveRecord } from '../activity/records.ts';
import { limits } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import type { Credentials } from '../registry/connection.ts';
import { isDeclined, timestamp } from '../registry/operator.ts';
import { instanceSlots } from '../registry/slots.ts';
import type { SkillRegistrations } from '../skills/registrations.ts';
import { entriesOf, type PlayPorts } from './play.ts';
import { type Attempt, acceptedAttempt, type CaseRecord, type PlayedStep } from './record.ts';
import type { Run, RunState, Seen } from './run.ts';

interface SurroundingPorts {
  readonly clock: Clock;
  readonly connections: Pick<Credentials, 'find'>;
  readonly skills: Pick<SkillRegistrations, 'find' | 'add'>;
  readonly history: Pick<History, 'receivesOf'>;
}

const { registrationSeconds, runSeconds } = limits.checks;

/** Why a run cannot go on; undefined if it can. */
export const endOf = async (
  { connections, clock }: SurroundingPorts,
  run: Run,
): Promise<string | undefined> => {
  if (run.stop !== undefined) return run.stop;
  if (clock.now() >= run.createdAt + runSeconds * 1000)
    return `It took longer than ${runSeconds / 3600} hours.`;
  for (const { connection_id: id, kind } of run.connections) {
    const connection = (await connections.find(id))?.connection;
    if (!connection || connection.status === 'revoked')
      return `The ${kind} connection ${id} was revoked in mid-run.`;
    if (connection.isSuspended) return `The ${kind} connection ${id} was suspended in mid-run.`;
    if (connection.status === 'paused') return `The ${kind} connection ${id} was paused in mid-run.`;
  }
  return undefined;
};

const labelNote = ({ taken }: { readonly taken: string }): string =>
  `Somebody registered ${taken} at the same time: the run takes the instances that are there.`;

const registered = async (ports: SurroundingPorts, run: Run): Promise<RunState> => {
  const { state, consumer = '' } = run;
  const createdAt = timestamp(ports);
  const [first] = Object.values(state.registrations);
  // A turn that stopped halfway may have added them.
  const isDone = first === undefined || (await ports.skills.find(consumer, first)) !== undefined;
  const registrations = Object.entries(state.instances).map(([slot, instance]) => ({
    ...instance,
    id: state.registrations[slot] ?? '',
    connection: consumer,
    paused: false,
    createdAt,
  }));
  const executor = isDone ? undefined : (await ports.connections.find(consumer))?.connection;
  const conflict = executor && (await ports.skills.add(registrations, instanceSlots(executor)));
  const notes = conflict === undefined ? [] : [isDeclined(conflict) ? conflict.reason : labelNote(conflict)];
  return { ...state, registeredAt: ports.clock.now(), notes: [...state.notes, ...notes] };
};

const withoutPlays = (state: RunState, reason: string): RunState => ({
  ...state,
  cases: state.cases.map(one => (one.notRun === undefined ? { ...one, notRun: reason } : one)),
});

/**
 * A run before its first play: it waits until every process of the bus knows that the connections are under test, then it registers what
 * its cases need, and waits until the executor has read that.
 */
export const prepared = async (
  ports: SurroundingPorts,
  run: Run,
  seen: readonly Seen[],
): Promise<{ readonly state: RunState; readonly isReady: boolean }> => {
  const { state, options, kind, createdAt } = run;
  if (state.playedAt !== undefined) return { state, isReady: true };
  const now = ports.clock.now();
  // Before that, warnings from these instances would reach other consumers.
  if (now < createdAt + (limits.registryCacheSeconds + 1) * 1000) return { state, isReady: false };
  const isRegistering = kind === 'executor' && options.instances === 'registered';
  if (isRegistering && state.registeredAt === undefined)
    return { state: await registered(ports, run), isReady: false };
  const { registeredAt = 0 } = state;
  const hasRead = seen.some(
    ({ sighting }) => sighting.kind === 'registrations' && sighting.at >= registeredAt,
  );
  if (!isRegistering || hasRead || Object.keys(state.registrations).length === 0)
    return { state, isReady: true };
  if (now < registeredAt + registrationSeconds * 1000) return { state, isReady: false };
  const reason = `The executor did not read its registrations within ${registrationSeconds / 60} minutes: let it read GET /v1/tenants/{t}/consumers/{c}/skills, or start the run with the instances that it has (given).`;
  return { state: withoutPlays(state, reason), isReady: true };
};

const unacknowledged = (steps: readonly PlayedStep[], known: readonly ReceiveRecord[]): readonly string[] => {
  const isAcknowledged = (messageId: string, replay: string | undefined) =>
    known.some(
      one => one.messageId === messageId && one.replay === replay && one.acknowledgedAt !== undefined,
    );
  return steps.flatMap(({ played, replay }) =>
    played.map(({ messageId }) => messageId).filter(messageId => !isAcknowledged(messageId, replay)),
  );
};

const openSteps = (cases: readonly CaseRecord[]): readonly PlayedStep[] =>
  cases.flatMap(({ steps }) => {
    const last = steps.at(-1);
    return last && !last.isPlanned && last.settledAt === undefined ? [last] : [];
  });

const received = async (
  { history }: SurroundingPorts,
  { workspace, consumer, state }: Run,
  steps: readonly PlayedStep[],
): Promise<readonly ReceiveRecord[]> => {
  const looked = new Set(unacknowledged(steps, state.receives));
  const accepted = state.cases
    .flatMap(one => one.steps)
    .filter(({ replay }) => replay === undefined)
    .flatMap(({ played }) => played.map(({ messageId, at }) => [messageId, at] as const))
    .filter(([messageId]) => looked.has(messageId));
  const receives = await history.receivesOf(workspace, new Map(accepted));
  return [
    ...state.receives.filter(({ messageId }) => !looked.has(messageId)),
    ...receives.filter(({ connection }) => connection === consumer),
  ];
};

export const look = (ports: SurroundingPorts, run: Run): Promise<readonly ReceiveRecord[]> =>
  received(ports, run, openSteps(run.state.cases));

/** The same at the end: what was acknowledged after its step was over counts as late, and not as left behind. */
export const lookAtAll = (ports: SurroundingPorts, run: Run): Promise<readonly ReceiveRecord[]> =>
  received(
    ports,
    run,
    run.state.cases.flatMap(({ steps }) => steps),
  );

const storiesAtOnce = 10;

/**
 * The last look over the stories of a run: what the producer under test published there and the run was not told of, because the process
 * that should have told it stopped in between.
 */
export const missedAttempts = async (
  ports: Pick<PlayPorts, 'log'>,
  run: Run,
  known: readonly Attempt[],
): Promise<readonly Attempt[]> => {
  const ids = new Set(known.map(({ messageId }) => messageId));
  const played = run.state.cases.filter(({ steps }) => steps.length > 0);
  const missed: Attempt[] = [];
  for (let from = 0; from < played.length; from += storiesAtOnce) {
    const some = played.slice(from, from + storiesAtOnce);
    const found = await Promise.all(some.map(one => entriesOf(ports, run, one.correlationId)));
    const own = found
      .flat()
      .filter(({ producer, messageId }) => producer === run.producer && !ids.has(messageId));
    missed.push(...own.map(({ body, acceptedAt }) => acceptedAttempt(body, acceptedAt)));
  }
  return missed;
};
