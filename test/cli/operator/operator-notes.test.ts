import type { OperatorPorts } from '../../../lib/wiring/operator.ts';
import { sombusOn } from '../../support/commands.ts';
import { usagePlansInMemory } from '../../support/fakes/usage-plans.ts';
import { registryHere } from '../../support/registry-here.ts';
import { json, type Reply, scriptedServer, tokenResponse } from '../../support/scripted-server.ts';

const here = registryHere();

const on = (changes: Partial<OperatorPorts>, ...args: readonly string[]) =>
  sombusOn({ registry: () => ({ ...here.ports(), ...changes }) }, ...args, '--data', 'x');

/** What a command prints as JSON. */
const made = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await on({}, ...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

let org = '';
let workspace = '';
beforeAll(async () => {
  org = (await made('org', 'create', '--name', 'North TV')).organisation_id;
  workspace = (await made('workspace', 'create', '--name', 'Desk', '--org', org)).workspace_id;
});

const create = (kind: string, app: string, ...more: readonly string[]) => [
  ...['connection', 'create', '--kind', kind, '--workspace', workspace, '--app', app],
  ...more,
];

describe('a connection of a deployed environment', () => {
  const created = async (kind: string, replies: readonly Reply[]) => {
    const script = { '/oauth/token': [tokenResponse()], '/validate': replies, '/skills': replies };
    const bus = await scriptedServer(script);
    const busIssuer = `${bus.baseUrl}/oauth`;
    const before = here.clock.now();
    const { code, stderr } = await on(
      { busIssuer },
      ...create(kind, 'cms', '--environment', 'preview'),
    );
    await bus.close();
    const asked = bus.calls.map(({ line }) => line);
    return { code, stderr, asked, seconds: (here.clock.now() - before) / 1000 };
  };

  test.each([
    ['producer', '/validate', 400],
    ['consumer', '/skills', 200],
  ])('is awaited until its gateway knows the %s', async (kind, address, status) => {
    const replies = [json(403, {}), json(503, {}), json(status, {})];
    expect(await created(kind, replies)).toEqual({
      code: 0,
      stderr: 'note: the bus accepts this connection now.\n',
      asked: ['/oauth/token', address, address, address],
      seconds: 4,
    });
  });

  test('is awaited for a minute at most', async () => {
    expect(await created('producer', [json(403, {})])).toMatchObject({
      code: 0,
      stderr:
        'note: the bus still refuses this connection: API Gateway may need another minute to know it.\n',
      seconds: 60,
    });
  });
});

test('quotas that could not be changed are named, and how to go on', async () => {
  const house = (await made('org', 'create', '--name', 'South TV')).organisation_id;
  const desk = (await made('workspace', 'create', '--name', 'Desk', '--org', house)).workspace_id;
  const ids: string[] = [];
  for (const app of ['a', 'b', 'c']) {
    const of = ['connection', 'create', '--kind', 'producer', '--workspace', desk, '--app', app];
    ids.push((await made(...of)).connection_id);
  }
  const failing = async (...broken: readonly (string | undefined)[]) => {
    const assign = async (id: string) => {
      if (broken.includes(id)) throw new Error('Too many changes.');
    };
    const usagePlans = { ...usagePlansInMemory().port, assign };
    const args = ['quota', 'set', '--organisation', house, '--tier', 'high', '--json'];
    const { code, stdout, stderr } = await on({ usagePlans }, ...args);
    const changed = JSON.parse(stdout).map((one: { connection_id: string }) => one.connection_id);
    return { code, changed: changed.sort(), stderr };
  };
  const [first, second, third] = ids;
  expect(await failing(second)).toEqual({
    code: 2,
    changed: [first, third].sort(),
    stderr: `failed: ${second} still has its old quota. Too many changes. Repeating the command finishes the change.\n`,
  });
  expect(await failing(first, third)).toEqual({
    code: 2,
    changed: [second],
    stderr: expect.stringMatching(
      new RegExp(
        `^failed: (${first}, ${third}|${third}, ${first}) still have their old quota\\. Too many changes\\. `,
      ),
    ),
  });
});

test('a role whose change leaves others unable to read their queue comes with a warning', async () => {
  const { connection_id: consumer } = await made(...create('consumer', 'reader'));
  const queueAdmin = { ...here.ports().queueAdmin, letRead: async () => 'refused' as const };
  const scope = ['--workspace', workspace];
  const role = ['--connection', consumer, '--role-arn', 'arn:aws:iam::123456789012:role/reader'];
  const warning =
    'note: another verified role of this connection no longer exists in AWS: no role can read the queue until it is revoked.\n';
  const plain = await made('principal', 'register', ...scope, ...role);
  const revoke = ['principal', 'revoke', plain.principal_id, ...scope, '--json'];
  expect(await on({ queueAdmin }, ...revoke)).toMatchObject({ code: 0, stderr: warning });
  const again = await on({ queueAdmin }, 'principal', 'register', ...scope, ...role, '--json');
  expect(again).toMatchObject({ code: 0, stderr: warning });
});
