import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConnectionSet } from '../../../lib/access/registry/connection-set.ts';
import { operatorKeyIn } from '../../../lib/local/roles.ts';
import { sombus, sombusWith } from '../../support/commands.ts';
import { requestToken } from '../../support/http-client.ts';
import { oneService } from '../../support/one-service.ts';
import { temporaryFolder } from '../../support/service-process.ts';

const bus = oneService('--no-limits');
const folder = temporaryFolder();
afterAll(folder.remove);

const newsroom = readFileSync('examples/newsroom.yaml', 'utf8');
const out = join(folder.path, 'newsroom.env');

/** The variables of a file as a shell sees them: nothing else may happen when it is loaded. */
const loaded = (path = out): Record<string, string> => {
  const script = 'set -a; . "$0"; set +a; env';
  const { stdout } = spawnSync('/bin/sh', ['-c', script, path], { encoding: 'utf8', env: {} });
  return Object.fromEntries(
    stdout.split('\n').flatMap(line => {
      const [, name, value] = /^(SOMBUS_\w+)=(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value ?? '']];
    }),
  );
};

const getsToken = async (variables: Record<string, string>, name: string): Promise<number> => {
  const client = {
    client_id: variables[`${name}_ID`] ?? '',
    client_secret: variables[`${name}_SECRET`] ?? '',
  };
  return (await requestToken(bus.base, client)).status;
};

const apply = async (text: string, ...options: readonly string[]) => {
  const path = join(folder.path, 'set.yaml');
  writeFileSync(path, text);
  return bus.run('connections', 'apply', path, '--out', out, ...options);
};

/** Where the bus is, under the names that clients read. */
const busVariables = () => ({
  SOMBUS_BASE_URL: `${bus.base}/`,
  SOMBUS_TOKEN_URL: `${bus.base}/oauth/token`,
  SOMBUS_WORKSPACE: bus.ready.workspace,
});

const changes = (record: readonly { change: string }[]) =>
  new Set(record.map(({ change }) => change));

describe('sombus connections apply', () => {
  test('says so where git does not ignore the file with the secrets', async () => {
    const path = join(folder.path, 'repository');
    spawnSync('git', ['init', '--quiet', path]);
    const file = join(path, '.env.sombus');
    const one =
      'connections: { one: { app: one, producer: { system_ids: [one], grants: [story.context] } } }';
    const said = async () => (await apply(one, '--out', file)).stderr;
    expect(await said()).toContain('git does not ignore');
    writeFileSync(join(path, '.gitignore'), '.env.*\n');
    expect(await said()).toBe('');
  });

  test('makes the 16 connections of a newsroom, and writes their variables for their owner only', async () => {
    const { code, record } = await apply(newsroom);
    expect([code, record.length, changes(record)]).toEqual([0, 16, new Set(['created'])]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const variables = loaded();
    expect(variables).toMatchObject({
      ...busVariables(),
      SOMBUS_NEWSROOM_NCS_SYSTEM_ID: 'fennel-ncs',
    });
    for (const role of [
      'NCS',
      'MAM',
      'SKILL',
      'GRAPHICS',
      'STANDARDS',
      'PLAYOUT',
      'CMS',
      'AUTOMATION',
    ]) {
      for (const kind of ['PRODUCER', 'CONSUMER']) {
        expect(await getsToken(variables, `SOMBUS_NEWSROOM_${role}_${kind}`)).toBe(200);
      }
    }
    const cms = variables['SOMBUS_NEWSROOM_CMS_PRODUCER_ID'] ?? '';
    expect((await bus.run('connection', 'show', cms)).record).toMatchObject({
      system_ids: ['fennel-cms'],
      grants: ['story.context', 'link.committed', 'telling.*'],
    });
  });

  test('changes nothing the second time, not even the file or its mode', async () => {
    const before = readFileSync(out, 'utf8');
    chmodSync(out, 0o644);
    const { code, record } = await apply(newsroom);
    expect([code, changes(record)]).toEqual([0, new Set(['unchanged'])]);
    expect(readFileSync(out, 'utf8')).toBe(before);
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  test('updates only what differs, as JSON too, and keeps the variables of the others', async () => {
    const before = loaded();
    const set = {
      variables: 'SOMBUS_NEWSROOM',
      connections: { cms: { app: 'fennel-cms', consumer: { receives: ['story.context'] } } },
    };
    const { record } = await apply(JSON.stringify(set));
    const cms = { name: 'cms', kind: 'consumer', secret: 'in the file' };
    const connection_id = before['SOMBUS_NEWSROOM_CMS_CONSUMER_ID'];
    expect(record).toEqual([{ ...cms, connection_id, change: 'updated' }]);
    expect(loaded()).toEqual(before);
  });

  test('says which secrets this machine does not have, and issues new ones only when asked', async () => {
    const elsewhere = join(folder.path, 'second.env');
    const first = await apply(newsroom, '--out', elsewhere);
    expect(first.stderr).toMatch(
      /some secrets are not on this machine; --issue-missing issues new ones/,
    );
    expect(loaded(elsewhere)['SOMBUS_NEWSROOM_NCS_PRODUCER_SECRET']).toBeUndefined();
    const second = await apply(newsroom, '--out', elsewhere, '--issue-missing');
    expect([second.code, second.stderr]).toEqual([0, '']);
    expect(await getsToken(loaded(elsewhere), 'SOMBUS_NEWSROOM_NCS_PRODUCER')).toBe(200);
  });

  test('takes no secret that an earlier run wrote for another connection', async () => {
    const moved = join(folder.path, 'moved.env');
    const id = loaded()['SOMBUS_NEWSROOM_NCS_PRODUCER_ID'] ?? '';
    writeFileSync(moved, readFileSync(out, 'utf8').replace(id, 'c222222222222'));
    const { record } = await apply(newsroom, '--out', moved);
    const missing = record.filter(
      ({ secret }: { secret: string }) => secret === 'not on this machine',
    );
    expect(missing).toMatchObject([{ connection_id: id }]);
  });

  const graphics = (grant: string) =>
    `connections: { plain: { producer: }, gfx: { producer: { grants: [${grant}] } } }`;

  test('refuses an unknown type before it changes anything, and takes it with --force', async () => {
    const file = join(folder.path, 'graphics.env');
    const refused = await apply(graphics('graphics.*'), '--out', file);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /nothing was changed\n {2}gfx\.producer: .*graphics\.\*.* To do it anyway, use --force\.\n$/,
    );
    expect(existsSync(file)).toBe(false);
    const forced = await apply(graphics('graphics.*'), '--out', file, '--force');
    expect([forced.code, changes(forced.record)]).toEqual([0, new Set(['created'])]);
    const updated = await apply(graphics('"graphics.*", "clips.*"'), '--out', file, '--force');
    expect(updated.record.map(({ change }: { change: string }) => change)).toEqual([
      'unchanged',
      'updated',
    ]);
  });

  test('that stops half-way says what it has made, and goes on when it is run again', async () => {
    const { record: organisations } = await bus.run('org', 'list');
    const org = organisations.find(
      ({ name }: { name: string }) => name !== 'sombus',
    ).organisation_id;
    const { record: app } = await bus.run('app', 'create', '--name', 'leaving', '--org', org);
    await bus.run('app', 'revoke', app.app_id, '--confirm', app.app_id);
    const file = join(folder.path, 'half.env');
    const set = (name: string) =>
      `connections: { first: { producer: }, second: { app: ${name}, producer: } }`;
    const stopped = await apply(set(app.app_id), '--out', file);
    expect([stopped.code, stopped.record]).toEqual([
      1,
      [
        {
          name: 'first',
          kind: 'producer',
          connection_id: expect.any(String),
          change: 'created',
          secret: 'in the file',
        },
      ],
    ]);
    expect(stopped.stderr).toContain(
      `it stopped after 1 of 2 connections, whose variables are in ${file}.`,
    );
    expect(stopped.stderr).toContain(`refused: second.producer: The app ${app.app_id} is revoked.`);
    const { record } = await apply(set('second'), '--out', file);
    expect(record.map(({ change }: { change: string }) => change)).toEqual([
      'unchanged',
      'created',
    ]);
    expect(await getsToken(loaded(file), 'SOMBUS_FIRST_PRODUCER')).toBe(200);
  });

  describe('changes nothing where its file', () => {
    const set = (entry: string) => `connections: { ${entry} }`;
    const count = async () =>
      (await bus.run('connection', 'list', '--workspace', bus.ready.workspace)).record.length;

    test('cannot be written: the secrets in use stay', async () => {
      const blocked = join(folder.path, 'blocked.env');
      mkdirSync(`${blocked}.new`);
      const before = await count();
      for (const file of [blocked, join(folder.path, 'no/such/folder.env')]) {
        const { code, stderr } = await apply(newsroom, '--out', file, '--issue-missing');
        expect([code, stderr]).toEqual([
          1,
          expect.stringMatching(
            /^refused: The file \S+ cannot be written \(E\w+: .*\), and nothing was changed: name another one with --out\.\n$/,
          ),
        ]);
      }
      const inUse = loaded(join(folder.path, 'second.env'));
      expect(await getsToken(inUse, 'SOMBUS_NEWSROOM_NCS_PRODUCER')).toBe(200);
      expect(await count()).toBe(before);
    });

    test('is that of another workspace', async () => {
      const { record } = await bus.run('org', 'create', '--name', 'Second', '--tier', 'minimal');
      const org = record.organisation_id;
      const second = (await bus.run('workspace', 'create', '--name', 'Second', '--org', org))
        .record;
      const before = readFileSync(out, 'utf8');
      const { code, stderr } = await apply(newsroom, '--workspace', second.workspace_id);
      expect([code, stderr]).toEqual([
        1,
        `refused: The file ${out} has the secrets of the workspace ${bus.ready.workspace}: name another one with --out.\n`,
      ]);
      expect(readFileSync(out, 'utf8')).toBe(before);
    });

    test('has the secret of another connection under the same name, until that one is revoked', async () => {
      const file = join(folder.path, 'same-name.env');
      await apply(set('same: { app: same-1, producer: }'), '--out', file);
      const { SOMBUS_SAME_PRODUCER_ID: first = '' } = loaded(file);
      const before = readFileSync(file, 'utf8');
      const second = set('same: { app: same-2, producer: }');
      const { code, stderr } = await apply(second, '--out', file);
      expect([code, stderr]).toEqual([
        1,
        `refused: The file ${file} has another connection as SOMBUS_SAME_PRODUCER_ID, ${first}: name another file with --out.\n`,
      ]);
      expect(readFileSync(file, 'utf8')).toBe(before);
      await bus.run('connection', 'revoke', first, '--confirm', first);
      expect((await apply(second, '--out', file)).code).toBe(0);
      expect(await getsToken(loaded(file), 'SOMBUS_SAME_PRODUCER')).toBe(200);
    });
  });

  test('keeps a value with an apostrophe that an earlier run wrote', async () => {
    const file = join(folder.path, 'apostrophe.env');
    await apply(`connections: { tess: { app: "Tess's 'MAM'", producer: } }`, '--out', file);
    await apply('connections: { plain: { producer: } }', '--out', file);
    expect(loaded(file)['SOMBUS_TESS_SYSTEM_ID']).toBe("Tess's 'MAM'");
  });

  test('leaves permissions that the file does not name as they are', async () => {
    const file = join(folder.path, 'narrow.env');
    const narrow = '{ system_ids: [narrow, narrow-2], grants: [link.committed] }';
    const made = await apply(`connections: { narrow: { producer: ${narrow} } }`, '--out', file);
    const again = await apply('connections: { narrow: { producer: {} } }', '--out', file);
    expect(changes(again.record)).toEqual(new Set(['unchanged']));
    const grants = 'connections: { narrow: { producer: { grants: [link.withdrawn] } } }';
    expect(changes((await apply(grants, '--out', file)).record)).toEqual(new Set(['updated']));
    expect(
      (await bus.run('connection', 'show', made.record[0].connection_id)).record,
    ).toMatchObject({ system_ids: ['narrow', 'narrow-2'], grants: ['link.withdrawn'] });
  });

  test('never replaces a file of somebody else', async () => {
    const thesis = join(folder.path, 'thesis.txt');
    writeFileSync(thesis, 'precious');
    const { code, stderr } = await apply(newsroom, '--out', thesis);
    expect([code, stderr]).toEqual([1, expect.stringContaining('was not written by this command')]);
    expect(readFileSync(thesis, 'utf8')).toBe('precious');
  });
});

describe('a file of connections is refused with everything that is wrong with it:', () => {
  const problemsOf = (text: string): string => {
    const set = readConnectionSet(text);
    return set.kind === 'set' ? JSON.stringify(set) : [set.reason, ...set.problems].join('\n');
  };

  test.each([
    [
      '',
      'the file: a map is expected, with variables, connections.\nconnections: a map of names to',
    ],
    [
      'conections: {}',
      'the file: there is no "conections" here. Did you mean "connections"?\nconnections: a map',
    ],
    ['connections: { a: {} }', 'a: name a producer, a consumer or both.'],
    [
      'connections: { a: { producer: { grant: [x] } } }',
      'a.producer: there is no "grant" here. Did you mean',
    ],
    [
      'connections: { a: { producer: { grants: "*" } } }',
      'a.producer.grants: a list of texts is expected.',
    ],
    [
      'connections: { a: { consumer: { receives: [Story] } } }',
      'a.consumer: "Story" is not a message type',
    ],
    [
      'connections: { a: { producer: }, b: { app: a, producer: } }',
      'b: a has the producer of the app a already.',
    ],
    [
      'connections: { a-b: { producer: }, a.b: { producer: } }',
      'a.b: a-b has the variables SOMBUS_A_B_PRODUCER',
    ],
    ['connections: { a: { app: 7, producer: } }', 'a.app: a text is expected.'],
    [
      'variables: 9x\nconnections: { a: { producer: } }',
      'variables: "9x" cannot name an environment variable.',
    ],
    ['a: [', 'The file cannot be read: '],
  ])('%j', (text, problems) => {
    expect(problemsOf(text)).toContain(problems);
  });

  test('without more, a producer sends everything as its app, and a consumer receives everything', () => {
    const common = { name: 'desk', app: 'desk', prefix: 'SOMBUS_DESK' };
    const none = { systemIds: [], grants: [], receives: [], sources: [], named: [] };
    expect(readConnectionSet('connections: { desk: { producer: , consumer: } }')).toEqual({
      kind: 'set',
      wanted: [
        { ...common, ...none, kind: 'producer', systemIds: ['desk'], grants: ['*'] },
        { ...common, ...none, kind: 'consumer', receives: ['*'] },
      ],
    });
  });
});

describe('sombus env', () => {
  const variablesOf = async (...options: readonly string[]) => {
    const { code, stdout, stderr } = await sombus('env', '--data', bus.data, ...options);
    const path = join(folder.path, 'one.env');
    writeFileSync(path, stdout);
    return { code, stdout, stderr, variables: loaded(path) };
  };

  test('prints the names that public clients read, for both demo connections', async () => {
    const { producer, consumer } = bus.ready;
    const { stdout, variables } = await variablesOf();
    for (const text of [`BASE='${bus.base}'\n`, `PORTAL='${bus.ready.portal_url}'\n`])
      expect(stdout).toContain(text);
    for (const text of Object.values(operatorKeyIn(bus.data))) expect(stdout).not.toContain(text);
    expect(variables).toEqual({
      ...busVariables(),
      SOMBUS_SYSTEM_ID: producer.system_id,
      SOMBUS_PUBLISHER_ID: producer.client_id,
      SOMBUS_PUBLISHER_SECRET: producer.client_secret,
      SOMBUS_READER_ID: consumer.client_id,
      SOMBUS_READER_SECRET: consumer.client_secret,
    });
  });

  test('--connection prints one connection, by its id or as producer or consumer of the demo', async () => {
    const { consumer } = bus.ready;
    const expected = {
      ...busVariables(),
      SOMBUS_CLIENT_ID: consumer.client_id,
      SOMBUS_CLIENT_SECRET: consumer.client_secret,
    };
    for (const named of ['consumer', consumer.client_id]) {
      const { code, stderr, variables } = await variablesOf('--connection', named);
      expect([code, stderr, variables]).toEqual([0, '', expected]);
    }
  });

  test('--connection prints no secret that this machine does not have, and says so', async () => {
    const wanted = ['--kind', 'producer', '--workspace', bus.ready.workspace, '--app', 'desk'];
    const { connection_id: id } = (await bus.run('connection', 'create', ...wanted)).record;
    const { code, stderr, variables } = await variablesOf('--connection', id);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`this machine does not have the secret of ${id}`),
    ]);
    expect(variables).toMatchObject({ SOMBUS_CLIENT_ID: id, SOMBUS_SYSTEM_ID: 'desk' });
    expect(variables).not.toHaveProperty('SOMBUS_CLIENT_SECRET');
  });

  test('its address alone leaves publish and tail with the demo connections', async () => {
    const tail = ['tail', '--once', '--wait', '0', '--data', bus.data];
    const { code, stderr } = await sombusWith(busVariables(), ...tail);
    expect([code, stderr]).toEqual([0, 'the queue is empty\n']);
  });
});
