import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../../lib/aws/clients.ts';
import { main } from '../../lib/cli/main.ts';
import { resourceNames, tableVars } from '../../lib/contract/environments.ts';
import { tableNames } from '../../lib/contract/tables.ts';
import type { Engines } from '../../lib/local/engines.ts';
import { localEnv } from '../../lib/local/env.ts';
import { createTables } from '../../lib/local/provision.ts';
import { awsConnections } from '../../lib/registry/connections.dynamodb.ts';
import { connectionOf } from '../corpus/connections.ts';
import { recordingTerminal } from '../support/fakes/terminal.ts';
import { startLocalAws } from '../support/local-aws.ts';

const outer = { ...process.env };
const consumer = connectionOf('c222222222222', 'consumer', 'w222222222222');
let aws: Engines;

beforeAll(async () => {
  aws = await startLocalAws();
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  const { table } = resourceNames('preview');
  const names = {
    registry: table('registry'),
    ledger: table('ledger'),
    activity: table('activity'),
    sessions: table('sessions'),
  };
  await createTables(env, names);
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  const secret = { version: 1, current: { hash: 'x', issuedAt: consumer.createdAt } };
  await awsConnections({ client, name: table('registry') }).add(consumer, secret);
  client.destroy();
  Object.assign(process.env, {
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL_DYNAMODB: aws.endpoints.dynamodb,
    SOMBUS_ORIGIN: 'https://bus.example',
    // Named here: a deployed environment would be asked for them.
    ...Object.fromEntries(tableNames.map(name => [tableVars[name], names[name]])),
  });
});

afterAll(async () => {
  process.env = outer;
  await aws.close();
});

/** A replay command on the preview environment: its exit code, and what it printed. */
const replay = async (...args: readonly string[]) => {
  const { terminal, printed, errors } = recordingTerminal();
  const command = ['node', 'sombus', 'replay', ...args, '--environment', 'preview', '--json'];
  const code = await main(command, terminal);
  return { code, record: JSON.parse(printed[0] ?? '{}'), error: errors.join('\n') };
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
