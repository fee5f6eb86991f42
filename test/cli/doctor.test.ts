import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagnose } from '../../lib/cli/doctor.ts';
import { databaseFinding, type Patient } from '../../lib/cli/doctor-checks.ts';
import { openStore } from '../../lib/engines/store.ts';
import { createConnection } from '../../lib/registry/connections.ts';
import { revokeConnection } from '../../lib/registry/revoking.ts';
import { opensslLacks, selfSigned } from '../support/certificate.ts';
import { sombus, sombusWith } from '../support/commands.ts';
import { linkCommitted } from '../support/messages.ts';
import { serviceHere } from '../support/one-service.ts';
import { newProducer } from '../support/running-registry.ts';
import { json, type Reply, refusal, scriptedServer, tokenResponse } from '../support/scripted-server.ts';
import { testUnless } from '../support/where.ts';

const bus = serviceHere();

const here = () => ['--data', bus.data];

type Client = { readonly client_id: string; readonly client_secret: string };

/** What the doctor finds, for the demo producer by default. */
const findings = async (
  patient: Partial<Patient> = {},
  { client_id: id, client_secret: secret }: Client = bus.ready.producer,
  now: () => number = Date.now,
) => diagnose({ baseUrl: bus.ready.base_url, client: { id, secret }, ...patient }, now);

const finding = async (check: string, ...args: Parameters<typeof findings>) =>
  (await findings(...args)).find(found => found.check === check);

const failures = (found: Awaited<ReturnType<typeof findings>>) =>
  found.filter(({ state }) => state === 'fail').map(({ check }) => check);

/** A port that leads to another one, as `ssh -L` makes it. */
const forwarded = async (to: number) => {
  const server = createServer(socket => {
    const onward = connect(to, '127.0.0.1');
    for (const end of [socket, onward]) end.on('error', () => [socket, onward].map(one => one.destroy()));
    socket.pipe(onward).pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, close: () => server.close() };
};

describe('a healthy setup', () => {
  test('passes through a forwarded port, as on a second laptop', async () => {
    const { port, close } = await forwarded(Number(new URL(bus.ready.base_url).port));
    for (const host of ['127.0.0.1', 'localhost']) {
      const found = await findings({ baseUrl: `http://${host}:${port}/v1`, systemId: 'demo-ncs' });
      expect(failures(found)).toEqual([]);
      expect(found).toContainEqual({
        check: 'token',
        state: 'ok',
        words: expect.stringContaining(
          `through a forwarded port: the service itself listens at ${bus.ready.base_url}`,
        ),
      });
    }
    close();
  });

  test('passes for the demo producer and the demo consumer', async () => {
    for (const as of ['producer', 'consumer']) {
      const { code, stdout } = await sombus('doctor', '--as', as, ...here());
      expect([code, stdout]).toEqual([0, expect.not.stringContaining('FAIL')]);
      expect(stdout).toMatch(as === 'producer' ? /^ok {3}dry run/m : /^ok {3}pull/m);
      expect(stdout).toMatch(
        as === 'producer'
          ? /^- {4}pull {8}skipped: this is a producer; for a pull use `sombus doctor --as consumer`$/m
          : /^- {4}dry run {5}skipped: this is a consumer; for a dry run use `sombus doctor --as producer`$/m,
      );
    }
  });

  test('passes when no system is named', async () => {
    const found = await findings();
    expect(failures(found)).toEqual([]);
    expect(found).toContainEqual({
      check: 'dry run',
      state: 'info',
      words: expect.stringContaining('--system-id'),
    });
  });

  test('passes for a producer of other types, which can name a message of its own', async () => {
    const wanted = { kind: 'producer', app: 'links', systemIds: ['gfx-1'], grants: ['link.*'] } as const;
    const { workspace } = bus.ready;
    const made = await createConnection(bus.registry, { ...wanted, workspace, receives: [], sources: [] });
    if (made.kind === 'declined') throw new Error(made.reason);
    const client = { client_id: made.connection.id, client_secret: made.clientSecret };
    const story = await findings({ systemId: 'gfx-1' }, client);
    expect([failures(story), await finding('dry run', { systemId: 'gfx-1' }, client)]).toMatchObject([
      [],
      { state: 'info', words: expect.stringContaining('--message') },
    ]);
    const own = linkCommitted({ originating_system: { system_id: 'gfx-1', system_type: 'graphics' } });
    const message = Buffer.from(JSON.stringify(own));
    expect(await finding('dry run', { message }, client)).toMatchObject({ state: 'ok' });
    const other = Buffer.from(JSON.stringify(linkCommitted()));
    expect(await finding('dry run', { message: other }, client)).toMatchObject({
      state: 'fail',
      details: [
        expect.stringMatching(
          /^\/originating_system\/system_id .*\[producer\.system_id_not_allowed: docs\/rules\//,
        ),
      ],
    });
  });

  test('passes under another name of the same machine', async () => {
    const baseUrl = bus.ready.base_url.replace('127.0.0.1', 'localhost');
    const found = await findings({ baseUrl, systemId: 'demo-ncs' });
    expect(failures(found)).toEqual([]);
    expect(found).toContainEqual({
      check: 'token',
      state: 'info',
      words: expect.stringContaining(`the bus gives its address as ${bus.ready.base_url}`),
    });
  });
});

describe('a failed check reports', () => {
  test('a wrong secret', async () => {
    const found = await findings({}, { ...bus.ready.producer, client_secret: 'sbs_wrong' });
    expect(found.at(-1)).toMatchObject({
      check: 'token',
      state: 'fail',
      words: expect.stringMatching(/^invalid_client: .* Check SOMBUS_CLIENT_ID/),
    });
  });

  test('a system that the connection may not send as', async () => {
    expect(await finding('dry run', { systemId: 'other' })).toMatchObject({
      state: 'fail',
      details: [
        expect.stringMatching(
          /^\/originating_system\/system_id .*\[producer\.system_id_not_allowed: docs\/rules\//,
        ),
      ],
    });
  });

  test('a check that is for the other kind of connection as skipped', async () => {
    expect(await finding('dry run', {}, bus.ready.consumer)).toMatchObject({
      state: 'info',
      words: 'skipped: this is a consumer, and only producers can make a dry run',
    });
    expect(await finding('pull', {}, bus.ready.producer)).toMatchObject({
      state: 'info',
      words: 'skipped: this is a producer, and only consumers can pull',
    });
  });

  test('a revoked connection, before and after the token is issued', async () => {
    const client = await newProducer(bus.registry, bus.ready.workspace, 'leaving');
    await revokeConnection(bus.registry, client.client_id);
    expect((await findings({}, client)).at(-1)).toMatchObject({ check: 'token', state: 'fail' });
    const refused = refusal(403, 'producer.not_registered');
    const other = await scriptedServer({
      '/health': [healthy],
      '/oauth/token': [tokenResponse()],
      '/validate': [refused],
      '/messages': [refused],
    });
    const found = await findings({ baseUrl: other.baseUrl });
    await other.close();
    expect(found.map(({ check }) => check)).toEqual([
      'address',
      'dns',
      'tls',
      'health',
      'clock',
      'token',
      'permissions',
    ]);
    expect(found.at(-1)).toMatchObject({ words: expect.stringContaining('revoked or paused') });
  });

  test.each([
    ['the queue is empty', [], 0],
    ['a message is waiting; the doctor returned it to the queue', [{ receipt_handle: 'h', message: {} }], 1],
  ])('of a queue: %s', async (words, messages, returned) => {
    const other = await scriptedServer({
      '/health': [healthy],
      '/oauth/token': [tokenResponse()],
      '/validate': [refusal(403, 'producer.not_registered')],
      '/messages': [json(200, { messages })],
      '/nack': [json(200, { results: [] })],
    });
    const found = await findings({ baseUrl: other.baseUrl });
    await other.close();
    expect(found.at(-1)).toEqual({ check: 'pull', state: 'ok', words });
    expect(other.count('/nack')).toBe(returned);
  });

  test('no failure when a pull returns something that is not a record', async () => {
    const other = await scriptedServer({
      '/health': [healthy],
      '/oauth/token': [tokenResponse()],
      '/validate': [refusal(403, 'producer.not_registered')],
      '/messages': [json(200, { messages: [null] })],
      '/nack': [json(400, {})],
    });
    const found = await findings({ baseUrl: other.baseUrl });
    await other.close();
    expect(failures(found)).toEqual([]);
    expect(found.at(-1)).toMatchObject({ check: 'pull', state: 'ok' });
  });

  test('a workspace that the connection does not belong to', async () => {
    const { workspace } = bus.ready;
    expect(await finding('workspace', { workspace })).toBeUndefined();
    const { code, stdout, stderr } = await sombusWith({ SOMBUS_WORKSPACE: 'wwrong' }, 'doctor', ...here());
    expect((await sombus('doctor', '--help')).stdout).toContain('SOMBUS_WORKSPACE');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^1 of \d+ checks failed\.\n$/)]);
    expect(stdout).toContain(
      `FAIL workspace   SOMBUS_WORKSPACE is wwrong, but the connection belongs to ${workspace}: set it to ${workspace}.\n`,
    );
  });

  test('a kind that is neither producer nor consumer', async () => {
    const { code, stderr } = await sombus('doctor', '--as', 'bogus', ...here());
    expect([code, stderr]).toEqual([2, expect.stringContaining('producer, consumer')]);
  });
});

const healthy: Reply = json(200, { ok: true, som_version: '1.0.0' });

describe('the clock', () => {
  test('is reported when it is wrong', async () => {
    expect(await finding('clock', {}, bus.ready.producer, () => Date.now() - 36_000_000)).toEqual({
      check: 'clock',
      state: 'fail',
      words: expect.stringMatching(
        /^This machine's clock is 3[56]\d{3} s behind: synchronise it with NTP\.$/,
      ),
    });
  });

  test('is not blamed for a slow response', async () => {
    const start = Date.now();
    const times = [start - 10_000, start + 10_000];
    const now = () => times.shift() ?? start;
    expect(await finding('clock', {}, bus.ready.producer, now)).toMatchObject({ state: 'ok' });
  });
});

describe('an address', () => {
  const states = async (baseUrl: string) =>
    Object.fromEntries((await findings({ baseUrl })).map(({ check, state }) => [check, state]));

  test('without a host, without https, or without /v1 is reported', async () => {
    expect(await states('https://bus.invalid/v1')).toEqual({ address: 'ok', dns: 'fail' });
    expect(await states('http://bus.example/v1')).toEqual({ address: 'fail' });
    expect(await states(new URL(bus.ready.base_url).origin)).toEqual({ address: 'fail' });
    expect(await states('nonsense')).toEqual({ address: 'fail' });
  });

  test('that cannot be parsed also fails the program’s check', async () => {
    const variables = {
      SOMBUS_BASE_URL: 'localhost:8787/v1',
      SOMBUS_CLIENT_ID: 'c',
      SOMBUS_CLIENT_SECRET: 's',
    };
    const { code, stdout, stderr } = await sombusWith(variables, 'doctor');
    expect([code, stderr]).toEqual([1, '1 of 1 checks failed.\n']);
    expect(stdout).toMatch(
      /^FAIL address {5}"localhost:8787\/v1" is not a URL: it must begin with https:\/\//,
    );
  });

  test('where nothing listens is reported', async () => {
    expect((await findings({ baseUrl: 'http://127.0.0.1:9/v1' })).at(-1)).toMatchObject({
      check: 'connection',
      words: expect.stringMatching(/^Cannot reach/),
    });
  });

  test('where something other than a bus answers never gets the secret', async () => {
    const html: Reply = response => response.end('<html>');
    for (const reply of [html, json(200, { ok: true }), json(404, { message: 'Not Found' })]) {
      const other = await scriptedServer({ '/health': [reply], '/oauth/token': [tokenResponse()] });
      const found = await findings({ baseUrl: other.baseUrl });
      await other.close();
      const words = found.filter(({ state }) => state === 'fail').map(finding => finding.words);
      expect(words).toEqual([expect.stringMatching(/not a bus: it answered|not answer in JSON/)]);
      expect(other.calls.map(({ line }) => line)).toEqual(['/health']);
    }
  });

  test('whose token is not a JWT is reported', async () => {
    const opaque = json(200, { access_token: 'opaque', expires_in: 3600 });
    const other = await scriptedServer({ '/health': [healthy], '/oauth/token': [opaque] });
    const found = await findings({ baseUrl: other.baseUrl });
    await other.close();
    expect(found.at(-1)).toMatchObject({
      check: 'token',
      state: 'fail',
      words: expect.stringMatching(/not a JWT/),
    });
  });
});

describe('https', () => {
  test('to a port that speaks http is not reported as an untrusted certificate', async () => {
    const baseUrl = bus.ready.base_url.replace('http:', 'https:');
    expect((await findings({ baseUrl })).at(-1)).toEqual({
      check: 'tls',
      state: 'fail',
      words: expect.stringMatching(/does not speak https/),
    });
  });

  /** What the doctor says of a certificate, run as a program: whom Node trusts is settled when it starts. */
  const diagnosed = async ({ key, cert }: { key: Buffer; cert: Buffer }, trusted: string) => {
    const server = createHttpsServer({ key, cert }, (_request, response) => response.end('{}'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    writeFileSync(join(bus.data, 'trusted.pem'), trusted);
    const variables = {
      SOMBUS_CLIENT_ID: 'cnone',
      SOMBUS_CLIENT_SECRET: 'sbs_none',
      ...(trusted === '' ? {} : { NODE_EXTRA_CA_CERTS: join(bus.data, 'trusted.pem') }),
    };
    const { stdout } = await sombusWith(variables, 'doctor', '--base-url', `https://127.0.0.1:${port}/v1`);
    await new Promise(resolve => server.close(resolve));
    return stdout;
  };

  testUnless(opensslLacks(), 'with an untrusted or expired certificate is reported as such', async () => {
    const fresh = selfSigned(bus.data, 'IP:127.0.0.1');
    expect(await diagnosed(fresh, '')).toMatch(
      /^FAIL tls {9}.*does not trust the signer of the certificate/m,
    );
    const ended = selfSigned(bus.data, 'IP:127.0.0.1', -1);
    expect(await diagnosed(ended, ended.cert.toString())).toMatch(/^FAIL tls {9}.*has expired/m);
  });
});

test('the database of the local service is checked, while it is used and when it is damaged', async () => {
  const data = mkdtempSync(join(tmpdir(), 'sombus-doctor-'));
  const path = join(data, 'store.sqlite');
  const store = openStore(path);
  store.define('CREATE TABLE things (value TEXT) STRICT');
  for (let index = 0; index < 100; index += 1)
    store.sql('INSERT INTO things VALUES (?)').run('x'.repeat(1_000));
  expect(databaseFinding(data)).toEqual({ check: 'database', state: 'ok', words: `${path} is sound` });
  await store.close();
  truncateSync(path, 40_000);
  // A log that SQLite kept would bring the pages back.
  rmSync(`${path}-wal`, { force: true });
  expect(databaseFinding(data)).toMatchObject({
    state: 'fail',
    words: expect.stringMatching(/is damaged \(.*\): restore the data folder from a copy\.$/),
  });
  rmSync(data, { recursive: true });
});
