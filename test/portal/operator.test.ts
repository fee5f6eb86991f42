import { CloudWatchClient, type DescribeAlarmsCommandInput } from '@aws-sdk/client-cloudwatch';
import { partyItem } from '../../lib/access/people/directory.dynamodb.ts';
import { awsMembers, placeKey } from '../../lib/access/people/members.dynamodb.ts';
import type { Connection } from '../../lib/access/registry/connection.ts';
import { connectionItem } from '../../lib/access/registry/items.dynamodb.ts';
import { countingIn } from '../../lib/bus/activity/counts.dynamodb.ts';
import type { Activity } from '../../lib/bus/activity/records.ts';
import { watchedAlarms } from '../../lib/contract/alarms.ts';
import { resourceNames } from '../../lib/contract/environments.ts';
import type { UsageResponse } from '../../lib/contract/portal/operator-responses.ts';
import { batchPut } from '../../lib/platform/aws/many-items.ts';
import { awsAlarmStates } from '../../lib/portal/alarm-states.cloudwatch.ts';
import { type AlarmReading, healthOf } from '../../lib/portal/health.ts';
import { readUsage } from '../../lib/portal/usage.ts';
import { counts } from '../../lib/wiring/history.ts';
import { connections, directory, members } from '../../lib/wiring/registry.ts';
import { connectionOf } from '../corpus/connections.ts';
import { answering } from '../support/fakes/aws-clients.ts';
import { type PortalService, startPortal } from './portal-service.ts';

const now = Date.parse('2026-05-04T13:20:00.000Z');
const person = { issuer: 'local', subject: 'operator', name: 'Odo' };
const createdAt = '2026-05-01T00:00:00.000Z';
const active = { status: 'active', createdAt } as const;

const house = 'ohouse2222222';
const vendor = 'ovendr2222222';
const wide = 'owide22222222';
const stage = 'wstage2222222';
const wideWorkspaces = Array.from({ length: 20 }, (_, at) => `wwide${String(at).padStart(2, '2')}`);

const organisation = (id: string, name: string, type: 'house' | 'vendor') =>
  partyItem({ ...active, kind: 'organisation', id, name, type, tier: 'standard' });
const child = (kind: 'workspace' | 'app', id: string, of: string, name = id) =>
  partyItem({ ...active, kind, id, name, organisation: of });
const connection = (id: string, kind: Connection['kind'], more: Partial<Connection> = {}) => ({
  ...connectionOf(id, kind, stage),
  organisation: house,
  app: 'anews22222222',
  ...more,
});

let portal: PortalService;
beforeAll(async () => {
  portal = await startPortal();
  const { registry, activity } = portal.tables;
  await batchPut(registry, [
    organisation(house, 'Channel One', 'house'),
    organisation(vendor, 'Graphics Ltd', 'vendor'),
    organisation(wide, 'Wide', 'house'),
    child('workspace', stage, house, 'Stage'),
    ...wideWorkspaces.map(id => child('workspace', id, wide)),
    child('app', 'anews22222222', house, 'hub-news'),
    child('app', 'agraf22222222', vendor, 'graphics'),
    placeKey(stage, vendor),
    connectionItem(connection('cquiet2222222', 'producer', { tier: 'high' })),
    connectionItem(connection('cbusy22222222', 'producer', { tier: 'minimal' })),
    connectionItem(connection('ctaker2222222', 'consumer')),
    connectionItem(
      connection('cguest2222222', 'producer', { organisation: vendor, app: 'agraf22222222' }),
    ),
  ]);
  await awsMembers(registry).setOperator(person, true);
  const count = countingIn(activity);
  const message = { messageId: 'm', messageType: 'link.committed', correlationId: 'k' };
  const did = (id: string, at: string, deed: object) => {
    const facts = { workspace: stage, connection: id, at: Date.parse(`${at}Z`) };
    return count({ ...facts, ...deed } as Activity);
  };
  const accepted = { kind: 'accepted', copies: 3, message, sizeBytes: 1 };
  await did('cquiet2222222', '2026-05-03T23:59:59', accepted);
  await did('cquiet2222222', '2026-05-04T00:00:00', accepted);
  await did('cquiet2222222', '2026-05-04T09:10:00', accepted);
  await did('cbusy22222222', '2026-05-04T09:10:00', accepted);
  await did('cbusy22222222', '2026-05-04T09:11:00', {
    kind: 'refused',
    message: {},
    violations: [],
  });
  await did('cbusy22222222', '2026-05-04T09:12:00', { kind: 'limited', requests: 40 });
  await did('cguest2222222', '2026-05-04T13:19:00', accepted);
});
afterAll(() => portal.close());

/** What is told of organisations, and which workspaces were read for it. */
const usage = async (...organisations: readonly string[]) => {
  const read: string[] = [];
  const history = counts(portal.env);
  const ports = {
    directory: directory(portal.env),
    members: members(portal.env),
    connections: connections(portal.env),
    counts: {
      hours(workspace: string, range: { from: number; to: number }) {
        read.push(workspace);
        return history.hours(workspace, range);
      },
    },
  };
  return { lines: await readUsage(ports, organisations, now), read };
};

const ask = (id: 'operator.usage' | 'operator.health', query: Readonly<Record<string, string>>) =>
  portal.call(id, { person, subject: {}, query });

describe('usage of a day', () => {
  it('is that of an organisation’s own connections since midnight, as a guest, too', async () => {
    const { lines } = await usage(house, vendor);
    expect(lines).toEqual([
      {
        organisation_id: house,
        ...{ accepted: 3, refused: 1, limited: 40, delivered: 9, acknowledged: 0 },
        busiest: {
          connection_id: 'cbusy22222222',
          app_name: 'hub-news',
          published: 2,
          per_day: 25_000,
        },
        is_complete: true,
      },
      {
        organisation_id: vendor,
        ...{ accepted: 1, refused: 0, limited: 0, delivered: 3, acknowledged: 0 },
        busiest: {
          connection_id: 'cguest2222222',
          app_name: 'graphics',
          published: 1,
          per_day: 100_000,
        },
        is_complete: true,
      },
    ]);
  });

  it('reads a workspace once, and no more than twenty in one request', async () => {
    const { lines, read } = await usage(wide);
    expect(lines).toMatchObject([{ organisation_id: wide, is_complete: true }]);
    expect(read.sort()).toEqual([...wideWorkspaces].sort());
    const both = await usage(house, vendor, wide);
    expect(both.lines.map(one => one.organisation_id)).toEqual([house, vendor]);
    expect(both.read).toEqual([stage]);
  });

  it('says so if there is more than it reads', async () => {
    const { registry } = portal.tables;
    await batchPut(registry, [child('workspace', 'wwidest222222', wide)]);
    const { lines, read } = await usage(wide);
    expect(lines).toMatchObject([{ organisation_id: wide, is_complete: false }]);
    expect(read).toHaveLength(20);
  });

  it('is asked for of ten organisations at a time, and begins at midnight', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `o${at}`).join(',');
    const { status, body } = await ask('operator.usage', { organisations: many(10) });
    expect(status).toBe(200);
    const { since, read_at, organisations } = body as unknown as UsageResponse;
    expect(since).toBe(`${read_at.slice(0, 10)}T00:00:00.000Z`);
    expect(organisations).toHaveLength(10);
    for (const wrong of [many(11), ',', ''])
      expect((await ask('operator.usage', { organisations: wrong })).status).toBe(400);
    expect(portal.errors).toEqual([]);
  });
});

const rings = { state: 'ringing', since: Date.parse('2026-05-04T13:00:00.000Z') } as const;
const quiet = { state: 'quiet' } as const;
const needed = watchedAlarms.filter(({ isOptional }) => !isOptional);

describe('the health of an environment', () => {
  it('is unknown on a laptop, where nothing watches the service', async () => {
    const { status, body } = await ask('operator.health', {});
    expect(status).toBe(200);
    expect(body).toEqual({
      read_at: expect.stringMatching(/Z$/),
      quiet: 0,
      alarms: [],
      is_unwatched: true,
    });
  });

  it('is good if all alarms are quiet that it must have', () => {
    const readings = new Map(needed.map(({ id }) => [id, quiet]));
    expect(needed.length).toBeLessThan(watchedAlarms.length);
    expect(healthOf(readings, now)).toEqual({
      read_at: '2026-05-04T13:20:00.000Z',
      quiet: needed.length,
      alarms: [],
    });
  });

  it('tells alarms that ring first, then those that are missing, then those without data', () => {
    const [unheard, lost, loud, ...others] = needed.map(({ id }) => id);
    const readings = new Map<string, AlarmReading>([
      ...others.map(id => [id, quiet] as const),
      [`${unheard}`, { state: 'no_data' }],
      [`${loud}`, rings],
      ['missing-copies', rings],
    ]);
    const { alarms, quiet: silent } = healthOf(readings, now);
    expect(silent).toBe(needed.length - 3);
    expect(alarms.map(({ alarm_id: id, state, since }) => [id, state, since])).toEqual([
      [loud, 'ringing', '2026-05-04T13:00:00.000Z'],
      ['missing-copies', 'ringing', '2026-05-04T13:00:00.000Z'],
      [lost, 'missing', undefined],
      [unheard, 'no_data', undefined],
    ]);
  });
});

test('CloudWatch is asked for alarms by their names, a hundred at a time', async () => {
  const asked: DescribeAlarmsCommandInput[] = [];
  const [changed, looked] = [new Date(now - 60_000), new Date(now)];
  const client = answering(CloudWatchClient, ({ input }) => {
    const command = input as DescribeAlarmsCommandInput;
    asked.push(command);
    const states = ['ALARM', 'OK', 'INSUFFICIENT_DATA'];
    const times = { StateTransitionedTimestamp: changed, StateUpdatedTimestamp: looked };
    const MetricAlarms = (command.AlarmNames ?? [])
      .slice(0, 3)
      .map((AlarmName, at) => ({ AlarmName, StateValue: states[at], ...times }));
    return { MetricAlarms };
  });
  const ids = Array.from({ length: 101 }, (_, at) => `alarm-${at}`);
  const since = changed.getTime();
  expect(await awsAlarmStates(client, resourceNames('preview')).read(ids)).toEqual(
    new Map([
      ['alarm-0', { state: 'ringing', since }],
      ['alarm-1', { state: 'quiet', since }],
      ['alarm-2', { state: 'no_data', since }],
      ['alarm-100', { state: 'ringing', since }],
    ]),
  );
  expect(asked.map(({ AlarmNames }) => AlarmNames?.length)).toEqual([100, 1]);
  expect(asked[1]).toMatchObject({
    AlarmNames: ['sombus-preview-alarm-100'],
    AlarmTypes: ['MetricAlarm'],
    MaxRecords: 100,
  });
});
