import { failureMessage } from '../../../lib/cli/frame/failures.ts';
import { print } from '../../../lib/cli/frame/terminal.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { sombusOn } from '../../support/commands.ts';
import { recordingTerminal } from '../../support/fakes/terminal.ts';
import { registryHere } from '../../support/registry-here.ts';

test.each([
  Object.assign(new Error('Could not load credentials from any providers'), {
    name: 'CredentialsProviderError',
  }),
  new Error('Region is missing'),
])('without AWS credentials or a region, the message says what to set: $message', error => {
  expect(failureMessage(error)).toBe(
    `${error.message}. Set AWS_REGION, and AWS_PROFILE or the other AWS_ variables.`,
  );
});

const printed = (records: object, json: boolean) => {
  const { terminal, printed: lines } = recordingTerminal();
  print(terminal, records, json);
  return lines;
};

test('a record is lines of equal width, or one line of JSON', () => {
  const record = {
    id: 'x',
    longer_name: ['a', 'b'],
    none: [],
    nothing: undefined,
    quota: { burst: 2 },
  };
  expect(printed(record, false)).toEqual([
    'id           x',
    'longer_name  a b',
    'none         -',
    'nothing      -',
    'quota        {"burst":2}',
  ]);
  expect(printed(record, true)).toEqual([
    '{"id":"x","longer_name":["a","b"],"none":[],"quota":{"burst":2}}',
  ]);
});

test('records are a table with a header, or one line of JSON', () => {
  const records = [
    { id: 'a', name: 'one' },
    { id: 'long', name: 'x' },
  ];
  expect(printed(records, false)).toEqual(['id    name', 'a     one', 'long  x']);
  expect(printed(records, true)).toEqual([JSON.stringify(records)]);
  expect([printed([], false), printed([], true)]).toEqual([['(none)'], ['[]']]);
});

describe('what the registry has, as commands print it', () => {
  const here = registryHere();
  const run = (...args: readonly string[]) =>
    sombusOn({ registry: here.ports }, ...args, '--data', 'x');
  const shown = async (...args: readonly string[]) =>
    JSON.parse((await run(...args, '--json')).stdout);
  const createdAt = '2026-05-04T09:00:00Z';
  const issuedAt = '2026-05-05T09:00:00Z';

  test('parties have the members of their kind', async () => {
    const { organisation_id: org, ...made } = await shown(
      'org',
      'create',
      '--name',
      'House',
      '--tier',
      'high',
    );
    const common = { status: 'active', created_at: expect.stringMatching(/^\d{4}-/) };
    expect(made).toEqual({ ...common, name: 'House', type: 'house', tier: 'high' });
    const app = await shown('app', 'create', '--name', 'mam', '--org', org);
    expect(app).toEqual({
      ...common,
      name: 'mam',
      app_id: expect.any(String),
      organisation_id: org,
    });
    expect(await shown('app', 'list', '--org', org)).toEqual([app]);
    expect(await shown('app', 'show', app.app_id)).toEqual(app);
  });

  test('connections have the members of their kind, and those of their secrets', async () => {
    const producer = { ...connectionOf('caaaaaaaaaaaa', 'producer', 'waaaaaaaaaaaa'), createdAt };
    const quota = { perSecond: 1, burst: 2, perDay: 3 };
    const consumer = {
      ...connectionOf('cbbbbbbbbbbbb', 'consumer', 'waaaaaaaaaaaa'),
      createdAt,
      quota,
    };
    const previous = { hash: 'g', until: Date.parse('2026-05-06T09:00:00Z'), lastUsedAt: issuedAt };
    await here.keep(producer);
    await here.keep(consumer, { version: 2, current: { hash: 'h', issuedAt }, previous });
    const common = {
      status: 'active',
      workspace_id: 'waaaaaaaaaaaa',
      app_id: 'a222222222222',
      organisation_id: expect.stringMatching(/^o/),
      credential_version: 1,
      created_at: createdAt,
      secret_last_used_at: null,
    };
    expect(await shown('connection', 'show', producer.id)).toEqual({
      ...common,
      connection_id: producer.id,
      kind: 'producer',
      tier: 'standard',
      quota: { per_second: 20, burst: 40, per_day: 100_000 },
      system_ids: ['demo-ncs'],
      grants: ['*'],
      secret_issued_at: null,
    });
    expect(await shown('connection', 'show', consumer.id)).toEqual({
      ...common,
      connection_id: consumer.id,
      kind: 'consumer',
      tier: 'custom',
      quota: { per_second: 1, burst: 2, per_day: 3 },
      receives: ['*'],
      sources: [],
      queue_url: expect.stringMatching(/\/sombus-cbbbbbbbbbbbb\.fifo$/),
      secret_issued_at: issuedAt,
      previous_secret_until: '2026-05-06T09:00:00.000Z',
      previous_secret_last_used_at: issuedAt,
    });
  });

  test('a connection of a suspended organisation is shown as suspended', async () => {
    const { organisation_id: org } = await shown('org', 'create', '--name', 'Late TV');
    const { workspace_id } = await shown('workspace', 'create', '--name', 'Desk', '--org', org);
    const of = ['--kind', 'producer', '--workspace', workspace_id, '--app', 'mam'];
    const { connection_id, status } = await shown('connection', 'create', ...of);
    expect(status).toBe('active');
    await shown('org', 'suspend', org);
    expect((await shown('connection', 'show', connection_id)).status).toBe('suspended');
    const { stdout } = await run('connection', 'list', '--workspace', workspace_id);
    expect(stdout).toMatch(new RegExp(`^${connection_id} +producer +suspended `, 'm'));
  });

  test('a new secret is shown after the id, before everything else', async () => {
    const { stdout } = await run('connection', 'secret', 'caaaaaaaaaaaa', '--issue');
    expect(stdout).toMatch(
      /^connection_id +caaaaaaaaaaaa\nclient_secret +sbs_\S+\nkind +producer\n/,
    );
  });
});
