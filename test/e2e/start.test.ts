import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sombus } from '../support/commands.ts';
import { call, requestToken } from '../support/http-client.ts';
import { exchange } from '../support/raw-connection.ts';
import { dev, spawnDev, startService } from '../support/service-process.ts';
import { services } from '../support/services.ts';
import { takenPort } from '../support/taken-port.ts';

const { folder, started, used } = services();

/** What a person sees once the service is up. */
const screenOf = async (child: ReturnType<typeof spawnDev>): Promise<string> => {
  let screen = '';
  child.stdout.on('data', chunk => {
    screen += chunk;
  });
  while (!screen.includes('everything else')) await once(child.stdout, 'data');
  return screen;
};

/** Pastes what `sombus curl` prints into a shell, and checks what that prints. */
const pasteLines = async (data: string): Promise<{ readonly messageId: unknown }> => {
  const { stdout: lines } = await sombus('curl', '--data', data);
  expect(lines).not.toMatch(/-u |-H ["']?Authorization/);
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', lines], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const [validated, published, pulled, acked] = stdout.trim().split('\n');
  expect(JSON.parse(validated ?? '')).toMatchObject({ accepted: true, dry_run: true });
  const acceptance = JSON.parse(published ?? '');
  expect(acceptance).toMatchObject({ accepted: true, family: 'story-context' });
  expect(JSON.parse(pulled ?? '')).toMatchObject({
    messages: [{ message_id: acceptance.message_id }],
  });
  expect(JSON.parse(acked ?? '')).toMatchObject({ ok: [expect.any(String)], failed: [] });
  return { messageId: acceptance.message_id };
};

const oneSentence = /^[^\n]+\.\n$/;

describe('sombus dev refuses with one sentence and exit code 2', () => {
  test('a data folder that another service uses, and leaves its note of who that is', async () => {
    const data = folder();
    const service = await started(data);
    const { code, stderr } = await dev('--data', data, '--fresh');
    expect(code).toBe(2);
    expect(stderr).toMatch(oneSentence);
    expect(stderr).toContain(
      `Another service (process ${service.child.pid}) is using the data folder`,
    );
    expect((await sombus('org', 'list', '--data', data)).code).toBe(0);
  });

  test('a port that is taken', async () => {
    const { port, release } = await takenPort();
    for (const option of ['--port', '--portal-port']) {
      const { code, stderr } = await dev('--data', folder(), option, port);
      expect([code, stderr]).toEqual([2, expect.stringMatching(oneSentence)]);
      expect(stderr).toContain(`Port ${port} is taken by another program`);
    }
    release();
  });

  test('one port for the bus and the portal', async () => {
    const { code, stderr } = await dev(
      '--data',
      folder(),
      '--port',
      '8799',
      '--portal-port',
      '8799',
    );
    const words = '--port and --portal-port are both 8799: give the portal another one';
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  test('a port on which another som-bus is running', async () => {
    const service = await started(folder());
    const taken = [service.ready.base_url, service.ready.portal_url].map(url => new URL(url).port);
    for (const [index, option] of ['--port', '--portal-port'].entries()) {
      const { code, stderr } = await dev('--data', folder(), option, taken[index] ?? '');
      expect([code, stderr]).toEqual([2, expect.stringMatching(oneSentence)]);
      expect(stderr).toContain(`Another som-bus is running on port ${taken[index]}`);
    }
  });

  test.each([
    ['credentials.json', '{"workspace":'],
    ['credentials.json', '{}'],
    ['sombus.json', '{"format":99}'],
    ['store.sqlite', 'this is no database, and long enough to be taken for one'.repeat(100)],
  ])('a damaged %s', async (name, content) => {
    const data = await used();
    writeFileSync(join(data, name), content);
    const { code, stderr } = await dev('--data', data);
    expect([code, stderr]).toEqual([2, expect.stringMatching(oneSentence)]);
    expect(readFileSync(join(data, name), 'utf8')).toBe(content);
  });
});

describe('sombus dev', () => {
  test('stops gracefully on SIGINT and SIGTERM, and keeps workspace and credentials for the next start', async () => {
    const data = folder();
    const first = await startService(data);
    expect(await first.stop('SIGINT')).toBe(0);
    const second = await startService(data);
    expect(second.ready.workspace).toBe(first.ready.workspace);
    expect(second.ready.endpoints).toEqual(first.ready.endpoints);
    expect((await requestToken(second.ready.base_url, first.ready.producer)).status).toBe(200);
    expect([await second.stop('SIGTERM'), second.later]).toEqual([0, []]);
  });

  test('answers a pending long poll before it stops', async () => {
    const service = await started(folder());
    const { base_url, workspace, consumer } = service.ready;
    const { body } = await requestToken(base_url, consumer);
    const url = `${base_url}/tenants/${workspace}/consumers/${consumer.client_id}/messages?wait=20`;
    const polling = call(url, { headers: { authorization: `Bearer ${body['access_token']}` } });
    await call(`${base_url}/health`);
    const stopped = service.stop();
    expect((await polling).body).toEqual({ messages: [] });
    expect(await stopped).toBe(0);
  });

  test('makes credentials and keys readable only by their owner', async () => {
    const data = folder();
    await started(data);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    for (const name of ['credentials.json', 'operator-key.json'])
      expect(statSync(join(data, name)).mode & 0o777).toBe(0o600);
  });

  test('responses to the names that it is given', async () => {
    const { ready } = await started(folder(), '--allow-host', 'laptop.test');
    const { origin, pathname } = new URL(`${ready.base_url}/health`);
    const asked = async (host: string) => {
      const [response] = await exchange(
        origin,
        `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      return response?.status;
    };
    expect([await asked('laptop.test:8787'), await asked('other.test:8787')]).toEqual([200, 403]);
  });

  test('gives the folder to only one of two services that start at once', async () => {
    const data = folder();
    mkdirSync(data, { recursive: true });
    const results = await Promise.allSettled([started(data), started(data)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('prints a short screen whose one command works as it is', async () => {
    const data = folder();
    const child = spawnDev(data);
    const screen = await screenOf(child);
    const lines = screen.trim().split('\n');
    expect(lines.length).toBeLessThan(20);
    expect(
      Math.max(...lines.filter(line => !line.includes(data)).map(line => line.length)),
    ).toBeLessThan(110);
    expect(screen).not.toMatch(/sbs_|\bcurl -/);
    const commands = lines.filter(line => line.startsWith('  npx '));
    expect(commands).toEqual([`  npx --no sombus publish examples/message.json --data '${data}'`]);
    const copied = commands
      .join('')
      .replace('npx --no sombus', `'${process.execPath}' dist/sombus.js`);
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', copied], { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual([expect.stringContaining('accepted'), '']);
    child.kill('SIGTERM');
    await once(child, 'close');
  });

  test('sombus curl prints lines that work as they are, each time', async () => {
    const data = folder();
    await started(data);
    const first = await pasteLines(data);
    const second = await pasteLines(data);
    expect(second.messageId).not.toBe(first.messageId);
  });

  test('keeps serving when the reader of its output is gone', async () => {
    const child = spawnDev(folder());
    let errors = '';
    child.stderr.on('data', chunk => {
      errors += chunk;
    });
    const screen = await screenOf(child);
    const busUrl = /bus +(http:\S+)/.exec(screen)?.[1];
    child.stdout.destroy();
    for (let request = 0; request < 3; request += 1) {
      expect((await fetch(`${busUrl}/health`)).status).toBe(200);
    }
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    expect([code, errors]).toEqual([0, '']);
  });
});
