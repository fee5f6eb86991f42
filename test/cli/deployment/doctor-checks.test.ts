import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  attempt,
  awsProxyFinding,
  clockFinding,
  databaseFinding,
  dnsFinding,
  examineForeignToken,
  examineSession,
  healthFinding,
  ownMessage,
  type Patient,
  proxyFinding,
  requestsFindings,
  tlsFinding,
  unreachable,
  urlFinding,
} from '../../../lib/cli/deployment/doctor-checks.ts';
import type { BusResponse, BusSession } from '../../../lib/cli/frame/bus.ts';
import { openStore } from '../../../lib/local/engines/store.ts';
import { type Reply, scriptedServer } from '../../support/scripted-server.ts';

const now = Date.parse('2026-05-04T09:00:00Z');
const baseUrl = 'https://bus.example/v1';
const somebody: Patient = { baseUrl, client: { id: 'c1', secret: 'sbs_1' } };
const producer: Patient = { ...somebody, systemId: 'mam-1' };

const answer = (status: number, body: BusResponse['body']): BusResponse => ({ status, body });
const refusal = (status: number, ...rules: readonly string[]) =>
  answer(status, { violations: rules.map(rule => ({ rule, message: 'No.', path: '/payload' })) });

const accepted = answer(200, { accepted: true, dry_run: true });
const otherKind = refusal(403, 'producer.not_registered');
const empty = answer(200, { messages: [] });
const one = answer(200, { messages: [{ receipt_handle: 'h1' }] });

/** What the doctor finds of a session that answers so, and what he asked it. */
const examined = async (
  {
    validate = accepted,
    messages = empty,
    nack = answer(200, { ok: ['h1'] }),
    issuer = `${baseUrl}/oauth`,
  }: { validate?: BusResponse; messages?: BusResponse; nack?: BusResponse; issuer?: string },
  patient: Patient = producer,
) => {
  const asked: [path: string, body: unknown][] = [];
  const session: BusSession = {
    workspace: 'w1',
    connection: 'c1',
    issuer,
    async call(path, body) {
      asked.push([path, body === undefined ? undefined : Buffer.from(body).toString()]);
      if (path === 'validate') return validate;
      return path.endsWith('/nack') ? nack : messages;
    },
  };
  return { findings: await examineSession(patient, session, now), asked };
};

const token = { check: 'token', state: 'ok', words: 'connection c1 in workspace w1' };
const taken = { check: 'dry run', state: 'ok', words: 'story.context as mam-1 would be accepted' };
const none = { check: 'pull', state: 'ok', words: 'the queue is empty' };
const pull = 'consumers/c1/messages?max=1&visibility=10';

test('a connection is tried with a dry run and a pull of one message', async () => {
  const { findings, asked } = await examined({
    messages: { ...empty, rateLimit: '"address";r=150;t=7' },
  });
  expect(findings).toEqual([
    token,
    taken,
    none,
    {
      check: 'requests',
      state: 'info',
      words:
        '450 of the 600 requests a minute of this address are used, by all systems behind it: ' +
        'give each consumer a smaller requestsPerMinute, or some of them another address.',
    },
  ]);
  expect(asked).toEqual([
    ['validate', expect.stringContaining('"system_id":"mam-1"')],
    [pull, undefined],
  ]);
});

test("the doctor's own message is a whole one, and new each time", () => {
  const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;
  const id = expect.stringMatching(uuid);
  const [message, another] = [ownMessage('mam-1', now), ownMessage('mam-1', now)].map(text =>
    JSON.parse(text),
  );
  expect(message).toEqual({
    som_version: '1.0.0',
    message_id: id,
    correlation_id: id,
    message_type: 'story.context',
    timestamp: '2026-05-04T09:00:00.000Z',
    originating_system: { system_id: 'mam-1', system_type: 'custom' },
    topic: 'som.doctor',
    payload: {
      story_id: expect.stringMatching(/^doctor-[\da-f-]{36}$/),
      slug: 'DOCTOR',
      headline: 'A dry run',
      story_type: 'PLANNED',
      sequence_number: 1,
      updated_at: '2026-05-04T09:00:00.000Z',
    },
  });
  const ids = (one: typeof message) => [one.message_id, one.correlation_id, one.payload.story_id];
  expect(new Set([...ids(message), ...ids(another)]).size).toBe(6);
});

describe('a dry run', () => {
  const dryRun = async (validate: BusResponse, patient: Patient) =>
    (await examined({ validate }, patient)).findings.slice(1, -1);
  const info = (words: string) => [{ check: 'dry run', state: 'info', words }];
  const message = Buffer.from('{"payload":{}}');

  test.each([
    ['of a system that nobody named', somebody, 'story.context as sombus-doctor would be accepted'],
    ['of a named system', producer, 'story.context as mam-1 would be accepted'],
    ['of a message', { ...somebody, message }, 'your message would be accepted'],
  ])('%s is accepted', async (_what, patient, words) => {
    expect(await dryRun(accepted, patient)).toEqual([{ check: 'dry run', state: 'ok', words }]);
  });

  test('sends the message that was named', async () => {
    const { asked } = await examined({}, { ...somebody, message });
    expect(asked[0]).toEqual(['validate', '{"payload":{}}']);
  });

  test.each([
    [
      'the system is not named',
      'producer.system_id_not_allowed',
      somebody,
      'skipped: give the system you send as with --system-id, or your own message with --message.',
    ],
    [
      'the connection sends other types',
      'producer.message_type_not_allowed',
      producer,
      'skipped: this connection may not send story.context; give a message that it may send with --message.',
    ],
    [
      'it is a consumer',
      'producer.not_registered',
      producer,
      'skipped: this is a consumer, and only producers can make a dry run',
    ],
    [
      'it is the consumer of the demo',
      'producer.not_registered',
      { ...producer, isDemo: true },
      'skipped: this is a consumer; for a dry run use `sombus doctor --as producer`',
    ],
  ] as const)('is skipped where %s', async (_what, rule, patient, words) => {
    expect(await dryRun(refusal(403, rule), patient)).toEqual(info(words));
  });

  const line = (rule: string) =>
    expect.stringMatching(`^/payload  No\\. \\[${rule}: docs/rules/[\\w.-]+\\.md\\]$`);
  const [system, type] = ['producer.system_id_not_allowed', 'producer.message_type_not_allowed'];

  test.each([
    ['of a named system', [system], producer],
    ['of a system that nobody named', ['sequence_number.gap'], somebody],
    ['of a named message', [type], { ...producer, message }],
    ['for two reasons', [type, system], producer],
  ])('that is refused is a failure: %s', async (_what, rules, patient) => {
    expect(await dryRun(refusal(403, ...rules), patient)).toEqual([
      {
        check: 'dry run',
        state: 'fail',
        words: `the message would be refused: status 403, ${
          rules.length === 1 ? '1 reason' : '2 reasons'
        }`,
        details: rules.map(line),
      },
    ]);
  });

  test('that is refused says what was probably meant', async () => {
    const mistyped = Buffer.from('{"message_type":"story.contxt"}');
    const patient = { ...producer, message: mistyped };
    expect(await dryRun(refusal(400, 'message_type.unknown'), patient)).toMatchObject([
      { details: [expect.stringContaining('No. Did you mean "story.context"? [')] },
    ]);
  });

  test('names the pages of the portal where there is one', async () => {
    const patient = { ...producer, portalUrl: 'https://portal.example' };
    expect(await dryRun(refusal(403, system), patient)).toMatchObject([
      { details: [expect.stringContaining('https://portal.example/docs/rules/')] },
    ]);
  });
});

describe('a pull', () => {
  const pulled = async (replies: Parameters<typeof examined>[0], patient?: Patient) => {
    const { findings, asked } = await examined(replies, patient);
    return { finding: findings.at(-1), asked: asked.slice(1) };
  };

  test('gives a message back at once', async () => {
    expect(await pulled({ messages: one })).toEqual({
      finding: {
        check: 'pull',
        state: 'ok',
        words: 'a message is waiting; the doctor returned it to the queue',
      },
      asked: [
        [pull, undefined],
        ['consumers/c1/nack', '{"receipt_handles":["h1"]}'],
      ],
    });
  });

  test.each([
    ['the call fails', refusal(503, 'registry.unavailable'), 'registry.unavailable at /payload: '],
    [
      'a receipt is refused',
      answer(200, { ok: [], failed: [{ rule: 'receipt.expired', message: 'No.' }] }),
      'receipt.expired: ',
    ],
  ])('that cannot give it back is a failure: %s', async (_what, nack, reason) => {
    const words = `A message was pulled and could not be returned to the queue: ${reason}No.`;
    const { finding } = await pulled({ messages: one, nack });
    expect(finding).toEqual({ check: 'pull', state: 'fail', words });
  });

  test.each([
    [somebody, otherKind, 'info', 'skipped: this is a producer, and only consumers can pull'],
    [
      { ...somebody, isDemo: true },
      otherKind,
      'info',
      'skipped: this is a producer; for a pull use `sombus doctor --as consumer`',
    ],
    [somebody, refusal(503, 'a.b'), 'fail', 'a.b at /payload: No.'],
    [somebody, answer(204, { messages: [] }), 'fail', 'status 204'],
  ] as const)('of %j, answered with %j, is: %s', async (patient, messages, state, words) => {
    const { finding, asked } = await pulled({ messages }, patient);
    expect(finding).toEqual({ check: 'pull', state, words });
    expect(asked).toEqual([[pull, undefined]]);
  });
});

test('a connection that may do neither is revoked or paused', async () => {
  const { findings } = await examined({ validate: otherKind, messages: otherKind });
  const words = 'The connection is revoked or paused: ask the operator.';
  expect(findings).toEqual([token, { check: 'permissions', state: 'fail', words }]);
});

describe('the workspace of the shell', () => {
  const wrong = (shown: string) => ({
    check: 'workspace',
    state: 'fail',
    words: `SOMBUS_WORKSPACE is ${shown}, but the connection belongs to w1: set it to w1.`,
  });

  test.each([
    ['w1', []],
    ['w2', [wrong('w2')]],
    ['', [wrong('empty')]],
  ])('is compared with that of the connection: "%s"', async (workspace, findings) => {
    expect((await examined({}, { ...producer, workspace })).findings).toEqual([
      token,
      ...findings,
      taken,
      none,
    ]);
  });
});

describe('the address that a bus gives', () => {
  const here = 'http://127.0.0.1:8787/v1';
  const forwarded = (address: string) =>
    `connection c1 in workspace w1, through a forwarded port: the service itself listens at ${address}`;
  const other = (address: string) =>
    `connection c1 in workspace w1; the bus gives its address as ${address}: use that one.`;

  test.each([
    [here, here, 'ok', token.words],
    [here, 'http://localhost:9000/v1', 'ok', forwarded('http://localhost:9000/v1')],
    [here, 'http://localhost:8787/v1', 'info', other('http://localhost:8787/v1')],
    [here, 'https://bus.example/v1', 'info', other('https://bus.example/v1')],
    [baseUrl, 'http://127.0.0.1:9000/v1', 'info', other('http://127.0.0.1:9000/v1')],
    [here, 'nowhere', 'info', other('nowhere')],
  ])('is compared with the one that was called: %s and %s', async (called, given, state, words) => {
    const { findings } = await examined(
      { issuer: `${given}/oauth` },
      { ...producer, baseUrl: called },
    );
    expect(findings[0]).toEqual({ check: 'token', state, words });
  });
});

describe('a token of another issuer', () => {
  const claims = { iss: 'i', aud: ['a'], azp: 'z', client_id: 'd', sub: 's', exp: 2, iat: 1 };
  const part = Buffer.from(JSON.stringify({ jti: 'j', name: 'n', ...claims })).toString(
    'base64url',
  );
  const foreign = `e30.${part}.c2ln`;
  const details = [
    'iss: "i"',
    'aud: ["a"]',
    'azp: "z"',
    'client_id: "d"',
    'sub: "s"',
    'exp: 2',
    'iat: 1',
  ];

  const tried = async (status: number, body: object, more: Partial<Patient> = {}) => {
    const asked: object[] = [];
    const reply: Reply = (response, { method, url, headers }) => {
      asked.push({ method, url, type: headers['content-type'], by: headers.authorization });
      response.writeHead(status).end(JSON.stringify(body));
    };
    const bus = await scriptedServer({ '/validate': [reply] });
    const named = { baseUrl: bus.baseUrl, workspace: 'a/b', token: foreign };
    const findings = await examineForeignToken({ ...somebody, ...named, ...more }, now);
    await bus.close();
    return { findings, asked, sent: bus.calls.map(({ body: text }) => text) };
  };

  test('is tried with a dry run in the workspace that was named', async () => {
    const { findings, asked, sent } = await tried(200, { accepted: true });
    expect(findings).toEqual([
      { check: 'token', state: 'ok', words: 'the bus takes it', details },
      {
        check: 'dry run',
        state: 'ok',
        words: 'story.context as sombus-doctor would be accepted',
      },
    ]);
    const url = '/v1/tenants/a%2Fb/validate';
    const by = `Bearer ${foreign}`;
    expect(asked).toEqual([{ method: 'POST', url, type: 'application/json', by }]);
    const { originating_system } = JSON.parse(sent[0] ?? '');
    expect(originating_system.system_id).toBe('sombus-doctor');
  });

  test('may come with a message', async () => {
    const { findings, sent } = await tried(200, { accepted: true }, { message: Buffer.from('{}') });
    expect([findings[1]?.words, sent]).toEqual(['your message would be accepted', ['{}']]);
  });

  test('shows no claim that it does not have', async () => {
    const short = `e30.${Buffer.from('{"sub":"s"}').toString('base64url')}.c2ln`;
    const { findings } = await tried(200, { accepted: true }, { token: short });
    expect(findings[0]?.details).toEqual(['sub: "s"']);
  });

  test('that the bus does not take is a failure, with its claims', async () => {
    const violations = [{ rule: 'token.unknown_issuer', message: 'No.' }];
    expect((await tried(401, { violations })).findings).toEqual([
      { check: 'token', state: 'fail', words: 'token.unknown_issuer: No.', details },
    ]);
  });

  test.each([undefined, ''])('needs a workspace, and %j is none', async workspace => {
    const { client } = somebody;
    const patient = { baseUrl, client, token: foreign, ...(workspace === '' && { workspace }) };
    expect(await examineForeignToken(patient, now)).toEqual([
      {
        check: 'token',
        state: 'fail',
        words: 'Set SOMBUS_WORKSPACE to the workspace that the token is for.',
      },
    ]);
  });
});

describe('a health response', () => {
  const fail = (words: string) => ({ check: 'health', state: 'fail', words });
  const healthy = { ok: true, som_version: '1.0.0' };
  const long = { ok: 'x'.repeat(100) };

  test.each([
    [answer(200, healthy), { check: 'health', state: 'ok', words: 'SOM 1.0.0' }],
    [
      answer(503, healthy),
      fail('This is not a bus: it answered 503 {"ok":true,"som_version":"1.0.0"}'),
    ],
    [
      answer(200, { som_version: '1.0.0' }),
      fail('This is not a bus: it answered 200 {"som_version":"1.0.0"}'),
    ],
    [answer(200, { ok: true }), fail('This is not a bus: it answered 200 {"ok":true}')],
    [answer(200, long), fail(`This is not a bus: it answered 200 {"ok":"${'x'.repeat(73)}`)],
    [refusal(503, 'a.b'), fail('The bus answered 503: a.b at /payload: No.')],
    [
      answer(404, { code: 'route.not_found' }),
      fail(
        'This is not a bus: it is the portal of one. Give the URL of the bus: the page of a ' +
          'connection shows it, and `sombus env` prints it.',
      ),
    ],
    [answer(404, { code: 'other' }), fail('This is not a bus: it answered 404 {"code":"other"}')],
    [
      answer(400, { code: 'route.not_found' }),
      fail('This is not a bus: it answered 400 {"code":"route.not_found"}'),
    ],
  ])('%j tells whether it is a bus', (response, finding) => {
    expect(healthFinding(response)).toEqual(finding);
  });
});

describe('the clock', () => {
  const date = new Date(now).toUTCString();
  const compared = (milliseconds: number) =>
    clockFinding({ ...answer(200, {}), date }, now + milliseconds);

  test.each([
    [6_499, 'ok', '6 s apart'],
    [-6_500, 'ok', '6 s apart'],
    [6_500, 'fail', "This machine's clock is 7 s ahead: synchronise it with NTP."],
    [-7_000, 'fail', "This machine's clock is 7 s behind: synchronise it with NTP."],
  ])('that is %d ms away from the Date header', (milliseconds, state, words) => {
    expect(compared(milliseconds)).toEqual({ check: 'clock', state, words });
  });

  test('is not compared with a header that is not there', () => {
    expect(clockFinding(answer(200, {}), now)).toEqual({
      check: 'clock',
      state: 'info',
      words: 'The response has no Date header to compare with.',
    });
  });
});

test.each([
  [undefined, 0],
  ['"day";r=1;t=3600', 0],
  ['"address";r=151;t=7', 0],
  ['"day";r=8, "address";r=150;t=7', 1],
  ['"address";r=0;t=7', 1],
])('of a rate limit of %j, %d lines are told', (rateLimit, lines) => {
  const response = rateLimit === undefined ? empty : { ...empty, rateLimit };
  expect(requestsFindings(response)).toHaveLength(lines);
});

describe('the way to a bus', () => {
  const proxy = new URL('http://user:secret@proxy.example:3128/');
  const choice = { variable: 'https_proxy', proxy };

  test.each([
    [choice, 'calls go through http://proxy.example:3128, which https_proxy names'],
    [
      { ...choice, unused: 'NO_PROXY names bus.example' },
      'https_proxy is not used here: NO_PROXY names bus.example',
    ],
  ])('names the proxy, without its password: %#', (chosen, words) => {
    expect(proxyFinding(chosen)).toEqual({ check: 'proxy', state: 'info', words });
  });

  test('is looked up by the proxy, if there is one', async () => {
    const words = 'the proxy looks up bus.example';
    expect(await dnsFinding(somebody, true)).toEqual({ check: 'dns', state: 'info', words });
  });

  test.each([
    ['http://127.0.0.1:8787/v1', 'ok', '127.0.0.1 resolves to 127.0.0.1'],
    ['http://[::1]:8787/v1', 'ok', '[::1] resolves to ::1'],
  ])('%s is looked up here', async (url, state, words) => {
    const finding = await dnsFinding({ ...somebody, baseUrl: url }, false);
    expect(finding).toEqual({ check: 'dns', state, words });
  });

  test.each([
    [baseUrl, { check: 'tls', state: 'ok', words: 'the certificate is trusted' }],
    [
      'http://127.0.0.1:1/v1',
      { check: 'tls', state: 'info', words: 'the local service does not use it' },
    ],
  ])('%s is protected, or on this machine', (url, finding) => {
    expect(tlsFinding({ ...somebody, baseUrl: url })).toEqual(finding);
  });

  test('is an address that secrets may be sent to', () => {
    expect(urlFinding(somebody)).toEqual({ check: 'address', state: 'ok', words: baseUrl });
    expect(urlFinding({ ...somebody, baseUrl: 'http://bus.example/v1' })).toEqual({
      check: 'address',
      state: 'fail',
      words: 'http://bus.example/v1 does not use https: the secret would travel in the clear.',
    });
  });

  const failure = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error('as OpenSSL'), { code }) });

  test.each([
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'does not speak https'],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'does not speak https'],
    ['CERT_HAS_EXPIRED', 'has expired'],
    ['CERT_NOT_YET_VALID', 'is not valid yet'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another host name'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
    ['UNABLE_TO_GET_ISSUER_CERT', 'NODE_EXTRA_CA_CERTS'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'NODE_EXTRA_CA_CERTS'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
  ])('that fails with %s is explained', (code, words) => {
    const { check, state, words: told } = unreachable(failure(code));
    expect([check, state]).toEqual(['tls', 'fail']);
    expect(told).toContain(words);
    expect(told).toContain(`(${code})`);
  });

  test('that fails otherwise is told in the words of the network', () => {
    const finding = { check: 'connection', state: 'fail', words: 'fetch failed' };
    expect(unreachable(failure('ECONNRESET'))).toEqual(finding);
  });
});

test('a check that could not be made has failed', async () => {
  const finding = attempt('alarms', Promise.reject(new Error('You may not look.')));
  expect(await finding).toEqual({ check: 'alarms', state: 'fail', words: 'You may not look.' });
});

test('a proxy that calls of AWS do not use is named, without its password', () => {
  const HTTPS_PROXY = 'http://user:secret@proxy.example:3128';
  expect(awsProxyFinding({ HTTPS_PROXY })).toEqual([
    {
      check: 'proxy',
      state: 'info',
      words:
        'calls of AWS do not go through http://proxy.example:3128, which HTTPS_PROXY names: they need a direct way',
    },
  ]);
  expect(awsProxyFinding({ HTTPS_PROXY, NO_PROXY: '.amazonaws.com' })).toEqual([]);
  expect(awsProxyFinding({})).toEqual([]);
});

test('the database of the local service is checked, while it is used and when it is damaged', async () => {
  const data = mkdtempSync(join(tmpdir(), 'sombus-doctor-'));
  const path = join(data, 'store.sqlite');
  const store = openStore(path);
  store.define('CREATE TABLE things (value TEXT) STRICT');
  for (let index = 0; index < 100; index += 1)
    store.sql('INSERT INTO things VALUES (?)').run('x'.repeat(1_000));
  expect(databaseFinding(data)).toEqual({
    check: 'database',
    state: 'ok',
    words: `${path} is sound`,
  });
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
