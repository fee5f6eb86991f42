import type { Connection } from '../access/registry/connection.ts';
import type { Correlation, Entry, EntryWithoutBody } from '../bus/delivery/log.ts';
import { publish } from '../bus/publishing/publish.ts';
import { testSystem } from '../contract/identifiers.ts';
import { limits } from '../contract/limits.ts';
import { defined } from '../contract/outside.ts';
import { isPassingRule } from '../contract/rules.ts';
import { fixtureBody } from './fixture.ts';
import type { CaseRecord, PlayedMessage, PlayedStep } from './judging/record.ts';
import type { Action, Case } from './plan.ts';
import type { DrivePorts, Run } from './run.ts';

/**
 * The producer of a run's fixtures. It exists for the length of a publish only: nothing of it is
 * registered or left behind.
 */
const playerOf = ({ id, workspace, createdAt }: Run): Connection => ({
  id,
  kind: 'producer',
  status: 'active',
  organisation: '',
  workspace,
  app: '',
  credentialVersion: 1,
  tier: 'high',
  systemIds: [testSystem],
  grants: ['*'],
  receives: [],
  sources: [],
  createdAt: new Date(createdAt).toISOString(),
});

/** A play that took longer was repeated, or its delivery was. */
const slowMilliseconds = 1000;

const isSnapshot = ({ messageType }: PlayedMessage): boolean => messageType === 'story.context';

const acceptedEntry = async (
  { ledger, log }: DrivePorts,
  key: Correlation & { readonly messageId: string },
): Promise<Entry | undefined> => {
  const { accepted } = await ledger.read(key);
  if (accepted === undefined) return undefined;
  const [entry] = await log.entries(key, accepted.number, accepted.number);
  return entry;
};

/** Publishes one fixture; undefined if it has to be tried again. */
const playFixture = async (
  ports: DrivePorts,
  run: Run,
  facts: {
    body: Uint8Array;
    planned: PlayedMessage;
    own: CaseRecord;
    isWithheld: boolean;
  },
): Promise<PlayedMessage | undefined> => {
  const { body, planned, own, isWithheld } = facts;
  // Nobody gets what is withheld.
  const consumer = isWithheld ? '' : run.consumer;
  const ofRun = { kind: 'of run', ...defined({ consumer }) } as const;
  const verdict = await publish(ports)(body, playerOf(run), { audienceOf: async () => ofRun });
  if (verdict.kind !== 'refused') {
    const { workspace } = run;
    const { messageId } = planned;
    const entry = await acceptedEntry(ports, {
      workspace,
      correlationId: own.correlationId,
      messageId,
    });
    // An earlier turn that stopped may have published it.
    return { ...planned, at: entry?.acceptedAt ?? planned.at };
  }
  const rules = verdict.violations.map(({ rule }) => rule);
  return rules.some(isPassingRule) ? undefined : { ...planned, rules };
};

/** Publishes the fixtures of a step, in order; undefined if it has to be tried again. */
const playAll = async (
  ports: DrivePorts,
  run: Run,
  {
    action,
    own,
    step,
  }: { action: Extract<Action, { kind: 'play' }>; own: CaseRecord; step: PlayedStep },
): Promise<readonly PlayedMessage[] | undefined> => {
  const played: PlayedMessage[] = [];
  const before = own.steps.slice(0, -1).filter(({ replay }) => replay === undefined);
  let sequenceNumber = before.flatMap(earlier => earlier.played).filter(isSnapshot).length;
  const { fixtures, isWithheld = false } = action;
  for (const [index, fixture] of fixtures.entries()) {
    const planned = step.played[index];
    if (!planned) return undefined;
    if (isSnapshot(planned)) sequenceNumber += 1;
    const { storyId, correlationId } = own;
    const startedAt = own.steps[0]?.plannedAt ?? planned.at;
    const place = {
      storyId,
      correlationId,
      messageId: planned.messageId,
      startedAt,
      now: planned.at,
    };
    const body = fixtureBody(fixture, { ...place, sequenceNumber, systemId: testSystem });
    const done = await playFixture(ports, run, { body, planned, own, isWithheld });
    if (!done) return undefined;
    played.push(done);
  }
  return played;
};

/**
 * The log of a story of a run, from its beginning on: whoever is tested may fill it, so that only
 * so much is read of it, and no more than a page of it is in memory.
 */
export async function* entriesOf(
  { log }: Pick<DrivePorts, 'log'>,
  { workspace }: Pick<Run, 'workspace'>,
  correlationId: string,
): AsyncGenerator<Entry, void, undefined> {
  const key = { workspace, correlationId };
  const { last } = await log.head(key);
  let from = 1;
  for (let pages = 0; pages < limits.checks.storyPages && from <= last; pages += 1) {
    const page = await log.entries(key, from, last);
    yield* page;
    from = (page.at(-1)?.number ?? last) + 1;
  }
}

/**
 * Puts accepted messages once more into the consumer's queue, bytes unchanged. A repeated call
 * changes nothing for five minutes.
 */
const sendAgain = async (
  ports: DrivePorts,
  run: Run,
  { own, step }: { own: CaseRecord; step: PlayedStep },
): Promise<void> => {
  const { consumer = '', workspace } = run;
  const { replay = '' } = step;
  const queue = (await ports.connections.find(consumer))?.connection.queue;
  const wanted = new Set(step.played.map(({ messageId }) => messageId));
  const sent: EntryWithoutBody[] = [];
  for await (const entry of entriesOf(ports, run, own.correlationId)) {
    if (!wanted.has(entry.messageId)) continue;
    if (queue !== undefined) await ports.queues.send(queue, entry, replay);
    const { body: _, ...rest } = entry;
    sent.push(rest);
    if (sent.length === wanted.size) break;
  }
  const replayed = {
    kind: 'replayed',
    connection: consumer,
    workspace,
    at: step.at,
    replay,
  } as const;
  await ports.recorder.record({ ...replayed, messages: sent });
};

export const playStep = async (
  ports: DrivePorts,
  run: Run,
  { testCase, own }: { testCase: Case<unknown>; own: CaseRecord },
): Promise<CaseRecord> => {
  const step = own.steps.at(-1);
  const action = testCase.steps[own.steps.length - 1]?.action;
  if (!step || !action) return own;
  const { isPlanned: _, ...done } = step;
  const finished = (played: readonly PlayedMessage[]): CaseRecord => ({
    ...own,
    steps: [...own.steps.slice(0, -1), { ...done, ...timesOf(played), played }],
  });
  /** A message that was accepted before now came into the queue now at the latest. */
  const timesOf = (played: readonly PlayedMessage[]) => {
    const { at = done.at } = played[0] ?? {};
    const now = ports.clock.now();
    return now - at > slowMilliseconds ? { at, deliveredAt: now } : { at };
  };
  switch (action.kind) {
    case 'play': {
      const played = await playAll(ports, run, { action, own, step });
      return played ? finished(played) : own;
    }
    case 'again':
      await sendAgain(ports, run, { own, step });
      return finished(step.played);
    case 'inject':
      await ports.checkRuns.setFaults(run.id, {
        refusals: 0,
        losses: 0,
        status: 503,
        ...action.faults,
      });
      return finished([]);
    case 'watch':
      return finished([]);
  }
};
