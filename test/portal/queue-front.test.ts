import { randomBytes } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Connection } from '../../lib/access/registry/connection.ts';
import { awsRecorder } from '../../lib/bus/activity/records.dynamodb.ts';
import { awsInbox } from '../../lib/bus/consuming/inbox.sqs.ts';
import { pull } from '../../lib/bus/consuming/pull.ts';
import { awsReceipts } from '../../lib/bus/consuming/receipts.dynamodb.ts';
import { acknowledge } from '../../lib/bus/consuming/settle.ts';
import { awsWaitingPolls } from '../../lib/bus/consuming/waiting-polls.dynamodb.ts';
import { queueFront } from '../../lib/bus/replay/queue-front.ts';
import { backlogOf, viewQueue } from '../../lib/bus/replay/queue-view.ts';
import { clientConfig, clientOf } from '../../lib/platform/aws/clients.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { guardedQueueHome } from '../../lib/wiring/registry.ts';
import { sealsInMemory } from '../support/fakes/seals.ts';
import { type PlayedScene, startScene } from './scene/stage.ts';

const small = { connections: 30, messages: 240, changes: 0 };

/** A consumer's program on the engines of a scene. */
const programOf = ({ portal: { env, tables } }: PlayedScene) => {
  const client = clientOf(env, 'SQS', new SQSClient(clientConfig(env, 'SQS')));
  const clock = { now: () => Date.now(), sleep: async () => undefined };
  const ids = { random: (bytes: number) => randomBytes(bytes) };
  const ports = {
    clock,
    ids,
    seals: sealsInMemory,
    inbox: awsInbox({ ...guardedQueueHome(env), client }),
    receipts: awsReceipts(tables.ledger, clock),
    polls: awsWaitingPolls(tables.ledger, clock),
    recorder: awsRecorder(tables.activity, {
      ids,
      archiveDays: 30,
      lost: (_kind, error) => void Promise.reject(error),
    }),
  };
  const take = async (who: Connection, max: number, visibilitySeconds = 60) => {
    const { connection } = settledEntry(await operatorPorts(env).connections.find(who.id));
    return pull(ports)(connection, { max, waitSeconds: 0, visibilitySeconds });
  };
  return {
    take,
    async finish(who: Connection, max: number) {
      const messages = await take(who, max);
      await acknowledge(ports)(
        who,
        messages.map(({ receiptHandle }) => receiptHandle),
      );
      return messages.map(({ messageId }) => messageId);
    },
  };
};

const settledEntry = <T>(found: T | undefined): T => {
  if (found === undefined) throw new Error('The connection is not there.');
  return found;
};

interface Shown {
  readonly visible: number;
  readonly is_cut: boolean;
  readonly may_skip: boolean;
  readonly oldest_accepted_at?: string;
  readonly blocked: readonly { readonly correlation_id: string; readonly why: string }[];
  readonly messages: readonly {
    readonly message_id: string;
    readonly correlation_id: string;
    readonly state: string;
    readonly is_next: boolean;
    readonly replay_id?: string;
  }[];
}

/** The queue page of a consumer, as an editor of the house sees it. */
const pageOf = (scene: PlayedScene, who: Connection) => {
  const subject = { w: scene.cast.workspace, c: who.id };
  const request = { person: scene.people.editor, subject };
  return {
    show: async () => (await scene.portal.call('queue.show', request)).body as unknown as Shown,
    skip: (m = '', replay_id = '') => {
      const body = { message_id: m, confirm: m, ...(replay_id === '' ? {} : { replay_id }) };
      return scene.portal.call('queue.skip', { ...request, body });
    },
  };
};

/** The ids that may be skipped. */
const nextOf = ({ messages }: Shown): readonly string[] =>
  messages.filter(({ is_next }) => is_next).map(({ message_id }) => message_id);

const idsOf = ({ messages }: Shown): readonly string[] =>
  messages.map(({ message_id }) => message_id);

describe('a queue with 20,000 messages', () => {
  let scene: PlayedScene;
  beforeAll(async () => {
    scene = await startScene({ ...small, waiting: 20_000 });
  });
  afterAll(() => scene.portal.close());

  test('shows its real head, and the first messages behind it', async () => {
    const shown = await pageOf(scene, scene.cast.stuck).show();
    const first = scene.entries.slice(0, 50);
    expect(shown).toMatchObject({ visible: 20_000, is_cut: true, may_skip: true });
    expect(idsOf(shown)).toEqual(first.map(({ messageId }) => messageId));
    expect(nextOf(shown)).toEqual([first[0]?.messageId]);
    expect(shown.oldest_accepted_at).toBe(new Date(first[0]?.acceptedAt ?? 0).toISOString());
    const reads = [...scene.portal.asked.values()].reduce((sum, one) => sum + one, 0);
    expect(reads).toBeLessThan(40);
  });

  test('tells the commands and the backlog how long its oldest message has waited', async () => {
    const ports = operatorPorts(scene.portal.env);
    const [first] = scene.entries;
    expect(await viewQueue(ports, scene.cast.stuck.id)).toMatchObject({
      visible: 20_000,
      oldest: { entry: { messageId: first?.messageId } },
    });
    const before = Math.floor((ports.clock.now() - (first?.acceptedAt ?? 0)) / 1000);
    const told = (await backlogOf(ports, scene.cast.stuck))?.oldestSeconds;
    const after = Math.floor((ports.clock.now() - (first?.acceptedAt ?? 0)) / 1000);
    expect(told).toBeGreaterThanOrEqual(before);
    expect(told).toBeLessThanOrEqual(after);
  });

  test('skips the message that the next pull would deliver, and no other', async () => {
    const page = pageOf(scene, scene.cast.stuck);
    const [head = '', second = ''] = idsOf(await page.show());
    expect(await page.skip(second)).toMatchObject({
      status: 409,
      body: {
        code: 'portal.changed',
        message: expect.stringContaining(`Next is the story.context ${head}`),
      },
    });
    expect((await page.skip(head)).status).toBe(200);
    expect(nextOf(await page.show())).toEqual([second]);
    const [delivered] = await programOf(scene).take(scene.cast.stuck, 2, 10);
    expect(delivered?.messageId).toBe(second);
  });

  test('is not known while the queue does not tell its age', async () => {
    const ports = operatorPorts(scene.portal.env);
    const silent = { heldSince: async () => undefined };
    expect((await queueFront({ ...ports, queueAges: silent }, scene.cast.stuck, [])).unknown).toBe(
      'no_age',
    );
    const broken = { heldSince: async () => Promise.reject(new Error('CloudWatch is not there.')) };
    expect((await queueFront({ ...ports, queueAges: broken }, scene.cast.stuck, [])).unknown).toBe(
      'no_age',
    );
    // All that was ever sent to it is looked at.
    expect((await queueFront({ ...ports, queueAges: silent }, scene.cast.paused, [])).unknown).toBe(
      'no_age',
    );
  });
});

describe('a queue with 4,840 messages, behind some that were acknowledged', () => {
  let scene: PlayedScene;
  beforeAll(async () => {
    scene = await startScene({ ...small, waiting: 4_900 });
    const program = programOf(scene);
    for (let count = 0; count < 6; count += 1) await program.finish(scene.cast.stuck, 10);
  });
  afterAll(() => scene.portal.close());

  test('skips what the next pull would have delivered, twice', async () => {
    const page = pageOf(scene, scene.cast.stuck);
    expect((await page.show()).visible).toBe(4_840);
    const [first = '', second = '', third] = idsOf(await page.show());
    expect(first).toBe(scene.entries[60]?.messageId);
    expect((await page.skip(first)).status).toBe(200);
    expect((await page.skip(second)).status).toBe(200);
    const [delivered] = await programOf(scene).take(scene.cast.stuck, 3, 10);
    expect(delivered?.messageId).toBe(third);
  });

  test('shows what is in flight, why its story is blocked, and what is next behind it', async () => {
    const page = pageOf(scene, scene.cast.slow);
    const [held] = await programOf(scene).take(scene.cast.slow, 1);
    const shown = await page.show();
    const { correlation_id: story, message_id: m } = shown.messages[0] ?? {};
    expect(shown.messages[0]).toMatchObject({ message_id: held?.messageId, state: 'received' });
    expect(shown.blocked).toMatchObject([
      { correlation_id: story, message_id: m, why: 'received' },
    ]);
    const other = shown.messages.find(one => one.correlation_id !== story);
    expect(nextOf(shown)).toEqual([m, other?.message_id]);
  });

  test('skips nothing if the consumer was faster', async () => {
    const page = pageOf(scene, scene.cast.slow);
    const head = nextOf(await page.show()).at(-1) ?? '';
    expect(await programOf(scene).finish(scene.cast.slow, 1)).toEqual([head]);
    const raced = await page.skip(head);
    expect([raced.status, raced.body['code']]).toEqual([409, 'portal.changed']);
    expect(idsOf(await page.show())).not.toContain(head);
  });

  test('shows the copies of a replay, and skips the first', async () => {
    const page = pageOf(scene, scene.cast.replayed);
    const shown = await page.show();
    const sent = scene.entries.slice(-240, -220).map(({ messageId }) => messageId);
    expect(idsOf(shown)).toEqual(sent);
    expect(new Set(shown.messages.map(({ replay_id }) => replay_id))).toEqual(
      new Set([scene.replay.id]),
    );
    expect((await page.skip(sent[0])).status).toBe(409);
    expect((await page.skip(sent[0], scene.replay.id)).status).toBe(200);
    const [delivered] = await programOf(scene).take(scene.cast.replayed, 2);
    expect(delivered?.messageId).toBe(sent[1]);
  });
});
