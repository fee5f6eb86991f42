import { createRemoteJWKSet, jwtVerify } from 'jose';
import { demoStory } from '../../lib/local/demo-messages.ts';
import { sombus } from '../support/commands.ts';
import { bearer, call, post, requestToken, ruleOf } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { type ServiceProcess, startService, temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
let service: ServiceProcess;
let base: string;
let tenant: string;
let producer: string;
let consumer: string;

beforeAll(async () => {
  service = await startService(folder.path);
  const { ready } = service;
  base = ready.base_url;
  tenant = `${base}/tenants/${ready.workspace}`;
  producer = await bearer(base, ready.producer);
  consumer = await bearer(base, ready.consumer);
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
  expect(service.later).toEqual([]);
  folder.remove();
});

const queue = () => `${tenant}/consumers/${service.ready.consumer.client_id}`;
const pull = async (query = '') => {
  const { status, body } = await call(`${queue()}/messages${query}`, {
    headers: { authorization: consumer },
  });
  expect(status).toBe(200);
  return body['messages'] as {
    receipt_handle: string;
    message_id: string;
    envelope: unknown;
    receive_count: number;
  }[];
};
const ackAll = async (messages: readonly { receipt_handle: string }[]) =>
  messages.length > 0 &&
  post(`${queue()}/ack`, consumer, { receipt_handles: messages.map(m => m.receipt_handle) });
const drain = async () => {
  for (let messages = await pull('?max=10'); messages.length > 0; messages = await pull('?max=10'))
    await ackAll(messages);
};

describe('health', () => {
  test('returns the SOM version and the message types, with a request id', async () => {
    const { status, headers, body } = await call(`${base}/health`);
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      som_version: '1.0.0',
      message_types: [
        'delivery.media_available',
        'link.committed',
        'link.gate_changed',
        'link.withdrawn',
        'skill.warning.raised',
        'story.context',
        'system.audit',
        'telling.ended',
        'telling.exposed',
        'telling.started',
      ],
    });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('the token service', () => {
  test('issues an ES256 token that a JOSE library verifies against the published keys', async () => {
    const { ready } = service;
    const { status, headers, body } = await requestToken(base, ready.producer);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 });
    const keys = createRemoteJWKSet(new URL(`${base}/oauth/jwks`));
    const origin = new URL(base).origin;
    const { payload, protectedHeader } = await jwtVerify(String(body['access_token']), keys, {
      issuer: `${origin}/v1/oauth`,
      audience: origin,
      algorithms: ['ES256'],
    });
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: expect.any(String) });
    expect(payload).toMatchObject({
      sub: ready.producer.client_id,
      tenant: ready.workspace,
      environment: 'sandbox',
    });
  });

  test('publishes its metadata at the address of RFC 8414', async () => {
    const origin = new URL(base).origin;
    const { body } = await call(`${origin}/.well-known/oauth-authorization-server/v1/oauth`);
    expect(body).toMatchObject({
      issuer: `${origin}/v1/oauth`,
      token_endpoint: `${base}/oauth/token`,
      jwks_uri: `${base}/oauth/jwks`,
    });
  });
});

describe('publishing', () => {
  test('a story of seven snapshots reaches the consumer in order, and acknowledged messages do not return', async () => {
    const story = demoStory('demo-ncs');
    for (const message of story) {
      const { status, body } = await post(`${tenant}/messages`, producer, message);
      expect({ status, body }).toMatchObject({
        status: 202,
        body: { accepted: true, family: 'story-context' },
      });
    }
    const pulled = await pull('?max=10&wait=5');
    expect(pulled.map(({ envelope }) => envelope)).toEqual(story.map(message => JSON.parse(message)));
    expect(pulled.map(({ receive_count }) => receive_count)).toEqual([1, 1, 1, 1, 1, 1, 1]);
    const acked = (await ackAll(pulled)) || undefined;
    expect(acked?.body['ok']).toHaveLength(7);
    expect(await pull()).toEqual([]);
  });

  test('a resent message is a duplicate regardless of how it is serialised, and is delivered once', async () => {
    const message = linkCommitted();
    expect((await post(`${tenant}/messages`, producer, message)).status).toBe(202);
    const again = await post(`${tenant}/messages`, producer, JSON.stringify(message, null, 4));
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ accepted: true, duplicate: true, message_id: message['message_id'] });
    const other = await post(`${tenant}/messages`, producer, { ...message, topic: 'som.other' });
    expect([other.status, ruleOf(other)]).toEqual([409, 'message_id.reused']);
    const pulled = await pull('?max=10&wait=5');
    expect(pulled.map(({ message_id }) => message_id)).toEqual([message['message_id']]);
    await ackAll(pulled);
  });

  test('a dry run returns the verdict and publishes nothing', async () => {
    const message = linkCommitted();
    const { status, body } = await post(`${tenant}/validate`, producer, message);
    expect(status).toBe(202);
    expect(body).toEqual({
      accepted: true,
      message_id: message['message_id'],
      message_type: 'link.committed',
      family: 'link-event',
      dry_run: true,
    });
    expect(await pull()).toEqual([]);
  });

  test('a refused message lists every broken rule and is not delivered', async () => {
    const { status, body } = await post(
      `${tenant}/messages`,
      producer,
      storyContext({ slug: undefined, story_type: 'NEW' }),
    );
    expect(status).toBe(400);
    expect(body).toMatchObject({ accepted: false });
    const rules = (body['violations'] as { rule: string }[]).map(({ rule }) => rule);
    expect(rules).toEqual(expect.arrayContaining(['story-context.required', 'story-context.enum']));
    expect(await pull()).toEqual([]);
  });

  test('concurrent publishes to one correlation arrive once each, in commit order', async () => {
    const correlation_id = '00000000-0000-4000-8000-000000000001';
    const messages = Array.from({ length: 12 }, () => linkCommitted({ correlation_id }));
    const responses = await Promise.all(
      messages.map(message => post(`${tenant}/messages`, producer, message)),
    );
    expect(responses.map(({ status }) => status)).toEqual(messages.map(() => 202));
    const pulled = [];
    for (let batch = await pull('?max=10'); batch.length > 0; batch = await pull('?max=10')) {
      pulled.push(...batch.map(({ message_id }) => message_id));
      await ackAll(batch);
    }
    expect(new Set(pulled)).toEqual(new Set(messages.map(message => message['message_id'])));
    expect(pulled).toHaveLength(12);
  });
});

describe('pulling', () => {
  afterEach(drain);

  test('a nacked message returns with a higher receive count', async () => {
    await post(`${tenant}/messages`, producer, linkCommitted());
    const [first] = await pull();
    const { body } = await post(`${queue()}/nack`, consumer, { receipt_handles: [first?.receipt_handle] });
    expect(body).toEqual({ ok: [first?.receipt_handle], failed: [] });
    const [again] = await pull();
    expect(again).toMatchObject({ message_id: first?.message_id, receive_count: 2 });
    await ackAll(again ? [again] : []);
  });

  test('receipt.expired names a handle that was used or never issued, and nothing else fails', async () => {
    await post(`${tenant}/messages`, producer, linkCommitted());
    const [message] = await pull();
    const handles = [message?.receipt_handle, 'never-issued'];
    const { status, body } = await post(`${queue()}/ack`, consumer, { receipt_handles: handles });
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: [message?.receipt_handle],
      failed: [{ receipt_handle: 'never-issued', rule: 'receipt.expired', message: expect.any(String) }],
    });
  });
});

describe('the command line beside the running service', () => {
  const run = async (...args: string[]) => {
    const { code, stdout } = await sombus(...args, '--data', folder.path, '--json');
    return { code, record: stdout === '' ? {} : JSON.parse(stdout) };
  };

  test('creates a producer and a consumer of one family that work at once, until revoked', async () => {
    const workspace = service.ready.workspace;
    const common = ['connection', 'create', '--workspace', workspace, '--app'];
    const sender = (
      await run(...common, 'graphics', '--kind', 'producer', '--system-id', 'gfx-1', '--grant', 'link.*')
    ).record;
    const receiver = (
      await run(...common, 'archive', '--kind', 'consumer', '--receive', 'link.*', '--source', 'gfx-1')
    ).record;
    expect(receiver.queue_url).toMatch(/\/sombus-c[a-z2-7]{12}\.fifo$/);
    const client = { client_id: sender.connection_id, client_secret: sender.client_secret };
    const token = await bearer(base, client);
    const originating_system = { system_id: 'gfx-1', system_type: 'graphics' };
    expect((await post(`${tenant}/messages`, token, linkCommitted({ originating_system }))).status).toBe(202);
    const foreign = await post(`${tenant}/messages`, token, linkCommitted());
    expect([foreign.status, ruleOf(foreign)]).toEqual([403, 'producer.system_id_not_allowed']);
    const type = await post(`${tenant}/messages`, token, storyContext({}, { originating_system }));
    expect([type.status, ruleOf(type)]).toEqual([403, 'producer.message_type_not_allowed']);
    const own = await bearer(base, {
      client_id: receiver.connection_id,
      client_secret: receiver.client_secret,
    });
    const url = `${tenant}/consumers/${receiver.connection_id}/messages`;
    const { body } = await call(url, { headers: { authorization: own } });
    expect(body['messages']).toMatchObject([
      { system_id: 'gfx-1', message_type: 'link.committed', producer_id: client.client_id },
    ]);
    expect((await run('connection', 'revoke', client.client_id)).record).toMatchObject({ status: 'revoked' });
    expect((await requestToken(base, client)).status).toBe(401);
    await drain();
  });

  test('manages organisations, workspaces and apps; revoking one revokes what belongs to it', async () => {
    const org = (await run('org', 'create', '--name', 'Vendor', '--tier', 'minimal')).record;
    const workspace = (await run('workspace', 'create', '--name', 'Lab', '--org', org.organisation_id))
      .record;
    const app = (await run('app', 'create', '--name', 'Prompter', '--org', org.organisation_id)).record;
    const created = await run(
      'connection',
      'create',
      '--workspace',
      workspace.workspace_id,
      '--app',
      app.app_id,
      '--kind',
      'producer',
    );
    expect(created.record).toMatchObject({ app_id: app.app_id, tier: 'minimal', system_ids: ['Prompter'] });
    expect((await run('app', 'list', '--org', org.organisation_id)).record).toEqual([app]);
    expect((await run('org', 'revoke', org.organisation_id)).code).toBe(0);
    for (const [command, id] of [
      ['workspace', workspace.workspace_id],
      ['app', app.app_id],
      ['connection', created.record.connection_id],
    ]) {
      expect((await run(command, 'show', id)).record).toMatchObject({ status: 'revoked' });
    }
    expect(
      (
        await run(
          'connection',
          'create',
          '--workspace',
          workspace.workspace_id,
          '--app',
          'x',
          '--kind',
          'producer',
        )
      ).code,
    ).toBe(1);
  });

  test('changes the quota of a connection or a whole organisation, and responses show it', async () => {
    const org = (await run('org', 'create', '--name', 'Quota', '--tier', 'minimal')).record;
    const workspace = (await run('workspace', 'create', '--name', 'Lab', '--org', org.organisation_id))
      .record;
    const create = [
      'connection',
      'create',
      '--workspace',
      workspace.workspace_id,
      '--kind',
      'producer',
      '--app',
    ];
    const { connection_id, client_secret } = (await run(...create, 'ncs')).record;
    const custom = ['--rps', '5', '--burst', '7', '--per-day', '9'];
    const changed = (await run('quota', 'set', '--connection', connection_id, ...custom)).record;
    expect(changed).toMatchObject({
      tier: 'custom',
      quota: { requests_per_second: 5, burst: 7, requests_per_day: 9 },
    });
    const token = await bearer(base, { client_id: connection_id, client_secret });
    const { headers } = await post(
      `${base}/tenants/${workspace.workspace_id}/validate`,
      token,
      linkCommitted(),
    );
    expect(headers.get('ratelimit-policy')).toBe('"burst";q=7;w=2, "day";q=9;w=86400');
    const all = (await run('quota', 'set', '--organisation', org.organisation_id, '--tier', 'high')).record;
    expect(all).toMatchObject([{ connection_id, tier: 'high' }]);
    expect((await run(...create, 'later')).record).toMatchObject({ tier: 'high' });
    expect((await run('quota', 'set', '--connection', 'cnobody', '--tier', 'high')).code).toBe(1);
    expect((await run('quota', 'set', '--connection', connection_id, '--rps', '201')).code).toBe(2);
    expect((await run('quota', 'set', '--connection', connection_id, '--rps', '5')).code).toBe(2);
  });
});
