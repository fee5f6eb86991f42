import { gzipSync } from 'node:zlib';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { createOrganisation, createWorkspace } from '../../lib/access/people/organisations.ts';
import { createConnection } from '../../lib/access/registry/connections.ts';
import { provision } from '../../lib/local/provision.ts';
import { serveInProcess } from '../../lib/platform/aws/clients.ts';
import { type Env, setClock } from '../../lib/wiring/env.ts';
import { type JobFunction, scheduled } from '../../lib/wiring/job.ts';
import { countLimited, queueAgesFunction } from '../../lib/wiring/jobs.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { frozenClock } from '../support/identity-fakes.ts';
import { tablesHere } from '../support/local-aws.ts';
import { settled } from '../support/running-registry.ts';

const here = tablesHere();
beforeAll(() => provision(here.env()));

test('a job starts nothing new after its budget, or the one that it is given', async () => {
  const env: Env = {};
  setClock(env, frozenClock(5_000));
  const seen: unknown[] = [];
  const job = {
    job: 'relay',
    use: (ports: unknown) => async (deadline: number) => void seen.push(ports, deadline),
    ports: { log: () => 'log', metrics: () => 'metrics' },
  } as unknown as JobFunction<'relay'>;
  const run = scheduled(job, env, { metrics: () => 'instead' as never });
  await run();
  await run(7);
  const ports = { log: 'log', metrics: 'instead' };
  expect(seen).toEqual([ports, 23_000, ports, 12_000]);
});

test('the watch of queues sees every organisation, and each consumer that has a queue', async () => {
  const ports = operatorPorts(here.env());
  const made: string[] = [];
  for (let number = 0; number < 51; number += 1)
    made.push((await createOrganisation(ports, { name: `House ${number}`, tier: 'high' })).id);
  const { organisations, of } = queueAgesFunction.ports.consumers(here.env());
  const sorted = made.toSorted();
  const first = await organisations();
  expect(first.entries).toEqual(sorted.slice(0, 50));
  expect(await organisations(first.next)).toEqual({ entries: sorted.slice(50) });

  const [organisation = ''] = made;
  const desk = async (name: string) =>
    settled(await createWorkspace(ports, { name, organisation })).id;
  const workspaces = [await desk('News'), await desk('Sport')];
  const nothing = { systemIds: [], grants: [], receives: [], sources: [] };
  const connect = async (workspace: string, kind: 'producer' | 'consumer') => {
    const lists =
      kind === 'producer' ? { systemIds: ['desk'], grants: ['*'] } : { receives: ['*'] };
    const wanted = { ...nothing, workspace, app: `${kind}-${workspace}`, kind, ...lists };
    return settled(await createConnection(ports, wanted)).connection;
  };
  const [news = ''] = workspaces;
  const [kept, gone] = [await connect(news, 'consumer'), await connect(news, 'consumer')];
  await connect(news, 'producer');
  await ports.connections.revoke(gone.id);
  const seen = [];
  for await (const consumers of of(organisation)) seen.push(consumers);
  const waiting = [{ connection: kept.id, workspace: news, queue: kept.queue }];
  expect(seen.toSorted((one, other) => other.length - one.length)).toEqual([waiting, []]);
});

describe('a batch of the access log', () => {
  const line = { connection: 'c1', workspace: 'w1', refusedBy: 'THROTTLED' };
  const message = JSON.stringify(line);
  const logEvents = [{ id: '1', timestamp: Date.UTC(2026, 0, 1), message }];

  /** What a batch begins to write, and how much of it is written when it has been counted. */
  const counted = async (messageType: string, isKnown = false) => {
    const env: Env = {
      SOMBUS_ENVIRONMENT: 'sandbox',
      SOMBUS_ACTIVITY_TABLE: 'activity',
    };
    const begun: string[] = [];
    let written = 0;
    const DYNAMODB = async (command: object) => {
      const key: string = (command as { input: { Key: { pk: { S: string } } } }).input.Key.pk.S;
      begun.push(key.replace(/#.*/, ''));
      await new Promise(resolve => setImmediate(resolve));
      if (isKnown) throw new ConditionalCheckFailedException({ message: '', $metadata: {} });
      written += 1;
      return {};
    };
    serveInProcess(env, { DYNAMODB });
    const data = gzipSync(JSON.stringify({ messageType, logEvents })).toString('base64');
    await countLimited(env)({ awslogs: { data } });
    return { begun, written };
  };

  test('is marked, and written whole before the function ends', async () => {
    expect(await counted('DATA_MESSAGE')).toEqual({
      begun: ['LINES', 'FEED', 'COUNTS'],
      written: 3,
    });
  });

  test('that came before is not counted again', async () => {
    expect(await counted('DATA_MESSAGE', true)).toEqual({ begun: ['LINES'], written: 0 });
  });

  test('that only asks whether the function is there is not counted', async () => {
    expect(await counted('CONTROL_MESSAGE')).toEqual({ begun: [], written: 0 });
  });
});
