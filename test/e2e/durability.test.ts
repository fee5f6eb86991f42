import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bearer, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { dev, startService, temporaryFolder } from '../support/service-process.ts';
import { torture } from '../torture/torture.ts';

test('nothing is lost, reordered, changed or committed twice over 8 kills while 20 producers share stories', async () => {
  const result = await torture({ kills: 8, publishes: 400, producers: 20, stories: 40, consumers: 3 });
  process.stdout.write(`torture: ${JSON.stringify(result)}\n`);
  expect(result).toMatchObject({
    kills: 8,
    acknowledged: 400,
    lost: 0,
    outOfOrder: 0,
    changed: 0,
    committedTwice: 0,
    keptThoughRefused: 0,
  });
}, 180_000);

describe('a damaged data folder', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  const journal = (): string => {
    const name = readdirSync(join(folder.path, 'sqs')).find(file => file.endsWith('.journal'));
    return join(folder.path, 'sqs', name ?? '');
  };
  const flip = (path: string, at: number): void => {
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    writeFileSync(path, bytes);
  };
  const start = () => dev('--data', folder.path, '--json');

  beforeAll(async () => {
    const service = await startService(folder.path);
    const { base_url, workspace, producer } = service.ready;
    const token = await bearer(base_url, producer);
    for (let sent = 0; sent < 5; sent += 1)
      await post(`${base_url}/tenants/${workspace}/messages`, token, linkCommitted());
    await service.stop('SIGKILL');
  });

  test.each([
    ['a flipped bit in the queues’ journal', () => flip(journal(), 200), 'sqs'],
    [
      'credentials that end in the middle',
      () => truncateSync(join(folder.path, 'credentials.json'), 20),
      'credentials.json',
    ],
    ['a database without its beginning', () => flip(join(folder.path, 'dynamodb.sqlite'), 3), 'database'],
  ])('is named, and not read: %s', async (_what, damage, named) => {
    const files = new Map(
      [journal(), join(folder.path, 'credentials.json'), join(folder.path, 'dynamodb.sqlite')].map(path => [
        path,
        readFileSync(path),
      ]),
    );
    damage();
    const { code, stderr } = await start();
    for (const [path, bytes] of files) writeFileSync(path, bytes);
    expect(code).not.toBe(0);
    expect(stderr).toContain(named);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
