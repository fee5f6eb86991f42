import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as listener } from 'node:net';
import { join } from 'node:path';
import { main } from '../../lib/cli/main.ts';
import { openDataFolder, storeFile } from '../../lib/local/data-folder.ts';
import { openStore, systemDisk } from '../../lib/local/engines/store.ts';
import { startLocalService } from '../../lib/local/start.ts';
import { eventually } from '../support/eventually.ts';
import { recordingTerminal } from '../support/fakes/terminal.ts';
import { requestToken } from '../support/http-client.ts';
import { services } from '../support/services.ts';
import { startOptions } from '../support/start-options.ts';
import { takenPort } from '../support/taken-port.ts';

const { folder } = services();
afterEach(() => jest.restoreAllMocks());

const broken = new Error('EIO: i/o error, fdatasync');
const breakDisk = () => {
  jest.spyOn(systemDisk, 'flush').mockRejectedValue(broken);
};

const used = async (): Promise<string> => {
  const data = folder();
  await (await startLocalService(startOptions(data))).close();
  return data;
};

test('the first start writes the credentials down only when their workspace is on disk', async () => {
  const data = folder();
  const ends: (() => void)[] = [];
  const flush = jest
    .spyOn(systemDisk, 'flush')
    .mockImplementation(() => new Promise(resolve => ends.push(resolve)));
  let failure: unknown;
  const starting = startLocalService(startOptions(data));
  starting.catch(error => {
    failure = error;
  });
  await eventually(() => ends.length > 0 || failure !== undefined);
  expect(existsSync(join(data, 'credentials.json'))).toBe(false);
  flush.mockRestore();
  for (const end of ends) end();
  const service = await starting;
  expect(existsSync(join(data, 'credentials.json'))).toBe(true);
  await service.close();
});

test('a damaged database is named with its folder, and with what to do', async () => {
  const data = await used();
  const path = join(data, storeFile);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0x55, 4096));
  await expect(startLocalService(startOptions(data))).rejects.toThrow(
    `The database in the data folder ${data} is damaged (database disk image is malformed): restore`,
  );
});

describe('a start that fails', () => {
  const broken = async () => {
    const data = await used();
    const store = openStore(join(data, storeFile));
    store.define('DELETE FROM dynamodb_items');
    await store.close();
    return data;
  };

  test('says why, even if the disk fails as well when its store is closed', async () => {
    const data = await broken();
    breakDisk();
    await expect(startLocalService(startOptions(data))).rejects.toThrow(/has lost the connection/);
  });

  test('leaves its ports and its folder to others', async () => {
    const data = await broken();
    const { port, release } = await takenPort();
    release();
    await expect(startLocalService({ ...startOptions(data), port: Number(port) })).rejects.toThrow(
      /has lost/,
    );
    const next = listener().listen(Number(port), '127.0.0.1');
    await once(next, 'listening');
    next.close();
    await (await openDataFolder(data, { fresh: false })).release();
  });
});

test('a service whose disk fails at the end says so, and leaves its folder to others', async () => {
  const data = folder();
  const service = await startLocalService({ ...startOptions(data), limits: true });
  breakDisk();
  await expect(service.close()).rejects.toBe(broken);
  await (await openDataFolder(data, { fresh: false })).release();
});

test('sombus dev names the failed disk as the reason why it stopped', async () => {
  const { terminal, printed, errors } = recordingTerminal();
  const args = ['dev', '--port', '0', '--portal-port', '0', '--data', folder(), '--json'];
  const ended = main(['node', 'sombus', ...args], terminal);
  await eventually(() => printed.length + errors.length > 0);
  const { base_url, consumer } = JSON.parse(printed[0] ?? '');
  breakDisk();
  expect((await requestToken(base_url, consumer)).status).toBe(503);
  expect([await ended, errors]).toEqual([
    2,
    [
      'The disk did not take what the service wrote (EIO: i/o error, fdatasync): check the disk, then start the service again. No accepted message is lost.',
    ],
  ]);
});
