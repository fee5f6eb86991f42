import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createConnection } from '../../../lib/access/registry/connections.ts';
import { revokeConnection } from '../../../lib/access/registry/revoking.ts';
import { diagnose } from '../../../lib/cli/deployment/doctor.ts';
import type { Patient } from '../../../lib/cli/deployment/doctor-checks.ts';
import { opensslLacks, selfSigned } from '../../support/certificate.ts';
import { sombus, sombusWith } from '../../support/commands.ts';
import { linkCommitted } from '../../support/messages.ts';
import { serviceHere } from '../../support/one-service.ts';
import { newProducer } from '../../support/running-registry.ts';
import {
  json,
  type Reply,
  refusal,
  scriptedServer,
  tokenResponse,
} from '../../support/scripted-server.ts';
import { testUnless } from '../../support/where.ts';

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
    for (const end of [socket, onward])
      end.on('error', () => [socket, onward].map(one => one.destroy()));
    socket.pipe(onward).pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, close: () => server.close() };
};

const healthy: Reply = json(200, { ok: true, som_version: '1.0.0' });

/** What the doctor finds where these replies come, and which addresses it asked. */
const against = async (script: Readonly<Record<string, readonly Reply[]>>) => {
  const other = await scriptedServer({
    '/health': [healthy],
    '/oauth/token': [tokenResponse()],
    ...script,
  });
  const found = await findings({ baseUrl: other.baseUrl });
  await other.close();
  return { found, asked: other.calls.map(({ line }) => line) };
};

const notAllowed = expect.stringMatching(
  /^\/originating_system\/system_id .*\[producer\.system_id_not_allowed: docs\/rules\//,
);

describe('a healthy setup passes', () => {
  test('through a forwarded port, as on a second laptop', async () => {
    const { port, close } = await forwarded(Number(new URL(bus.ready.base_url).port));
    for (const host of ['127.0.0.1', 'localhost']) {
      const found = await findings({ baseUrl: `http://${host}:${port}/v1`, systemId: 'demo-ncs' });
      expect(failures(found)).toEqual([]);
      const words = `through a forwarded port: the service itself listens at ${bus.ready.base_url}`;
      expect(found).toContainEqual({
        check: 'token',
        state: 'ok',
        words: expect.stringContaining(words),
      });
    }
    close();
  });

  test('under another name of the same machine, where it names the right address', async () => {
    const baseUrl = bus.ready.base_url.replace('127.0.0.1', 'localhost');
    const found = await findings({ baseUrl, systemId: 'demo-ncs' });
    const words = expect.stringContaining(`the bus gives its address as ${bus.ready.base_url}`);
    expect(failures(found)).toEqual([]);
    expect(found).toContainEqual({ check: 'token', state: 'info', words });
  });

  test.each([
    [
      'producer',
      /^ok {3}dry run/m,
      /^- {4}pull {8}skipped: this is a producer; for a pull use `sombus doctor --as consumer`$/m,
    ],
    [
      'consumer',
      /^ok {3}pull/m,
      /^- {4}dry run {5}skipped: this is a consumer; for a dry run use `sombus doctor --as producer`$/m,
    ],
  ])('for the demo %s', async (as, done, skipped) => {
    const { code, stdout } = await sombus('doctor', '--as', as, ...here());
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('FAIL')]);
    expect(stdout).toMatch(done);
    expect(stdout).toMatch(skipped);
  });

  test('when no system is named, and says how to name one', async () => {
    const found = await findings();
    expect(failures(found)).toEqual([]);
    const words = expect.stringContaining('--system-id');
    expect(found).toContainEqual({ check: 'dry run', state: 'info', words });
  });

  test('for a producer of other types, which can name a message of its own', async () => {
    const wanted = {
      kind: 'producer',
      app: 'links',
      systemIds: ['gfx-1'],
      grants: ['link.*'],
    } as const;
    const { workspace } = bus.ready;
    const made = await createConnection(bus.registry, {
      ...wanted,
      workspace,
      receives: [],
      sources: [],
    });
    if (made.kind === 'declined') throw new Error(made.reason);
    const client = { client_id: made.connection.id, client_secret: made.clientSecret };
    const dryRun = (patient: Partial<Patient>) => finding('dry run', patient, client);
    expect(failures(await findings({ systemId: 'gfx-1' }, client))).toEqual([]);
    expect(await dryRun({ systemId: 'gfx-1' })).toMatchObject({
      state: 'info',
      words: expect.stringContaining('--message'),
    });
    const message = (changes: Record<string, unknown>) =>
      Buffer.from(JSON.stringify(linkCommitted(changes)));
    const own = message({ originating_system: { system_id: 'gfx-1', system_type: 'graphics' } });
    expect(await dryRun({ message: own })).toMatchObject({ state: 'ok' });
    expect(await dryRun({ message: message({}) })).toMatchObject({
      state: 'fail',
      details: [notAllowed],
    });
  });
});

describe('a failed check reports', () => {
  test('a wrong secret', async () => {
    const found = await findings({}, { ...bus.ready.producer, client_secret: 'sbs_wrong' });
    const words = expect.stringMatching(/^invalid_client: .* Check SOMBUS_CLIENT_ID/);
    expect(found.at(-1)).toEqual({ check: 'token', state: 'fail', words });
  });

  test('a revoked connection, before and after the token is issued', async () => {
    const client = await newProducer(bus.registry, bus.ready.workspace, 'leaving');
    await revokeConnection(bus.registry, client.client_id);
    expect((await findings({}, client)).at(-1)).toMatchObject({ check: 'token', state: 'fail' });
    const refused = refusal(403, 'producer.not_registered');
    const { found } = await against({ '/validate': [refused], '/messages': [refused] });
    const checks = ['address', 'dns', 'tls', 'health', 'clock', 'token', 'permissions'];
    expect(found.map(({ check }) => check)).toEqual(checks);
    expect(found.at(-1)).toMatchObject({ words: expect.stringContaining('revoked or paused') });
  });

  test('a workspace that the connection does not belong to', async () => {
    const { workspace } = bus.ready;
    expect(await finding('workspace', { workspace })).toBeUndefined();
    const { code, stdout, stderr } = await sombusWith(
      { SOMBUS_WORKSPACE: 'wwrong' },
      'doctor',
      ...here(),
    );
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^1 of \d+ checks failed\.\n$/)]);
    expect(stdout).toContain(
      `FAIL workspace   SOMBUS_WORKSPACE is wwrong, but the connection belongs to ${workspace}: set it to ${workspace}.\n`,
    );
  });

  test('a token that is not a JWT', async () => {
    const opaque = json(200, { access_token: 'opaque', expires_in: 3600 });
    const { found } = await against({ '/oauth/token': [opaque] });
    const words = expect.stringMatching(/not a JWT/);
    expect(found.at(-1)).toMatchObject({ check: 'token', state: 'fail', words });
  });
});

test.each([
  [[], 'the queue is empty', 0],
  [
    [{ receipt_handle: 'h', message: {} }],
    'a message is waiting; the doctor returned it to the queue',
    1,
  ],
  [[null], 'the queue is empty', 0],
])('of a queue with %j, it says that %s', async (messages, words, returned) => {
  const { found, asked } = await against({
    '/validate': [refusal(403, 'producer.not_registered')],
    '/messages': [json(200, { messages })],
    '/nack': [json(200, { ok: ['h'], failed: [] })],
  });
  expect(found.at(-1)).toEqual({ check: 'pull', state: 'ok', words });
  expect(found).toContainEqual({
    check: 'dry run',
    state: 'info',
    words: 'skipped: this is a consumer, and only producers can make a dry run',
  });
  expect(asked.filter(line => line === '/nack')).toHaveLength(returned);
});

test('a message that could not be returned to its queue is a failure', async () => {
  const { found } = await against({
    '/validate': [refusal(403, 'producer.not_registered')],
    '/messages': [json(200, { messages: [{ receipt_handle: 'h', message: {} }] })],
    '/nack': [refusal(503, 'registry.unavailable')],
  });
  const words = expect.stringMatching(
    /^A message was pulled and could not be returned to the queue: /,
  );
  expect(found.at(-1)).toEqual({ check: 'pull', state: 'fail', words });
});

describe('the clock', () => {
  test.each([
    [-36_000_000, 'behind'],
    [36_000_000, 'ahead'],
  ])('is reported when it is wrong by %d ms', async (apart, direction) => {
    const form = `^This machine's clock is 3[56]\\d{3} s ${direction}: synchronise it with NTP\\.$`;
    const found = await finding('clock', {}, bus.ready.producer, () => Date.now() + apart);
    expect(found).toEqual({ check: 'clock', state: 'fail', words: expect.stringMatching(form) });
  });

  test('is not blamed for a slow response', async () => {
    const start = Date.now();
    const times = [start - 10_000, start + 10_000];
    const now = () => times.shift() ?? start;
    expect(await finding('clock', {}, bus.ready.producer, now)).toMatchObject({ state: 'ok' });
  });
});

describe('an address', () => {
  test.each([
    ['https://bus.invalid/v1', { address: 'ok', dns: 'fail' }],
    ['http://bus.example/v1', { address: 'fail' }],
    ['nonsense', { address: 'fail' }],
  ])('%s is looked at no further', async (baseUrl, states) => {
    const found = await findings({ baseUrl });
    expect(Object.fromEntries(found.map(({ check, state }) => [check, state]))).toEqual(states);
  });

  test('where nothing listens is reported', async () => {
    const found = await findings({ baseUrl: 'http://127.0.0.1:9/v1' });
    const words = expect.stringMatching(/^Cannot reach/);
    expect(found.at(-1)).toEqual({ check: 'connection', state: 'fail', words });
  });

  test('of the portal is told from that of a bus', async () => {
    const baseUrl = `${bus.ready.portal_url}/v1`;
    const words = expect.stringMatching(
      /^This is not a bus: it is the portal of one\. Give the URL/,
    );
    const health = await finding('health', { baseUrl });
    expect(health).toEqual({ check: 'health', state: 'fail', words });
  });

  test.each<[string, Reply]>([
    ['a page', response => response.end('<html>')],
    ['other JSON', json(200, { ok: true })],
    ['an error', json(404, { message: 'Not Found' })],
  ])('where %s comes instead of a bus never gets the secret', async (_what, reply) => {
    const { found, asked } = await against({ '/health': [reply] });
    expect(found.filter(({ state }) => state === 'fail').map(({ words }) => words)).toEqual([
      expect.stringMatching(/not a bus: it answered|not answer in JSON/),
    ]);
    expect(asked).toEqual(['/health']);
  });
});

test('of an environment begins with the shell: its proxy, and its account', async () => {
  const HTTPS_PROXY = 'http://proxy.example:3128';
  const nowhere = { AWS_REGION: '', AWS_DEFAULT_REGION: '', AWS_EC2_METADATA_DISABLED: 'true' };
  const variables = { ...nowhere, HTTPS_PROXY, NO_PROXY: '' };
  const { code, stdout } = await sombusWith(variables, 'doctor', '--aws', 'sandbox');
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      /^- {4}proxy {7}calls of AWS do not go through .*\nFAIL account {5}AWS_REGION is not set: name the region/,
    ),
  ]);
});

describe('https', () => {
  test('to a port that speaks http is not reported as an untrusted certificate', async () => {
    const baseUrl = bus.ready.base_url.replace('http:', 'https:');
    const words = expect.stringMatching(/does not speak https/);
    expect((await findings({ baseUrl })).at(-1)).toEqual({ check: 'tls', state: 'fail', words });
  });

  /**
   * What the doctor says of a certificate, run as a program: whom Node trusts is settled when it
   * starts.
   */
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
    const { stdout } = await sombusWith(
      variables,
      'doctor',
      '--base-url',
      `https://127.0.0.1:${port}/v1`,
    );
    await new Promise(resolve => server.close(resolve));
    return stdout;
  };

  testUnless(
    opensslLacks(),
    'with an untrusted or expired certificate is reported as such',
    async () => {
      const fresh = selfSigned(bus.data, 'IP:127.0.0.1');
      expect(await diagnosed(fresh, '')).toMatch(
        /^FAIL tls {9}.*does not trust the signer of the certificate/m,
      );
      const ended = selfSigned(bus.data, 'IP:127.0.0.1', -1);
      expect(await diagnosed(ended, ended.cert.toString())).toMatch(/^FAIL tls {9}.*has expired/m);
    },
  );
});

describe('a token of an own identity provider', () => {
  const claims = { iss: 'https://login.example.com', aud: 'other', azp: 'robot' };
  const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

  test('is tried with a dry run, and its claims are shown', async () => {
    const patient = { token, workspace: bus.ready.workspace };
    expect(await finding('token', patient)).toEqual({
      check: 'token',
      state: 'fail',
      words: expect.stringContaining(
        'Its issuer (iss) is not a registered identity provider here.',
      ),
      details: ['iss: "https://login.example.com"', 'aud: "other"', 'azp: "robot"'],
    });
  });

  test('needs a workspace, and no connection', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'sombus-token-')), 'token.txt');
    writeFileSync(path, `${token}\n`);
    const { code, stdout } = await sombusWith({}, 'doctor', '--token', path, ...here());
    expect([code === 0, stdout]).toEqual([
      false,
      expect.stringContaining('Set SOMBUS_WORKSPACE to'),
    ]);
    rmSync(dirname(path), { recursive: true });
  });

  test('that the bus takes is said to be good', async () => {
    const accepted = json(202, { accepted: true, dry_run: true });
    const other = await scriptedServer({ '/health': [healthy], '/tenants/w/validate': [accepted] });
    const found = await findings({ baseUrl: other.baseUrl, token, workspace: 'w' });
    await other.close();
    expect(found.find(({ check }) => check === 'token')).toMatchObject({ state: 'ok' });
    expect(found.find(({ check }) => check === 'dry run')).toMatchObject({ state: 'ok' });
    expect(other.calls.map(({ line }) => line)).not.toContainEqual(
      expect.stringContaining('oauth'),
    );
  });
});
