import { isDeclined } from '../access/registry/declined.ts';
import { instanceSlots } from '../access/registry/slots.ts';
import type { ReceiveRecord } from '../bus/activity/records.ts';
import { limits } from '../contract/limits.ts';
import { timestamp } from '../contract/outside.ts';
import { textOf } from '../platform/json/value.ts';
import {
  acceptedAttempt,
  type CaseRecord,
  isAbout,
  isAccepted,
  type PlayedStep,
  type RunRecord,
  type SeenAttempt,
  warningType,
} from './judging/record.ts';
import { entriesOf } from './play.ts';
import type { DrivePorts, Run, RunState, StoredSighting } from './run.ts';

const { registrationSeconds, runSeconds, missed, missedBytes } = limits.checks;

/** Why a run cannot go on; undefined if it can. */
export const endOf = async (
  { connections, clock }: DrivePorts,
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
    if (connection.status === 'paused')
      return `The ${kind} connection ${id} was paused in mid-run.`;
  }
  return undefined;
};

const registered = async (ports: DrivePorts, run: Run): Promise<RunState> => {
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
  const registeredAt = ports.clock.now();
  if (conflict === undefined) return { ...state, registeredAt };
  const note = isDeclined(conflict)
    ? conflict.reason
    : `Somebody registered ${conflict.taken} at the same time: the run takes the instances that are there.`;
  return { ...state, registeredAt, notes: [...state.notes, note] };
};

/**
 * A run before its first play: it waits until every process of the bus knows that the connections
 * are under test, then it registers what its cases need, and waits until the executor has read
 * that.
 */
export const prepared = async (
  ports: DrivePorts,
  run: Run,
  seen: readonly StoredSighting[],
): Promise<{ readonly state: RunState; readonly isReady: boolean }> => {
  const { state, options, kind, createdAt } = run;
  if (state.playedAt !== undefined) return { state, isReady: true };
  const now = ports.clock.now();
  // Before that, warnings from these instances would reach other consumers.
  if (now < createdAt + (limits.registryCacheSeconds + 1) * 1000) return { state, isReady: false };
  if (kind !== 'executor' || options.instances === 'given') return { state, isReady: true };
  const { registeredAt } = state;
  if (registeredAt === undefined) return { state: await registered(ports, run), isReady: false };
  const hasRead = seen.some(
    ({ sighting }) => sighting.kind === 'registrations' && sighting.at >= registeredAt,
  );
  if (hasRead || Object.keys(state.registrations).length === 0) return { state, isReady: true };
  if (now < registeredAt + registrationSeconds * 1000) return { state, isReady: false };
  const notRun =
    `The executor did not read its registrations within ${registrationSeconds / 60} minutes: ` +
    'let it read GET /v1/tenants/{t}/consumers/{c}/skills, or start the run with the instances ' +
    'that it has (given).';
  return {
    state: { ...state, cases: state.cases.map(own => ({ notRun, ...own })) },
    isReady: true,
  };
};

const isOpen = ({ isPlanned, settledAt }: PlayedStep): boolean =>
  !isPlanned && settledAt === undefined;

/**
 * What the consumer received of the run's messages: what was acknowledged is not read again, and
 * only at the end what belongs to steps that are over, so that it counts as late, and not as left
 * behind.
 */
export const receivesOf = async (
  { history }: DrivePorts,
  { workspace, consumer, state }: Run,
  isEnd = false,
): Promise<readonly ReceiveRecord[]> => {
  const lookedAt = state.cases.flatMap(({ steps }) =>
    isEnd ? steps : steps.slice(-1).filter(isOpen),
  );
  const acknowledged = state.receives.filter(receive => receive.acknowledgedAt !== undefined);
  const isAcknowledged = (messageId: string, replay: string | undefined) =>
    acknowledged.some(receive => receive.messageId === messageId && receive.replay === replay);
  const lookedIds = new Set(
    lookedAt.flatMap(({ played, replay }) =>
      played
        .map(({ messageId }) => messageId)
        .filter(messageId => !isAcknowledged(messageId, replay)),
    ),
  );
  const accepted = state.cases
    .flatMap(({ steps }) => steps)
    .filter(({ replay }) => replay === undefined)
    .flatMap(({ played }) => played.map(({ messageId, at }) => [messageId, at] as const))
    .filter(([messageId]) => lookedIds.has(messageId));
  const receives = await history.receivesOf(workspace, new Map(accepted));
  return [
    ...state.receives.filter(({ messageId }) => !lookedIds.has(messageId)),
    ...receives.filter(({ connection }) => connection === consumer),
  ];
};

const storiesAtOnce = 10;

/** Whether a message is kept with what was seen: it is, while all of them are short enough. */
const withinBytes = () => {
  let bytes = 0;
  return ({ message, ...seen }: SeenAttempt): SeenAttempt => {
    bytes += seen.sizeBytes;
    return bytes <= missedBytes && message ? { ...seen, message } : seen;
  };
};

/**
 * The last look over the stories of a run: what the producer under test published there and the run
 * was not told of, because the process that should have told it stopped in between. There are few
 * of these: it keeps `missed` at most, and `missedBytes` of their messages.
 */
export const missedAttempts = async (
  ports: DrivePorts,
  run: Run,
  known: readonly SeenAttempt[],
): Promise<readonly SeenAttempt[]> => {
  const ids = new Set(known.map(({ messageId }) => messageId));
  const played = run.state.cases.filter(({ steps }) => steps.length > 0);
  const found: SeenAttempt[] = [];
  const kept = withinBytes();
  const lookInto = async ({ correlationId }: CaseRecord): Promise<void> => {
    for await (const { producer, messageId, body, acceptedAt } of entriesOf(
      ports,
      run,
      correlationId,
    )) {
      if (found.length === missed) return;
      if (producer !== run.producer || ids.has(messageId)) continue;
      found.push(kept(acceptedAttempt(body, acceptedAt)));
    }
  };
  for (let from = 0; from < played.length; from += storiesAtOnce)
    await Promise.all(played.slice(from, from + storiesAtOnce).map(lookInto));
  return found;
};

const straysLookedAt = 50;
/** A warning comes soon after its cause: so many entries before it are looked at. */
const entriesBefore = 200;

const isCauseOnBus = async (
  { log }: DrivePorts,
  { workspace }: Run,
  { correlationId = '', message }: SeenAttempt,
): Promise<boolean> => {
  const cause = textOf(message, 'causation_id');
  if (cause === '') return false;
  const key = { workspace, correlationId };
  const { last } = await log.head(key);
  let from = Math.max(1, last - entriesBefore);
  while (from <= last) {
    const page = await log.entries(key, from, last);
    if (page.length === 0) return false;
    if (page.some(({ messageId }) => messageId === cause)) return true;
    from += page.length;
  }
  return false;
};

/**
 * The warnings that are about no story of the run, and answer no message on the bus: a house may
 * have stories of its own meanwhile, which the executor evaluates as well.
 */
export const strayWarnings = async (
  ports: DrivePorts,
  run: Run,
  { cases, attempts }: RunRecord,
): Promise<readonly string[]> => {
  if (run.kind !== 'executor') return [];
  const others = attempts.filter(
    attempt =>
      isAccepted(attempt) &&
      attempt.messageType === warningType &&
      !cases.some(own => isAbout(own, attempt)),
  );
  const strays: string[] = [];
  for (const warning of others.slice(0, straysLookedAt))
    if (!(await isCauseOnBus(ports, run, warning))) strays.push(warning.messageId ?? '');
  return strays;
};
