import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../lib/local/engines/store.ts';
import { version } from '../../package.json';
import { sombus } from '../support/commands.ts';
import { requestToken } from '../support/http-client.ts';
import { dev, startService } from '../support/service-process.ts';
import { services } from '../support/services.ts';
import { takenPort } from '../support/taken-port.ts';
import { lackOf, testUnless } from '../support/where.ts';

const { folder, started, used } = services();
const oneLine = /^[^\n]+\.\n$/;

describe('a data folder that has lost a part is refused, naming the part:', () => {
  test.each([
    ['store.sqlite', (data: string) => rmSync(join(data, 'store.sqlite'))],
    ['store.sqlite', (data: string) => truncateSync(join(data, 'store.sqlite'))],
    ['credentials.json', (data: string) => rmSync(join(data, 'credentials.json'))],
    ['roles', (data: string) => rmSync(join(data, 'roles'), { recursive: true })],
    ['sombus.json', (data: string) => rmSync(join(data, 'sombus.json'))],
    ['the connection c', (data: string) => forget(data, 'DELETE FROM dynamodb_items')],
    ['roles is a file', (data: string) => becomeFile(join(data, 'roles'))],
  ])('%s', async (named, damage) => {
    const data = await used();
    await damage(data);
    const { code, stderr } = await dev('--data', data);
    expect([code, stderr]).toEqual([2, expect.stringMatching(oneLine)]);
    expect(stderr).toContain(named);
    expect(stderr).toMatch(/restore/);
  });

  /** Removes rows through the store itself, so that its files are sound. */
  const forget = async (data: string, statement: string): Promise<void> => {
    const store = openStore(join(data, 'store.sqlite'));
    store.define(statement);
    await store.close();
  };
  const becomeFile = (path: string): void => {
    rmSync(path, { recursive: true });
    writeFileSync(path, '');
  };
});

test('a folder whose first start did not complete opens, and is complete from then on', async () => {
  const data = await used();
  writeFileSync(join(data, 'sombus.json'), '{"format":5}');
  await (await startService(data)).stop();
  expect(JSON.parse(readFileSync(join(data, 'sombus.json'), 'utf8'))).toEqual({
    format: 5,
    version,
    seeded: true,
  });
});

test.each(['--port', '--portal-port'])(
  'a start with --fresh and a taken %s deletes nothing',
  async option => {
    const data = await used();
    const before = readFileSync(join(data, 'credentials.json'), 'utf8');
    const { port, release } = await takenPort();
    const { code } = await dev('--data', data, '--fresh', option, port);
    release();
    expect(code).toBe(2);
    const again = await started(data);
    expect(readFileSync(join(data, 'credentials.json'), 'utf8')).toBe(before);
    const { base_url, producer } = again.ready;
    expect((await requestToken(base_url, producer)).status).toBe(200);
  },
);

test('leftovers of a crash in the first start do not prevent the next one', async () => {
  for (const fresh of [[], ['--fresh']]) {
    const data = folder();
    for (const name of ['lock', 'lock.new', 'sombus.json.new']) writeFileSync(join(data, name), '');
    await started(data, ...fresh);
    expect(readdirSync(data).filter(name => name.endsWith('.new'))).toEqual([]);
  }
});

test.each([
  ['service.json', '{"endpoints":{"dynamodb":5,"sqs":"nonsense"}}'],
  ['service.json', '{"endpo'],
])('a damaged %s only holds hints and is rewritten: %s', async (name, content) => {
  const data = await used();
  writeFileSync(join(data, name), content);
  const service = await startService(data);
  const { base_url, producer } = service.ready;
  expect((await requestToken(base_url, producer)).status).toBe(200);
  await service.stop();
  expect(readFileSync(join(data, name), 'utf8')).not.toBe(content);
});

describe('a registry command refuses in one sentence', () => {
  test('when the service was killed', async () => {
    const data = folder();
    await (await startService(data)).stop('SIGKILL');
    const { code, stderr } = await sombus('org', 'list', '--data', data);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^No service is running on [^\n]+\.\n$/),
    ]);
  });

  test.each(['{"endpo', '{}', '{"base_url":"x","endpoints":{}}'])(
    'when service.json is %s',
    async content => {
      const data = folder();
      await started(data);
      writeFileSync(join(data, 'service.json'), content);
      const { code, stderr } = await sombus('org', 'list', '--data', data);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/service\.json is damaged: [^\n]+\.\n$/),
      ]);
    },
  );
});

testUnless(
  lackOf('/proc'),
  'a folder that the system refuses to create is refused at once',
  async () => {
    const { code, stderr } = await dev('--data', '/proc/sombus/data');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^The data folder \/proc\/sombus\/data cannot be created/),
    ]);
  },
);

test.each([
  ['{"format":1,"seeded":true}', 'another version of som-bus, which noted no version (format 1)'],
  ['{"format":4,"version":"0.3.1-rc.1","seeded":true}', 'som-bus 0.3.1-rc.1 (format 4)'],
])(
  'a folder of another version is refused in one sentence, and emptied by --fresh: %s',
  async (marker, writer) => {
    const data = folder();
    writeFileSync(join(data, 'sombus.json'), marker);
    const { code, stderr } = await dev('--data', data);
    expect([code, stderr]).toEqual([2, expect.stringMatching(oneLine)]);
    expect(stderr).toContain(`was written by ${writer}, and this is som-bus ${version}`);
    expect(stderr).toContain('--fresh');
    const service = await started(data, '--fresh');
    expect(service.ready.ready).toBe(true);
    await service.stop();
  },
);
