import { demoStory } from '../../lib/som/messages/demo-messages.ts';
import { bearer, call, post, requestToken, ruleOf, statusAndRule } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { oneService } from '../support/one-service.ts';

const bus = oneService();
const { run } = bus;
let producer: string;
let consumer: string;

beforeAll(async () => {
  producer = await bearer(bus.base, bus.ready.producer);
  consumer = await bearer(bus.base, bus.ready.consumer);
});

const publish = (message: unknown, token = producer) =>
  post(`${bus.tenant}/messages`, token, message);
const queue = () => `${bus.tenant}/consumers/${bus.ready.consumer.client_id}`;
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
const ackAll = (messages: readonly { receipt_handle: string }[]) =>
  post(`${queue()}/ack`, consumer, { receipt_handles: messages.map(one => one.receipt_handle) });
const drain = async () => {
  const ids: string[] = [];
  for (
    let messages = await pull('?max=10');
    messages.length > 0;
    messages = await pull('?max=10')
  ) {
    ids.push(...messages.map(({ message_id }) => message_id));
    await ackAll(messages);
  }
  return ids;
};

test('health returns the SOM version and the message types, with a request id', async () => {
  const { status, headers, body } = await call(`${bus.base}/health`);
  expect([status, body]).toEqual([
    200,
    { ok: true, som_version: '1.0.0', message_types: expect.arrayContaining(['story.context']) },
  ]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

describe('publishing', () => {
  test('a story of seven snapshots reaches the consumer in order, and acknowledged messages do not return', async () => {
    const story = demoStory('demo-ncs');
    for (const message of story) {
      const { status, body } = await publish(message);
      expect([status, body]).toMatchObject([202, { accepted: true, family: 'story-context' }]);
    }
    const pulled = await pull('?max=10&wait=5');
    expect(pulled.map(({ envelope }) => envelope)).toEqual(
      story.map(message => JSON.parse(message)),
    );
    expect(pulled.map(({ receive_count }) => receive_count)).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect((await ackAll(pulled)).body['ok']).toHaveLength(7);
    expect(await pull()).toEqual([]);
  });

  test('ids in capitals are the same ids: of a message, of its story, and in its trace', async () => {
    const first = linkCommitted();
    const id = String(first['message_id']);
    expect((await publish(first)).status).toBe(202);
    const capitals = { ...first, message_id: id.toUpperCase() };
    expect(statusAndRule(await publish(capitals))).toEqual([409, 'message_id.reused']);

    const correlation_id = String(first['correlation_id']).toUpperCase();
    const second = linkCommitted({ correlation_id });
    const own = String(second['message_id']);
    const text = JSON.stringify(second).replace(own, own.toUpperCase());
    const accepted = await publish(text);
    expect([accepted.status, accepted.body['message_id']]).toEqual([202, own]);
    expect((await publish(text)).status).toBe(200);

    const headers = { authorization: producer };
    const life = await call(`${bus.tenant}/messages/${own.toUpperCase()}`, { headers });
    expect(life.body).toMatchObject({ message_id: own, correlation_id: first['correlation_id'] });
    const pulled = await pull('?max=10');
    expect(pulled.map(one => [one.message_id, one.envelope])).toEqual([
      [id, first],
      [own, JSON.parse(text)],
    ]);
    await ackAll(pulled);
  });

  test('a resent message is a duplicate regardless of how it is serialised, and is delivered once', async () => {
    const message = linkCommitted();
    expect((await publish(message)).status).toBe(202);
    const again = await publish(JSON.stringify(message, null, 4));
    expect(again.status).toBe(200);
    expect(again.body).toEqual({
      accepted: true,
      duplicate: true,
      message_id: message['message_id'],
    });
    const other = await publish({ ...message, topic: 'som.other' });
    expect([other.status, ruleOf(other)]).toEqual([409, 'message_id.reused']);
    expect(await drain()).toEqual([message['message_id']]);
  });

  test('a refused message lists every broken rule; neither it nor a dry run is delivered', async () => {
    const { status, body } = await publish(storyContext({ slug: undefined, story_type: 'NEW' }));
    expect([status, body]).toMatchObject([400, { accepted: false }]);
    const rules = (body['violations'] as { rule: string }[]).map(({ rule }) => rule);
    expect(rules).toEqual(expect.arrayContaining(['story-context.required', 'story-context.enum']));
    const verdict = await post(`${bus.tenant}/validate`, producer, linkCommitted());
    expect([verdict.status, verdict.body]).toMatchObject([
      202,
      { family: 'link-event', dry_run: true },
    ]);
    expect(await pull()).toEqual([]);
  });
});

describe('the command line beside the running service', () => {
  const connection = async (
    kind: string,
    app: string,
    workspace: string,
    ...more: readonly string[]
  ) => {
    const common = ['connection', 'create', '--kind', kind, '--app', app, '--workspace', workspace];
    const { code, record } = await run(...common, ...more);
    return {
      code,
      record,
      client: { client_id: record.connection_id, client_secret: record.client_secret },
    };
  };

  test('creates a producer and a consumer of one family that work at once, until revoked', async () => {
    const { workspace } = bus.ready;
    const rights = ['--system-id', 'gfx-1', '--grant', 'link.*'];
    const { client } = await connection('producer', 'graphics', workspace, ...rights);
    const filter = ['--receive', 'link.*', '--source', 'gfx-1'];
    const receiver = await connection('consumer', 'archive', workspace, ...filter);
    expect(receiver.record.queue_url).toMatch(/\/sombus-c[a-z2-7]{12}\.fifo$/);
    const token = await bearer(bus.base, client);
    const originating_system = { system_id: 'gfx-1', system_type: 'graphics' };
    expect((await publish(linkCommitted({ originating_system }), token)).status).toBe(202);
    expect(statusAndRule(await publish(linkCommitted(), token))).toEqual([
      403,
      'producer.system_id_not_allowed',
    ]);
    expect(statusAndRule(await publish(storyContext({}, { originating_system }), token))).toEqual([
      403,
      'producer.message_type_not_allowed',
    ]);
    const { body } = await call(
      `${bus.tenant}/consumers/${receiver.record.connection_id}/messages`,
      {
        headers: { authorization: await bearer(bus.base, receiver.client) },
      },
    );
    expect(body['messages']).toMatchObject([
      { system_id: 'gfx-1', message_type: 'link.committed', producer_id: client.client_id },
    ]);
    const id = client.client_id;
    for (const named of [[], ['--confirm', 'c222222222222']]) {
      const { code, stderr } = await run('connection', 'revoke', id, ...named);
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`repeat the command with --confirm ${id}`),
      ]);
    }
    expect((await requestToken(bus.base, client)).status).toBe(200);
    const revoked = await run('connection', 'revoke', id, '--confirm', id);
    expect(revoked.record).toMatchObject({ status: 'revoked' });
    expect((await requestToken(bus.base, client)).status).toBe(401);
  });

  test('manages organisations, workspaces and apps; revoking one revokes what belongs to it', async () => {
    const { organisation_id: org } = (
      await run('org', 'create', '--name', 'Vendor', '--tier', 'minimal')
    ).record;
    const { workspace_id } = (await run('workspace', 'create', '--name', 'Lab', '--org', org))
      .record;
    const app = (await run('app', 'create', '--name', 'Prompter', '--org', org)).record;
    const { record } = await connection('producer', app.app_id, workspace_id);
    expect(record).toMatchObject({ app_id: app.app_id, tier: 'minimal', system_ids: ['Prompter'] });
    expect((await run('app', 'list', '--org', org)).record).toEqual([app]);
    expect((await run('org', 'revoke', org)).stderr).toContain('would be revoked for good');
    expect((await run('org', 'revoke', org, '--confirm', org)).code).toBe(0);
    for (const [command = '', id] of [
      ['workspace', workspace_id],
      ['app', app.app_id],
      ['connection', record.connection_id],
    ])
      expect((await run(command, 'show', id)).record).toMatchObject({ status: 'revoked' });
    expect((await connection('producer', 'x', workspace_id)).code).toBe(1);
  });
});
