import { awsConnections } from '../../lib/registry/connections.dynamodb.ts';
import { connectionOf } from '../corpus/connections.ts';
import { sombus } from '../support/commands.ts';
import { previewHere } from '../support/preview.ts';

const consumer = connectionOf('c222222222222', 'consumer', 'w222222222222');
const preview = previewHere();

beforeAll(async () => {
  const secret = { version: 1, current: { hash: 'x', issuedAt: consumer.createdAt } };
  await awsConnections(preview.registry()).add(consumer, secret);
});

/** A replay command on the preview environment: its exit code, and what it printed. */
const replay = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await sombus('replay', ...args, '--environment', 'preview', '--json');
  return { code, record: JSON.parse(stdout || '{}'), error: stderr };
};

test('replays of a deployed environment are started, shown and cancelled, within its archive', async () => {
  const hours = (count: number) => new Date(Date.now() - count * 3_600_000).toISOString();
  const started = await replay('start', '--connection', consumer.id, '--from', hours(1));
  expect(started).toMatchObject({
    code: 0,
    record: { status: 'running', sent: 0, connection_id: consumer.id },
  });
  const mistyped = ['start', '--connection', consumer.id, '--from', hours(1), '--type', 'story.contxt'];
  expect(await replay(...mistyped)).toMatchObject({
    code: 1,
    error: expect.stringContaining(
      '"story.contxt" matches no known message type. Did you mean "story.context"?',
    ),
  });
  expect(await replay(...mistyped, '--force')).toMatchObject({ code: 0, record: { type: 'story.contxt' } });
  const id = String(started.record.replay_id);
  expect(await replay('status', id)).toMatchObject({ code: 0, record: { replay_id: id, status: 'running' } });
  expect(await replay('cancel', id)).toMatchObject({ code: 0, record: { status: 'cancelled' } });
  const early = await replay('start', '--connection', consumer.id, '--from', hours(8 * 24));
  expect(early).toMatchObject({ code: 1, error: expect.stringContaining('The archive keeps 7 days') });
});
