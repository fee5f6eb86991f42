import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { unguardedOf } from '../../../lib/bus/consuming/queue-ages.ts';
import { localEnv } from '../../../lib/local/env.ts';
import { operatorKeyIn } from '../../../lib/local/roles.ts';
import { guardedQueueHome } from '../../../lib/wiring/registry.ts';
import { sombus } from '../../support/commands.ts';
import { bearer, post } from '../../support/http-client.ts';
import { linkCommitted, storyContext } from '../../support/messages.ts';
import { serviceHere } from '../../support/one-service.ts';

const bus = serviceHere();

const longNumber = '12345678901234567890123';
const published: string[] = [];
const texts: string[] = [];
let consumer = '';

beforeAll(async () => {
  consumer = bus.ready.consumer.client_id;
  const authorization = await bearer(bus.base, bus.ready.producer);
  const snapshot = storyContext({ sequence_number: 7 });
  for (const message of [linkCommitted(), linkCommitted(), snapshot]) {
    published.push(String(message['message_id']));
    const text = JSON.stringify(message, undefined, 2).replace(': 7,', `: ${longNumber},`);
    texts.push(text.replaceAll('\n', ' '));
    expect((await post(`${bus.tenant}/messages`, authorization, text)).status).toBe(202);
  }
});

describe('sombus queue', () => {
  test('repair sets a policy again that somebody changed, and touches no other queue', async () => {
    const env = localEnv(new URL(bus.base).origin, bus.ready.endpoints, operatorKeyIn(bus.data));
    const { client, baseUrl } = guardedQueueHome(env);
    const { principals, guardedQueues } = bus.registry;
    const found = await bus.registry.connections.find(consumer);
    const queue = found?.connection.queue ?? '';
    const one = { connection: consumer, workspace: bus.ready.workspace, queue };
    const isChanged = async () =>
      (await unguardedOf({ principals, guardedQueues }, [one])).length > 0;
    expect(await isChanged()).toBe(false);
    await client.send(
      new SetQueueAttributesCommand({ QueueUrl: baseUrl + queue, Attributes: { Policy: '' } }),
    );
    expect(await isChanged()).toBe(true);
    const repaired = {
      connection_id: consumer,
      workspace_id: bus.ready.workspace,
      result: 'repaired',
    };
    expect((await bus.run('queue', 'repair')).record).toEqual([repaired]);
    expect(await isChanged()).toBe(false);
    expect((await bus.run('queue', 'repair')).record).toEqual([]);
    expect((await bus.run('queue', 'repair', consumer)).record).toEqual([repaired]);
    expect((await bus.run('queue', 'repair', 'cnone')).stderr).toContain(
      'There is no connection cnone.',
    );
  });

  test('peek lists the messages without receiving them, the oldest first', async () => {
    const { code, stderr, record } = await bus.run('queue', 'peek', consumer);
    expect([code, stderr]).toEqual([0, '']);
    expect(record.map(({ message_id }: { message_id: string }) => message_id)).toEqual(published);
    expect(record.map(({ is_next }: { is_next: boolean }) => is_next)).toEqual([
      true,
      false,
      false,
    ]);
    expect(record[0]).toMatchObject({
      state: 'queued',
      message_type: 'link.committed',
      system_id: 'demo-ncs',
    });
    const { record: first } = await bus.run('queue', 'peek', consumer, '--count', '1');
    expect(first).toHaveLength(1);
    const { stdout } = await sombus('queue', 'peek', consumer, '--body', '--data', bus.data);
    expect(stdout.trim().split('\n')).toEqual(texts);
    expect(stdout).toContain(`"sequence_number": ${longNumber},`);
  });

  test('show counts what waits and what is in flight', async () => {
    const show = async () => (await bus.run('queue', 'show', consumer)).record;
    expect(await show()).toEqual({
      connection_id: consumer,
      visible: 3,
      in_flight: 0,
      oldest_accepted_at: expect.stringMatching(/^\d{4}-/),
      oldest_vanishes_at: expect.stringMatching(/^\d{4}-/),
      unsent: 0,
      skipped: [],
      blocked: [],
    });
  });

  test('skip asks twice, and skips nothing but the message that is delivered next', async () => {
    const [head = '', second = ''] = published;
    const skip = (id: string, ...more: readonly string[]) =>
      bus.run('queue', 'skip', consumer, id, ...more);
    const asked = await skip(head);
    expect(asked).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /would never get.*\n.*link\.committed.*\n.*0 later.*\n.*--confirm/,
      ),
    });
    expect(await skip(head, '--confirm', second)).toMatchObject({ code: 1 });
    const unknown = '00000000-0000-4000-8000-00000000dead';
    for (const other of [second, unknown])
      for (const more of [[], ['--confirm', other]])
        expect(await skip(other, ...more)).toMatchObject({
          code: 1,
          stderr: `refused: Nothing was skipped: ${other} is not next any more. Next is the link.committed ${head}.\n`,
        });
    expect((await bus.run('queue', 'show', consumer)).record).toMatchObject({ skipped: [] });
    const { code, record } = await skip(head.toUpperCase(), '--confirm', head.toUpperCase());
    expect([code, record]).toEqual([
      0,
      [{ message_id: head, skipped_at: expect.stringMatching(/^\d{4}-/) }],
    ]);
    expect((await bus.run('queue', 'show', consumer)).record).toMatchObject({ skipped: [head] });
    expect((await skip(second)).stderr).toMatch(/would never get/);
  });

  test('skip refuses while a program reads the queue with a role, which the bus does not see', async () => {
    const role = {
      id: 'p222222222222',
      scope: bus.ready.workspace,
      connection: consumer,
      roleArn: 'arn:aws:iam::111122223333:role/reader',
      status: 'verified',
      createdAt: '2026-05-04T09:00:00Z',
    } as const;
    expect(await bus.registry.principals.put(role, [])).toBeUndefined();
    const [, second = ''] = published;
    expect(await bus.run('queue', 'skip', consumer, second, '--confirm', second)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot know what is delivered next'),
    });
    const { record } = await bus.run('queue', 'show', consumer);
    expect(record).toMatchObject({
      oldest_accepted_at: null,
      oldest_unknown: expect.stringContaining('cloud role'),
    });
  });

  test.each(['show', 'peek'])('%s refuses a producer, which has no queue', async command => {
    const producer = bus.ready.producer.client_id;
    expect(await bus.run('queue', command, producer)).toMatchObject({
      code: 1,
      stderr: `refused: There is no consumer connection ${producer}.\n`,
    });
  });
});

describe('sombus replay', () => {
  test('list shows the running replays, and with --connection all of a consumer, the newest first', async () => {
    const started: string[] = [];
    for (const from of ['yesterday', '2h'])
      started.unshift(
        (await bus.run('replay', 'start', '--connection', consumer, '--from', from)).record
          .replay_id,
      );
    const ids = async (...options: readonly string[]) =>
      (await bus.run('replay', 'list', ...options)).record.map(
        ({ replay_id }: { replay_id: string }) => replay_id,
      );
    expect(await ids('--connection', consumer)).toEqual(started);
    const [id = ''] = started;
    expect((await bus.run('replay', 'status', id)).record).toMatchObject({ replay_id: id });
    const cancelled = { replay_id: id, status: 'cancelled' };
    expect((await bus.run('replay', 'cancel', id)).record).toMatchObject(cancelled);
    expect((await bus.run('replay', 'cancel', id)).stderr).toBe(
      `refused: The replay ${id} is not running: it is cancelled.\n`,
    );
    expect((await bus.run('replay', 'cancel', 'y222222222222')).stderr).toContain('y222222222222');
    expect(await ids('--connection', consumer)).toEqual(started);
    expect(await ids()).not.toContain(id);
    const { stdout } = await sombus('replay', 'list', '--connection', consumer, '--data', bus.data);
    expect(stdout).toMatch(
      /^replay_id +status +connection_id +from +to +sent +percent +created_at\n/,
    );
  });

  test('of a type that is not known starts only if that is forced', async () => {
    const mistyped = [
      'replay',
      'start',
      '--connection',
      consumer,
      '--from',
      '1h',
      '--type',
      'story.contxt',
    ];
    expect((await bus.run(...mistyped)).stderr).toContain('Did you mean "story.context"?');
    expect((await bus.run(...mistyped, '--force')).record).toMatchObject({ type: 'story.contxt' });
  });
});
