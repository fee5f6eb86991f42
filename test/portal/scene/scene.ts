import { createHash } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { requestOrganisation } from '../../../lib/access/people/approval.ts';
import { createGuestConnection } from '../../../lib/access/people/guests.ts';
import { acceptInvitation, inviteVendor } from '../../../lib/access/people/invitations.ts';
import { addMember } from '../../../lib/access/people/members.ts';
import { createOrganisation, createWorkspace } from '../../../lib/access/people/organisations.ts';
import type { Connection } from '../../../lib/access/registry/connection.ts';
import { createConnection, pauseConnection } from '../../../lib/access/registry/connections.ts';
import { awsRecorder } from '../../../lib/bus/activity/records.dynamodb.ts';
import type {
  AcceptedNames,
  Receive,
  Recorder,
  RefusedTexts,
} from '../../../lib/bus/activity/records.ts';
import { awsRefusedTexts } from '../../../lib/bus/activity/refused-texts.dynamodb.ts';
import type { Entry } from '../../../lib/bus/delivery/log.ts';
import { awsQueues } from '../../../lib/bus/delivery/queues.sqs.ts';
import type { Queues } from '../../../lib/bus/delivery/queues.ts';
import type { Replay } from '../../../lib/bus/replay/replay.ts';
import { startRun } from '../../../lib/checks/start.ts';
import { dayMilliseconds } from '../../../lib/contract/limits.ts';
import { type LocalEnv, localTables } from '../../../lib/local/env.ts';
import { clientConfig, clientOf } from '../../../lib/platform/aws/clients.ts';
import type { Table } from '../../../lib/platform/aws/table.ts';
import type { Person } from '../../../lib/portal/session.ts';
import { factsOf } from '../../../lib/som/messages/read-message.ts';
import { type OperatorPorts, operatorPorts } from '../../../lib/wiring/operator.ts';
import { guardedQueueHome } from '../../../lib/wiring/registry.ts';
import { settled } from '../../support/running-registry.ts';
import { busyStory } from './busy-story.ts';
import { appNames, systems } from './headlines.ts';
import { uuidOf } from './ids.ts';
import { writeEntries } from './ledger.ts';
import { planned } from './messages.ts';

/** Engines to build a scene on, whose clock it moves while it writes what happened before `now`. */
export interface Stage {
  readonly env: LocalEnv;
  readonly now: number;
  /** Lets the engines' clock say a time; epoch milliseconds. */
  setTime(time: number): void;
}

/** How much there is; each part can be made smaller for a test that needs little of it. */
export const sceneSize = { connections: 300, messages: 5_000, waiting: 20_000, changes: 250 };

export type SceneSize = typeof sceneSize;

interface Parts {
  readonly ports: OperatorPorts;
  /** The same, some weeks ago: most connections were made then. */
  readonly past: OperatorPorts;
  readonly ledger: Table;
  readonly recorder: Recorder;
  readonly queues: Queues;
  readonly refusedTexts: RefusedTexts;
}

/** Random bytes that are the same in every run. */
const countedIds = () => {
  let count = 0;
  return {
    random(bytes: number): Uint8Array {
      count += 1;
      return createHash('sha512').update(`scene ${count}`).digest().subarray(0, bytes);
    },
  };
};

const partsOn = ({ env, now }: Stage): Parts => {
  const ports = operatorPorts(env);
  const past = { ...ports, clock: { ...ports.clock, now: () => now - 30 * dayMilliseconds } };
  const client = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  const sqs = clientOf(env, 'SQS', new SQSClient(clientConfig(env, 'SQS')));
  const lost = (kind: string, error: unknown) => {
    throw new Error(`A record of the scene was lost: ${kind}.`, { cause: error });
  };
  const activity = { client, name: localTables.activity };
  return {
    ports,
    past,
    ledger: { client, name: localTables.ledger },
    recorder: awsRecorder(activity, { ids: countedIds(), archiveDays: 30, lost }),
    queues: awsQueues({ ...guardedQueueHome(env), client: sqs }),
    refusedTexts: awsRefusedTexts(activity),
  };
};

const nothing = { systemIds: [], grants: [], receives: [], sources: [] };

const person = (subject: string, name: string): Person => ({ issuer: 'local', subject, name });

/** Who is there. `owner` is the name of the local owner, who signs in at a laptop. */
const people = {
  owner: person('owner', 'Zoë Ångström-Ó Súilleabháin'),
  editor: person('ann', '安娜'),
  viewer: person('vic', 'Víctor'),
  guest: person('guest', 'غيث'),
} as const;

const makeHouse = async ({ ports }: Parts) => {
  const house = await createOrganisation(ports, { name: 'Rundfunk Ñandú 日本', tier: 'high' });
  const made = settled(
    await createWorkspace(ports, { name: 'Newsroom Zürich — الأخبار', organisation: house.id }),
  );
  for (const role of ['owner', 'editor', 'viewer'] as const)
    settled(await addMember(ports, { ...people[role], organisation: house.id, role }));
  return { house: house.id, workspace: made.id };
};

type House = Awaited<ReturnType<typeof makeHouse>>;

/**
 * The eight systems, each as a producer and a consumer; the consumers that need somebody; and all
 * others.
 */
const makeConnections = async ({ ports, past }: Parts, { workspace }: House, count: number) => {
  const make = async (kind: Connection['kind'], app: string, receives = ['*'], at = past) => {
    const lists = kind === 'producer' ? { grants: ['*'], systemIds: [app] } : { receives };
    const wanted = { ...nothing, ...lists, kind, workspace, app };
    return settled(await createConnection(at, wanted, { force: true })).connection;
  };
  const producers: Connection[] = [];
  const consumers: Connection[] = [];
  for (const app of systems) {
    producers.push(await make('producer', app));
    consumers.push(await make('consumer', app));
  }
  const stuck = await make('consumer', 'stuck-playout');
  const slow = await make('consumer', 'slow-analytics');
  const replayed = await make('consumer', 'late-newcomer', ['*'], ports);
  const paused = await make('consumer', 'paused-subtitles');
  const others: Connection[] = [];
  for (let index = producers.length + consumers.length + 6; index < count; index += 1) {
    const kind = index % 2 === 0 ? 'producer' : 'consumer';
    others.push(await make(kind, `${appNames[index % appNames.length]}-${index}`, ['asset.*']));
  }
  return { producers, consumers, stuck, slow, replayed, paused, others };
};

const makeGuest = async ({ past: ports }: Parts, { workspace }: House) => {
  const terms = {
    kinds: ['producer', 'consumer'],
    grants: ['link.*'],
    receives: ['link.*'],
  } as const;
  const invitation = settled(await inviteVendor(ports, { workspace, terms }));
  const taken = await acceptInvitation(ports, invitation, {
    person: people.guest,
    newVendor: 'ウィジェット GmbH',
  });
  const { organisation } = settled(taken);
  const made = { ...nothing, workspace, app: 'guest-widgets', organisation };
  const producer = settled(
    await createGuestConnection(ports, { ...made, kind: 'producer', grants: ['link.*'] }),
  );
  const consumer = settled(
    await createGuestConnection(ports, { ...made, kind: 'consumer', receives: ['link.*'] }),
  );
  return { organisation, producer: producer.connection, consumer: consumer.connection };
};

/** Somebody asks for an organisation, and the operator has not decided. */
const askFor = async ({ ports }: Parts) => {
  const requested = await requestOrganisation(ports, {
    name: 'Øresund Grafik — غرافيك',
    type: 'vendor',
    reason: 'We deliver the graphics of the evening news,\nand test them in March.',
    requestedBy: person('asker', 'Ðorđe Šarić'),
  });
  return settled(requested).id;
};

/** Connections of the house and of a guest: everything but what happened. */
const makeCast = async (parts: Parts, size: SceneSize) => {
  const house = await makeHouse(parts);
  const connections = await makeConnections(parts, house, size.connections);
  const guest = await makeGuest(parts, house);
  const requested = await askFor(parts);
  return { ...house, ...connections, guest, requested };
};

export type Cast = Awaited<ReturnType<typeof makeCast>>;

/**
 * Accepted messages, one a second until a minute ago; the last `waiting` of them are for the stuck
 * consumer.
 */
const makeEntries = (
  { producers, consumers, stuck, slow, workspace }: Cast,
  size: SceneSize,
  now: number,
) => {
  const count = Math.max(size.messages, size.waiting);
  const everybody = consumers.map(({ id }) => id);
  const plan = {
    workspace,
    producers: producers.map(({ id, systemIds: [systemId = ''] }) => ({ id, systemId })),
    targetsOf: (index: number) => [
      ...(index >= count - size.waiting ? [stuck.id] : []),
      ...(index >= count - size.messages ? [...everybody, slow.id] : []),
    ],
    count,
    from: now - 60_000 - count * 1_000,
    stepMilliseconds: 1_000,
  };
  return [...planned(plan)];
};

const isFor = (connection: Connection) => (entry: Entry) =>
  entry.targets.some(target => target.connection === connection.id);

/** Sends entries to a queue, each at the time of its publish. */
const send = async ({ queues }: Parts, stage: Stage, to: Connection, entries: readonly Entry[]) => {
  for (const entry of entries) {
    stage.setTime(entry.acceptedAt);
    await queues.send(to.queue ?? '', entry);
  }
  stage.setTime(stage.now);
};

const receiveOf = (entry: Entry, afterMilliseconds: number): Receive => ({
  messageId: entry.messageId,
  messageType: entry.messageType,
  correlationId: entry.correlationId,
  acceptedAt: entry.acceptedAt,
  pull: `pull-${entry.number}`,
  takenAt: entry.acceptedAt + afterMilliseconds,
  visibleAt: entry.acceptedAt + afterMilliseconds + 60_000,
  receiveCount: 1,
});

/** Ten messages at a time are received, and acknowledged a second later. */
const consume = async (
  { recorder }: Parts,
  { id: connection, workspace }: Connection,
  entries: readonly Entry[],
  afterMilliseconds: number,
) => {
  for (let from = 0; from < entries.length; from += 10) {
    const receives = entries
      .slice(from, from + 10)
      .map(entry => receiveOf(entry, afterMilliseconds));
    const at = Math.max(...receives.map(({ takenAt }) => takenAt));
    await recorder.record({ kind: 'received', connection, workspace, at, receives });
    await recorder.record({
      kind: 'acknowledged',
      connection,
      workspace,
      at: at + 1_000,
      receives,
    });
  }
};

/** What the last messages left in the records: counts and titles. */
const recordPublishes = async (
  { recorder }: Parts,
  { workspace }: Cast,
  entries: readonly Entry[],
) => {
  for (const {
    producer: connection,
    acceptedAt: at,
    messageType,
    body,
    correlationId,
    targets,
  } of entries) {
    const { story_id: storyId, headline, slug } = factsOf(messageType, body);
    const title =
      storyId === undefined
        ? {}
        : { title: { storyId, correlationId, headline: headline ?? '', slug: slug ?? '' } };
    await recorder.record({
      kind: 'accepted',
      connection,
      workspace,
      at,
      copies: targets.length,
      ...title,
    });
  }
};

/** Other texts under the ids of accepted messages. */
const recordRefusals = async (
  { recorder }: Parts,
  { workspace }: Cast,
  entries: readonly Entry[],
) => {
  for (const {
    producer: connection,
    acceptedAt: at,
    messageId,
    messageType,
    correlationId,
  } of entries) {
    const message = { messageId, messageType, correlationId };
    const violations = [
      {
        rule: 'story-context.required',
        source: 'schema',
        message: 'slug is missing.',
        path: '/payload',
      },
    ] as const;
    await recorder.record({
      kind: 'refused',
      connection,
      workspace,
      at: at + 1,
      message,
      sizeBytes: 900,
      violations,
    });
  }
};

/** A finished replay to a newcomer, whose copies wait for it. */
const replayTo = async (
  { ports, queues, recorder }: Parts,
  { replayed, workspace }: Cast,
  stage: Stage,
  entries: readonly Entry[],
) => {
  const [first, last] = [entries[0], entries.at(-1)];
  const { id: connection, queue = '' } = replayed;
  const createdAt = stage.now - 600_000;
  const replay: Replay = {
    id: 'ysceneaaaaaaa',
    connection,
    workspace,
    from: first?.acceptedAt ?? 0,
    to: (last?.acceptedAt ?? 0) + 1,
    status: 'running',
    createdAt,
    sent: entries.length,
    next: 1,
    reached: last?.acceptedAt ?? 0,
    waiting: [],
  };
  settled((await ports.replays.add(replay, [])) ?? replay);
  for (const [index, entry] of entries.entries()) {
    stage.setTime(createdAt + index * 20);
    await queues.send(queue, entry, replay.id);
  }
  const messages: readonly AcceptedNames[] = entries;
  await recorder.record({
    kind: 'replayed',
    connection,
    workspace,
    at: createdAt + 2_000,
    replay: replay.id,
    messages,
  });
  await ports.replays.end(replay.id, { status: 'finished' });
  stage.setTime(stage.now);
  return replay;
};

const change = async (
  { ports }: Parts,
  { house: organisation, workspace, others }: Cast,
  stage: Stage,
  count: number,
) => {
  const day = stage.now - (stage.now % 86_400_000);
  for (let index = 0; index < count; index += 1) {
    const connection = others[index % Math.max(1, others.length)]?.id ?? '';
    const at = Math.max(day, stage.now - 600_000 + index * 1_000);
    const facts = { workspace, connection };
    await ports.changes.note({
      organisation,
      at,
      by: people.editor,
      what: 'connection.make',
      facts,
    });
  }
};

const minute = 60_000;

export const refusedId = uuidOf('storm refused');

/** When somebody pauses a consumer: while the story is told. */
const pausedAt = ({ now }: Stage): number => now - 12 * minute;

/**
 * The story that its page is looked at with: one system gives a message back, another one is slow,
 * a third is paused when the story is half told.
 */
const tell = async (parts: Parts, cast: Cast, stage: Stage) => {
  const { recorder, ledger, queues } = parts;
  const { producers, consumers, slow, stuck, paused, guest, workspace } = cast;
  const everybody = [...consumers, slow, stuck].map(({ id }) => id);
  const entries = busyStory({
    workspace,
    producers: producers.map(({ id, systemIds: [systemId = ''] }) => ({ id, systemId })),
    targetsOf: (type, at) => [
      ...everybody,
      ...(type.startsWith('link.') ? [guest.consumer.id] : []),
      ...(at < pausedAt(stage) ? [paused.id] : []),
    ],
    from: stage.now - 15 * minute,
  });
  await writeEntries(ledger, entries);
  await recordPublishes(parts, cast, entries);
  const last = entries.at(-1);
  if (last === undefined) return entries;
  await send(parts, stage, stuck, entries);
  for (const consumer of [...consumers.slice(1), guest.consumer, paused])
    await consume(parts, consumer, entries.filter(isFor(consumer)), 800);
  const [returning] = consumers;
  if (returning === undefined) return entries;
  await consume(parts, returning, entries.slice(0, -1), 800);
  await stepBack(parts, returning, last, stage.now);
  stage.setTime(last.acceptedAt);
  await queues.send(returning.queue ?? '', last);
  await queues.send(slow.queue ?? '', last);
  await consume(parts, slow, entries.slice(0, -1), 45_000);
  stage.setTime(stage.now);
  await refuse(parts, cast, entries, stage.now - 4 * minute);
  await recorder.record({
    kind: 'limited',
    connection: producers[1]?.id ?? '',
    workspace,
    at: stage.now - 3 * minute,
    requests: 37,
  });
  return entries;
};

/** A link of the story that the bus refused: the house keeps such texts. */
const refuse = async (
  { recorder, refusedTexts }: Parts,
  { producers, house: organisation, workspace }: Cast,
  entries: readonly Entry[],
  at: number,
) => {
  const link = entries.find(({ messageType }) => messageType === 'link.committed');
  const { link_id: _, ...payload } = JSON.parse(`${link?.body}`).payload;
  const message = {
    ...JSON.parse(`${link?.body}`),
    message_id: refusedId,
    payload: { ...payload, compliance_gate_status: 'MAYBE' },
  };
  await refusedTexts.setKeeps(organisation, { keep: true, now: at - minute });
  await recorder.record({
    kind: 'refused',
    connection: producers[3]?.id ?? '',
    workspace,
    at,
    message: {
      messageId: refusedId,
      messageType: 'link.committed',
      correlationId: link?.correlationId ?? '',
    },
    sizeBytes: 900,
    text: { organisation, body: Buffer.from(JSON.stringify(message)) },
    violations: [
      {
        rule: 'link-event.required',
        source: 'schema',
        message: 'link_id is missing.',
        path: '/payload',
      },
      {
        rule: 'link-event.enum',
        source: 'schema',
        message: 'Found "MAYBE"; expected one of PENDING, CLEARED, BLOCKED.',
        path: '/payload/compliance_gate_status',
      },
    ],
  });
};

/** A consumer takes a message, and gives it back for a while. */
const stepBack = async (
  { recorder }: Parts,
  { id: connection, workspace }: Connection,
  entry: Entry,
  now: number,
) => {
  const receive = { ...receiveOf(entry, 900), takenAt: now - minute, receiveCount: 3 };
  const taken = { ...receive, visibleAt: now + minute };
  await recorder.record({
    kind: 'received',
    connection,
    workspace,
    at: taken.takenAt,
    receives: [taken],
  });
  await recorder.record({
    kind: 'released',
    connection,
    workspace,
    at: taken.takenAt + 2_000,
    receives: [{ ...taken, backAt: now + 10 * minute }],
  });
};

/** Somebody pauses a consumer, and it is written down. */
const pause = async ({ ports }: Parts, cast: Cast, at: number) => {
  const { house: organisation, workspace, paused } = cast;
  settled(await pauseConnection(ports, paused.id, { paused: true, by: 'host' }));
  const facts = { workspace, connection: paused.id };
  await ports.changes.note({
    organisation,
    at,
    by: people.editor,
    what: 'connection.pause',
    facts,
  });
};

/** A run of checks of a consumer, and one that was stopped: the bus's own job goes on with them. */
const startTestRuns = async ({ ports }: Parts, { others, slow }: Cast) => {
  const start = async (consumer: string) =>
    settled(await startRun(ports, { kind: 'consumer', consumer }, 'operator'));
  const stopped = await start(slow.id);
  await ports.checkRuns.stop(stopped.id, 'It was stopped in the portal.');
  const tested = others.find(({ kind }) => kind === 'consumer');
  return { stopped, going: tested && (await start(tested.id)) };
};

/**
 * A busy house with everything that a page of the portal may have to show, written straight to the
 * engines: no bus accepted these messages, and nobody waited for them.
 */
export const buildScene = async (stage: Stage, size: SceneSize = sceneSize) => {
  const parts = partsOn(stage);
  const cast = await makeCast(parts, size);
  const entries = makeEntries(cast, size, stage.now);
  await writeEntries(parts.ledger, entries);
  await send(parts, stage, cast.stuck, entries.filter(isFor(cast.stuck)));
  const late = entries.slice(-40);
  await send(parts, stage, cast.slow, late);
  const recent = entries.slice(-240);
  await recordPublishes(parts, cast, recent);
  await recordRefusals(parts, cast, recent.slice(-5));
  for (const consumer of cast.consumers) await consume(parts, consumer, recent, 800);
  await consume(parts, cast.slow, recent.slice(0, -late.length), 45_000);
  const replay = await replayTo(parts, cast, stage, recent.slice(0, 20));
  const story = size.changes === 0 ? [] : await tell(parts, cast, stage);
  await change(parts, cast, stage, size.changes);
  await pause(parts, cast, pausedAt(stage));
  const runs = size.changes === 0 ? undefined : await startTestRuns(parts, cast);
  return { cast, people, entries, replay, story, runs };
};

export type Scene = Awaited<ReturnType<typeof buildScene>>;
