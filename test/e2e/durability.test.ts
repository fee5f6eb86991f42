import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { bearer, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { dev, devOn, program, startService, temporaryFolder } from '../support/service-process.ts';
import { torture } from '../torture/torture.ts';

test('nothing is lost, reordered, changed or committed twice over 3 kills while 10 producers share stories (npm run torture: 50)', async () => {
  const result = await torture({
    kills: 3,
    fullDisks: 0,
    publishes: 150,
    producers: 10,
    stories: 20,
    consumers: 2,
  });
  expect(result).toMatchObject({
    kills: 3,
    acknowledged: 150,
    lost: 0,
    outOfOrder: 0,
    changed: 0,
    committedTwice: 0,
    keptThoughRefused: 0,
  });
});

/** A part of a data folder: its path in it. */
type Part = (data: string) => string;

const inFolder =
  (folder: string, ending: string): Part =>
  data =>
    join(folder, readdirSync(join(data, folder)).find(name => name.endsWith(ending)) ?? '');

const parts: Readonly<Record<string, Part>> = {
  journal: inFolder('sqs', '.journal'),
  mark: inFolder('sqs', '.mark'),
  key: inFolder('kms', '.key.json'),
  aliases: inFolder('kms', 'aliases.json'),
  'access key': inFolder('roles', '.json'),
  credentials: () => 'credentials.json',
  role: () => 'demo-role.json',
  database: () => 'dynamodb.sqlite',
  'note of the database': () => 'database.json',
};

const flipAt = (path: string, at: number): void => {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(path, bytes);
};

const damages = {
  'a flipped bit in the middle': path => flipAt(path, statSync(path).size >> 1),
  'a flipped bit near its beginning': path => flipAt(path, 3),
  'half of it missing': path => truncateSync(path, statSync(path).size >> 1),
  'its last byte missing': path => truncateSync(path, statSync(path).size - 1),
  'zeros at its end': path => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, Math.max(0, bytes.length - 600)));
  },
  'nothing left of it': path => rmSync(path),
} as const satisfies Record<string, (path: string) => void>;

type Damage = keyof typeof damages;

const torn: readonly Damage[] = ['a flipped bit in the middle', 'half of it missing', 'zeros at its end'];

describe('a data folder in which a file is damaged', () => {
  const root = temporaryFolder();
  afterAll(() => root.remove());
  const killed = join(root.path, 'killed');
  const stopped = join(root.path, 'stopped');

  beforeAll(async () => {
    const service = await startService(killed);
    const { base_url, workspace, producer } = service.ready;
    const token = await bearer(base_url, producer);
    for (let sent = 0; sent < 5; sent += 1)
      await post(`${base_url}/tenants/${workspace}/messages`, token, linkCommitted());
    await service.stop('SIGKILL');
    // The database engine ends a moment after the service.
    await eventually(
      () =>
        !existsSync(join(killed, 'dynamodb.sqlite-wal')) && !existsSync(join(killed, 'dynamodb.sqlite-shm')),
    );
    cpSync(killed, stopped, { recursive: true });
    await (await startService(stopped)).stop();
  });

  let copies = 0;
  const copyOf = (folder: string): string => {
    copies += 1;
    const copy = join(root.path, `copy-${copies}`);
    cpSync(folder, copy, { recursive: true });
    return copy;
  };

  const each = (files: readonly string[], kinds: readonly Damage[]) =>
    files.flatMap(file => kinds.map(damage => [file, damage] as const));

  const expectNamed = async (data: string, file: string, damage: Damage): Promise<void> => {
    const path = join(data, parts[file]?.(data) ?? '');
    damages[damage](path);
    const { code, stdout, stderr } = await dev('--data', data, '--json');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(damage === 'nothing left of it' ? path.split('/').at(-1) : path);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  };

  test.each([
    ...each(['journal', 'credentials', 'key', 'access key'], torn),
    ...each(['mark', 'aliases', 'role'], ['a flipped bit in the middle', 'half of it missing']),
    ...each(['mark', 'key'], ['nothing left of it']),
    ...each(
      ['database'],
      ['a flipped bit near its beginning', 'half of it missing', 'its last byte missing'],
    ),
  ])('is refused after a kill, naming the file: the %s with %s', async (file, damage) => {
    await expectNamed(copyOf(killed), file, damage);
  });

  test.each([
    ...each(['journal', 'database'], [...torn, 'its last byte missing']),
    ...each(['note of the database'], ['half of it missing']),
  ])('is refused after a stop, naming the file: the %s with %s', async (file, damage) => {
    await expectNamed(copyOf(stopped), file, damage);
  });

  test('starts after a kill that left only an unacknowledged write unfinished, and says so', async () => {
    const data = copyOf(killed);
    const path = join(data, parts['journal']?.(data) ?? '');
    const { size } = statSync(path);
    appendFileSync(path, 'SBJ2');
    const child = spawn(process.execPath, [program, ...devOn(['--data', data, '--json'])]);
    let said = '';
    child.stderr.on('data', chunk => {
      said += chunk;
    });
    await once(child.stdout, 'data');
    child.kill();
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    expect(said).toBe(
      `queues  ${path} ended in 4 bytes of an unfinished write, which was never acknowledged: they are now in ${path}.${size}.damaged\n`,
    );
    expect(statSync(path).size).toBe(size);
  });
});
