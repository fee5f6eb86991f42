import { setImmediate } from 'node:timers/promises';
import { awsDirectory } from '../../../lib/access/people/directory.dynamodb.ts';
import type { ChangeNote } from '../../../lib/access/people/noting.ts';
import { awsConnections } from '../../../lib/access/registry/connections.dynamodb.ts';
import { connectionItem, credentialItem } from '../../../lib/access/registry/items.dynamodb.ts';
import { awsStories } from '../../../lib/bus/delivery/ledger.dynamodb.ts';
import { localTables } from '../../../lib/local/env.ts';
import { putItem } from '../../../lib/platform/aws/table.ts';
import { type Bus, startBus, workspace } from '../../bus/activity/bus.ts';
import { sombusOn } from '../../support/commands.ts';
import { commitWithoutLease, correlation, entry } from '../../support/entries.ts';
import { linkCommitted, storyContext } from '../../support/messages.ts';

const consumer = 'cbbbbbbbbbbbb';
const ids = [1, 2, 3].map(number => `11111111-1111-4111-8111-00000000000${number}`);
const [first = '', second = '', third = ''] = ids;
const minute = 60_000;

let bus: Bus;
let noted: ChangeNote[];

const portsWith = (changes: object = {}) => {
  const registry = { client: bus.activityTable.client, name: localTables.registry };
  const ledger = { client: bus.activityTable.client, name: bus.ledgerTableName };
  return {
    ...bus.ports,
    connections: awsConnections(registry),
    directory: awsDirectory(registry),
    stories: awsStories(ledger),
    // Whoever does not wait for it records too late.
    changes: {
      note: async (change: ChangeNote) => {
        await setImmediate();
        noted.push(change);
      },
    },
    caller: async () => undefined,
    ...changes,
  } as never;
};

/** What a command prints as JSON. */
const printed = async (...args: readonly string[]) => {
  const registry = () => portsWith();
  const { code, stdout, stderr } = await sombusOn({ registry }, ...args, '--data', 'x', '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

const on = (changes: object, ...args: readonly string[]) =>
  sombusOn({ registry: () => portsWith(changes) }, ...args, '--data', 'x');

/** Two messages of a correlation, one of another, and one of a third that is not sent yet. */
beforeEach(async () => {
  bus = await startBus();
  noted = [];
  const made = await bus.addConsumer(consumer);
  const table = { client: bus.activityTable.client, name: localTables.registry };
  for (const Item of [connectionItem(made), credentialItem(consumer, { version: 1 })])
    await putItem(table, { Item });
  const desk = { kind: 'workspace', id: workspace, name: 'Desk', status: 'active' } as const;
  const createdAt = '2026-05-04T09:00:00.000Z';
  await awsDirectory(table).add({ ...desk, organisation: made.organisation, createdAt });
  for (const [index, message_id] of ids.entries()) {
    bus.clock.advance(minute);
    const of = { message_id, correlation_id: correlation(index === 2 ? 2 : 1) };
    await bus.publishBody(linkCommitted(of));
  }
  const log = { workspace, correlationId: correlation(3) };
  const targets = [{ connection: consumer, queue: made.queue ?? '' }];
  const body = Buffer.from('{"é":\r\n"unsent"}');
  const one = entry('unsent', { ...log, targets, body, acceptedAt: bus.clock.now() });
  await bus.ports.ledger.commit(commitWithoutLease(one, await bus.ports.log.head(log)));
});
afterEach(() => bus.close());

const rowOf = (message_id: string, changes: object = {}) => ({
  state: 'queued',
  is_next: false,
  accepted_at: '2026-05-05T00:00:59.000Z',
  message_type: 'link.committed',
  system_id: 'demo-ncs',
  message_id,
  correlation_id: correlation(1),
  ...changes,
});

const rows = [
  rowOf(first, { is_next: true }),
  rowOf(second, { accepted_at: '2026-05-05T00:01:59.000Z' }),
  rowOf(third, { accepted_at: '2026-05-05T00:02:59.000Z', correlation_id: correlation(2) }),
  rowOf('unsent', {
    state: 'unsent',
    accepted_at: '2026-05-05T00:02:59.000Z',
    correlation_id: correlation(3),
  }),
];

test('queue show counts what waits, and says since when and until when', async () => {
  expect(await printed('queue', 'show', consumer)).toEqual({
    connection_id: consumer,
    visible: 3,
    in_flight: 0,
    oldest_accepted_at: '2026-05-05T00:00:59.000Z',
    oldest_vanishes_at: '2026-05-19T00:00:59.000Z',
    unsent: 1,
    skipped: [],
    blocked: [correlation(3)],
  });
});

test('queue peek lists what is in the queue, then what is not sent yet, up to a number', async () => {
  expect(await printed('queue', 'peek', consumer)).toEqual(rows);
  expect(await printed('queue', 'peek', consumer, '--count', '2')).toEqual(rows.slice(0, 2));
  expect(await printed('queue', 'peek', consumer, '--count', '3')).toEqual(rows.slice(0, 3));
  expect(await printed('queue', 'peek', consumer, '--count', '4')).toEqual(rows);
});

test('queue peek --body prints the messages themselves, a line each', async () => {
  const { code, stdout, stderr } = await on({}, 'queue', 'peek', consumer, '--body');
  const lines = stdout.trimEnd().split('\n');
  expect([code, stderr, lines.at(-1)]).toEqual([0, '', '{"é":  "unsent"}']);
  expect(lines.slice(0, -1).map(line => JSON.parse(line).message_id)).toEqual(ids);
});

test('a copy of a replay is named as such', async () => {
  const found = await bus.ports.registry.connection(consumer);
  if (!found) throw new Error('The consumer is registered.');
  await bus.replay(found, first, 'y222222222222');
  const all = await printed('queue', 'peek', consumer);
  expect(all).toContainEqual(rowOf(first, { replay_id: 'y222222222222' }));
});

test('queue skip says what it would skip, skips only when it is confirmed, and records it', async () => {
  const skip = (...more: readonly string[]) => on({}, 'queue', 'skip', consumer, ...more);
  const stderr = [
    `refused: ${consumer} would never get this copy of the message ${first}.`,
    '  It is a link.committed from demo-ncs, accepted at 2026-05-05T00:00:59.000Z.',
    `  1 later messages of its correlation ${correlation(1)} wait behind it.`,
    `  If you want that, repeat the command with --confirm ${first}.`,
    '',
  ].join('\n');
  expect(await skip(first)).toEqual({ code: 1, stdout: '', stderr });
  expect(await skip(first, '--confirm', second)).toEqual({ code: 1, stdout: '', stderr });
  expect(await skip(second, '--confirm', second)).toEqual({
    code: 1,
    stdout: '',
    stderr: `refused: Nothing was skipped: ${second} is not next any more. Next is the link.committed ${first}.\n`,
  });
  const copy = [first, '--confirm', first, '--replay', 'y222222222222'];
  expect((await skip(...copy)).stderr).toContain(`${first} (of the replay y222222222222)`);
  expect(noted).toEqual([]);

  const skipped = { message_id: first, skipped_at: '2026-05-05T00:02:59.000Z' };
  expect(await printed('queue', 'skip', consumer, first, '--confirm', first)).toEqual([skipped]);
  const facts = { workspace, connection: consumer, message: first };
  expect(noted).toMatchObject([{ what: 'message.skip', facts }]);
  expect(await printed('queue', 'show', consumer)).toMatchObject({ skipped: [first] });
});

const role = {
  connection: consumer,
  status: 'verified',
  verifiedAt: '2026-05-04T09:00:00Z',
  createdAt: '2026-05-04T09:00:00Z',
};
const withRole = { principals: { list: async () => [role] } };

test('where a cloud role reads the queue, nothing is said to be the oldest', async () => {
  const why =
    'A program of this consumer reads the queue with a cloud role, which the bus does not see.';
  const peek = await on(withRole, 'queue', 'peek', consumer, '--json');
  expect([peek.code, peek.stderr]).toEqual([0, `note: other messages may come first. ${why}\n`]);
  const { stdout } = await on(withRole, 'queue', 'show', consumer, '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    oldest_accepted_at: null,
    oldest_vanishes_at: null,
    oldest_unknown: why,
  });
});

test('story reset names the snapshot that it would forget, and forgets no other', async () => {
  const snapshot = { story_id: 'the-flood', sequence_number: 7 };
  await bus.publishBody(storyContext({ ...snapshot, updated_at: '2026-05-04T09:00:00Z' }));
  const reset = (...more: readonly string[]) =>
    on({}, 'story', 'reset', 'the-flood', '--workspace', workspace, '--json', ...more);
  const asked = {
    code: 1,
    stdout: '',
    stderr: [
      'refused: The next snapshot of the story the-flood would count as its first.',
      '  Its last snapshot has the sequence_number 7 and the updated_at 2026-05-04T09:00:00Z: nothing would be compared with it.',
      '  If you want that, repeat the command with --confirm and the same story_id, and --snapshot 1.',
      '',
    ].join('\n'),
  };
  expect(await reset()).toEqual(asked);
  expect(await reset('--confirm', 'the-flood')).toEqual(asked);
  expect(await reset('--confirm', 'the-storm', '--snapshot', '1')).toEqual(asked);
  expect(noted).toEqual([]);
  const done = await reset('--confirm', 'the-flood', '--snapshot', '1');
  expect([done.code, done.stderr, JSON.parse(done.stdout)]).toEqual([
    0,
    '',
    {
      workspace_id: workspace,
      story_id: 'the-flood',
      started_over_at: '2026-05-05T00:02:59.000Z',
    },
  ]);
  const organisation = 'o222222222222';
  const facts = { workspace, story: 'the-flood' };
  expect(noted).toMatchObject([{ organisation, what: 'story.reset', facts }]);
});
