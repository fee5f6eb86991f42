import { createHash } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createGuestConnection } from '../../../lib/access/people/guests.ts';
import { acceptInvitation, inviteVendor } from '../../../lib/access/people/invitations.ts';
import { addMember } from '../../../lib/access/people/members.ts';
import { createOrganisation, createWorkspace } from '../../../lib/access/people/organisations.ts';
import type { Connection } from '../../../lib/access/registry/connection.ts';
import { createConnection, pauseConnection } from '../../../lib/access/registry/connections.ts';
import { awsRecorder } from '../../../lib/bus/activity/records.dynamodb.ts';
import type { AcceptedNames, Receive, Recorder } from '../../../lib/bus/activity/records.ts';
import type { Entry } from '../../../lib/bus/delivery/log.ts';
import { awsQueues } from '../../../lib/bus/delivery/queues.sqs.ts';
import type { Queues } from '../../../lib/bus/delivery/queues.ts';
import type { Replay } from '../../../lib/bus/replay/replay.ts';
import { type LocalEnv, localTables } from '../../../lib/local/env.ts';
import { clientConfig, clientOf } from '../../../lib/platform/aws/clients.ts';
import type { Table } from '../../../lib/platform/aws/table.ts';
import type { Person } from '../../../lib/portal/session.ts';
import { factsOf } from '../../../lib/som/messages/read-message.ts';
import { type OperatorPorts, operatorPorts } from '../../../lib/wiring/operator.ts';
import { guardedQueueHome } from '../../../lib/wiring/registry.ts';
import { settled } from '../../support/running-registry.ts';
import { appNames, systems } from './headlines.ts';
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
  readonly ledger: Table;
  readonly recorder: Recorder;
  readonly queues: Queues;
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

const partsOn = ({ env }: Stage): Parts => {
  const client = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  const sqs = clientOf(env, 'SQS', new SQSClient(clientConfig(env, 'SQS')));
  const lost = (kind: string, error: unknown) => {
    throw new Error(`A record of the scene was lost: ${kind}.`, { cause: error });
  };
  const activity = { client, name: localTables.activity };
  return {
    ports: operatorPorts(env),
    ledger: { client, name: localTables.ledger },
    recorder: awsRecorder(activity, { ids: countedIds(), archiveDays: 30, lost }),
    queues: awsQueues({ ...guardedQueueHome(env), client: sqs }),
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
const makeConnections = async ({ ports }: Parts, { workspace }: House, count: number) => {
  const make = async (kind: Connection['kind'], app: string) => {
    const lists = kind === 'producer' ? { grants: ['*'], systemIds: [app] } : { receives: ['*'] };
    const wanted = { ...nothing, ...lists, kind, workspace, app };
    return settled(await createConnection(ports, wanted, { force: true })).connection;
  };
  const producers: Connection[] = [];
  const consumers: Connection[] = [];
  for (const app of systems) {
    producers.push(await make('producer', app));
    consumers.push(await make('consumer', app));
  }
  const stuck = await make('consumer', 'stuck-playout');
  const slow = await make('consumer', 'slow-analytics');
  const replayed = await make('consumer', 'late-newcomer');
  const paused = await make('consumer', 'paused-subtitles');
  const others: Connection[] = [];
  for (let index = producers.length + consumers.length + 6; index < count; index += 1) {
    const kind = index % 2 === 0 ? 'producer' : 'consumer';
    others.push(await make(kind, `${appNames[index % appNames.length]}-${index}`));
  }
  return { producers, consumers, stuck, slow, replayed, paused, others };
};

const makeGuest = async ({ ports }: Parts, { workspace }: House) => {
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

/** Connections of the house and of a guest: everything but what happened. */
const makeCast = async (parts: Parts, size: SceneSize) => {
  const house = await makeHouse(parts);
  const connections = await makeConnections(parts, house, size.connections);
  const guest = await makeGuest(parts, house);
  return { ...house, ...connections, guest };
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

/** What the last messages left in the records: counts, titles, a few refusals. */
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
  for (const {
    producer: connection,
    acceptedAt: at,
    messageId,
    messageType,
    correlationId,
  } of entries.slice(-5)) {
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
  for (const consumer of cast.consumers) await consume(parts, consumer, recent, 800);
  await consume(parts, cast.slow, recent.slice(0, -late.length), 45_000);
  const replay = await replayTo(parts, cast, stage, recent.slice(0, 20));
  await change(parts, cast, stage, size.changes);
  settled(await pauseConnection(parts.ports, cast.paused.id, { paused: true, by: 'host' }));
  return { cast, people, entries, replay };
};

export type Scene = Awaited<ReturnType<typeof buildScene>>;
