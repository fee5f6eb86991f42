import type { Connection } from '../../lib/access/registry/connection.ts';
import type { RunSummary } from '../../lib/checks/run.ts';
import type { AlertKind } from '../../lib/contract/portal/alerts.ts';
import { alertLook } from '../../lib/portal/alert-look.ts';
import type { Alert } from '../../lib/portal/alerts/alerts.ts';
import { producer, workspace } from '../bus/activity/bus.ts';
import { correlation } from '../support/entries.ts';
import { busHere } from './bus-here.ts';

const { bus, ports } = busHere();
const minute = 60_000;
const house = producer.organisation;
const [slow, fast] = ['cbbbbbbbbbbbb', 'ccccccccccccc'];

/** What the registry has beside the connections of the bus. */
const world = () => ({
  statuses: new Map<string, string>(),
  guests: new Map<string, string>(),
  /** When replaced secrets end, by connection. */
  ends: new Map<string, number>(),
  runs: [] as RunSummary[],
  roles: [] as { organisation: string; role: 'owner' | 'viewer' }[],
  affiliationReads: 0,
  change: (one: Connection) => one,
});

const look = (around: ReturnType<typeof world>) => {
  const seen = {
    ...ports(),
    connections: {
      ofWorkspace: async () => [...bus.connections.values()].map(around.change),
      credentialsOf: async (ids: readonly string[]) =>
        new Map(
          ids.map(id => {
            const until = around.ends.get(id);
            return [
              id,
              { version: 1, ...(until === undefined ? {} : { previous: { hash: '', until } }) },
            ];
          }),
        ),
    },
    directory: {
      find: async (kind: string, id: string) => ({
        ...{ kind, id, name: id, organisation: house, createdAt: '' },
        status: around.statuses.get(id) ?? 'active',
      }),
    },
    invitations: {
      guestOf: async (_workspace: string, organisation: string) => {
        const since = around.guests.get(organisation);
        return since === undefined ? undefined : { organisation, since };
      },
    },
    members: {
      affiliationOf: async () => {
        around.affiliationReads += 1;
        return { roles: around.roles, isOperator: false };
      },
    },
    checkRuns: { listOf: async () => ({ entries: around.runs }) },
  };
  return alertLook(seen as unknown as Parameters<typeof alertLook>[0])();
};

const alertOf = (kind: AlertKind, more: Partial<Alert> = {}): Alert => ({
  id: 'laaaaaaaaaaaa',
  organisation: house,
  workspace,
  kind,
  threshold: 1,
  to: { url: 'https://hooks.example', secret: '' },
  createdAt: '2026-05-04T08:00:00.000Z',
  state: { raised: [], runs: [], deliveries: [] },
  revision: 1,
  ...more,
});

const levels = async (around: ReturnType<typeof world>, alert: Alert) => {
  const facts = await look(around).of(alert);
  return typeof facts === 'string'
    ? facts
    : facts.levels.map(({ connection, value }) => [connection, value]);
};

describe('what an alert looks at', () => {
  test('how long the oldest message of each consumer waits, in minutes', async () => {
    await bus.addConsumer(slow);
    await bus.publish(correlation(1));
    bus.clock.advance(12 * minute);
    await bus.addConsumer(fast);
    expect(await levels(world(), alertOf('message_waits'))).toEqual([
      [slow, 12],
      [fast, 0],
    ]);
    expect(await levels(world(), alertOf('message_waits', { connection: fast }))).toEqual([
      [fast, 0],
    ]);
  });

  test('for how many hours a replaced secret still works', async () => {
    const around = world();
    around.ends.set(producer.id, bus.clock.now() + 90 * minute);
    expect(await levels(around, alertOf('secret_ends'))).toEqual([[producer.id, 1.5]]);
    around.ends.set(producer.id, bus.clock.now() - 1);
    expect(await levels(around, alertOf('secret_ends'))).toEqual([
      [producer.id, Number.POSITIVE_INFINITY],
    ]);
  });

  test('the test runs that are over', async () => {
    const around = world();
    const run = {
      kind: 'producer',
      status: 'finished',
      createdAt: 1,
      connections: [{ connection_id: producer.id }],
    };
    around.runs = [
      { ...run, id: 't1', endedAt: 2 },
      { ...run, id: 't2', status: 'running' },
    ] as unknown as RunSummary[];
    expect(await look(around).of(alertOf('test_run_ended'))).toMatchObject({
      runs: [{ id: 't1', endedAt: 2 }],
    });
  });
});

test('a revoked connection is not looked at; of a suspended one nothing is known', async () => {
  const changed = (change: Partial<Connection>) => ({
    ...world(),
    change: (one: Connection) => ({ ...one, ...change }),
  });
  expect(await levels(changed({ status: 'revoked' }), alertOf('refusals'))).toEqual([]);
  expect(await levels(changed({ isSuspended: true }), alertOf('refusals'))).toEqual([
    [producer.id, undefined],
  ]);
});

describe('a guest', () => {
  const guest = 'oguest2222222';
  const alert = alertOf('refusals', { organisation: guest });

  test('is alerted of its own connections, and of their test runs', async () => {
    const around = world();
    around.guests.set(guest, '2026-05-01T00:00:00.000Z');
    expect(await levels(around, alert)).toEqual([]);
    around.change = one => ({ ...one, organisation: guest });
    expect(await levels(around, alert)).toEqual([[producer.id, 0]]);
  });

  test('has no alerts from before its invitation, and none after it', async () => {
    const around = world();
    expect(await levels(around, alert)).toBe('gone');
    around.guests.set(guest, '2026-05-04T08:00:01.000Z');
    expect(await levels(around, alert)).toBe('gone');
  });

  test.each([house, guest])('is told nothing while %s is suspended', async id => {
    const around = world();
    around.guests.set(guest, '2026-05-01T00:00:00.000Z');
    around.statuses.set(id, 'suspended');
    expect(await levels(around, alert)).toBe('stopped');
  });
});

test.each([house, workspace])('alerts are gone with %s', async id => {
  const around = world();
  around.statuses.set(id, 'revoked');
  expect(await levels(around, alertOf('refusals'))).toBe('gone');
});

test('an alert by e-mail ends when its person is no owner any more; what several ask for is read once', async () => {
  const to = {
    email: 'jo@house.example',
    person: { issuer: 'https://idp.example', subject: 'jo' },
    page: '',
  };
  const around = world();
  around.roles.push({ organisation: house, role: 'owner' });
  const one = look(around);
  const facts = await Promise.all([
    one.of(alertOf('refusals', { to })),
    one.of(alertOf('test_run_ended', { to })),
  ]);
  expect(facts).not.toContain('gone');
  expect(around.affiliationReads).toBe(1);
  around.roles = [
    { organisation: house, role: 'viewer' },
    { organisation: 'oelsewhere111', role: 'owner' },
  ];
  expect(await look(around).of(alertOf('refusals', { to }))).toBe('gone');
});
