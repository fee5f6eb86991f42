import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import { bearer, call, post, statusAndRule } from '../support/http-client.ts';
import { linkCommitted, sentBy } from '../support/messages.ts';
import { serviceHere } from '../support/one-service.ts';
import { newChallenge, newProducer, newRole } from '../support/running-registry.ts';
import { type RoleKeys, signedHeaders, signedPost } from '../support/signed-client.ts';

const bus = serviceHere();
const { run } = bus;
let demo: RoleKeys;

beforeAll(() => {
  demo = bus.ready.role;
});

const workspace = () => bus.ready.workspace;
const producer = async (app: string) =>
  (await newProducer(bus.registry, workspace(), app)).client_id;

describe("the AWS SDK's signer, with the credentials of the demo role", () => {
  test('publishes and makes dry runs as the verified demo role', async () => {
    const validated = await signedPost(demo, `${bus.tenant}/iam/validate`, linkCommitted());
    expect(validated).toMatchObject({ status: 202, body: { accepted: true, dry_run: true } });
    const message = linkCommitted();
    const published = await signedPost(demo, `${bus.tenant}/iam/messages`, message);
    expect(published).toMatchObject({
      status: 202,
      body: { accepted: true, family: 'link-event' },
    });
    const again = await signedPost(demo, `${bus.tenant}/iam/messages`, message);
    expect(again).toMatchObject({ status: 200, body: { duplicate: true } });
  });
});

// What else is no valid signature is tried in test/local/sigv4.
test('producer.unauthenticated: a request without a signature, with a token, or with another body than was signed', async () => {
  const url = `${bus.tenant}/iam/validate`;
  const { host: _, ...headers } = await signedHeaders(demo, url, JSON.stringify(linkCommitted()));
  for (const response of [
    await post(url, '', linkCommitted()),
    await post(url, await bearer(bus.base, bus.ready.producer), linkCommitted()),
    await call(url, { method: 'POST', headers, body: JSON.stringify(linkCommitted()) }),
  ])
    expect(statusAndRule(response)).toEqual([401, 'producer.unauthenticated']);
});

describe('a role', () => {
  test('publishes once it has answered its challenge, under the path that it was registered with', async () => {
    const connection = await producer('graphics');
    const create = [
      'role',
      'create',
      '--local',
      '--name',
      'graphics-role',
      '--path',
      '/newsroom/graphics/',
    ];
    const role: RoleKeys = (await run(...create)).record;
    expect(role.role_arn).toBe('arn:aws:iam::000000000000:role/newsroom/graphics/graphics-role');
    const { record: registered } = await run(
      ...['principal', 'register', '--workspace', workspace()],
      ...['--connection', connection, '--role-arn', role.role_arn],
    );
    expect(registered).toMatchObject({
      status: 'pending',
      challenge: expect.stringMatching(/^sbc_[\w-]{43}$/),
    });
    const before = await signedPost(role, `${bus.tenant}/iam/messages`, sentBy('graphics'));
    expect(statusAndRule(before)).toEqual([403, 'producer.not_registered']);
    const verify = `${bus.tenant}/principals/verify`;
    const response = { connection_id: connection, challenge: registered.challenge };
    for (const [url, body, status, rule] of [
      [verify, { connection_id: connection }, 400, 'message.not_json'],
      [verify, { ...response, challenge: '' }, 403, 'principal.challenge_invalid'],
      [
        `${bus.base}/tenants/operator/principals/verify`,
        response,
        403,
        'principal.challenge_invalid',
      ],
    ] as const)
      expect(statusAndRule(await signedPost(role, url, body))).toEqual([status, rule]);
    const verified = await signedPost(role, verify, response);
    expect(verified).toMatchObject({
      status: 200,
      body: {
        verified: true,
        connection_id: connection,
        role_arn: role.role_arn,
        verified_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    });
    expect((await signedPost(role, `${bus.tenant}/iam/messages`, sentBy('graphics'))).status).toBe(
      202,
    );
    const reused = await signedPost(role, verify, response);
    expect(statusAndRule(reused)).toEqual([403, 'principal.challenge_invalid']);
    const list = (await run('principal', 'list', '--workspace', workspace())).record;
    expect(
      list.find((entry: { role_arn: string }) => entry.role_arn === role.role_arn),
    ).toMatchObject({
      status: 'verified',
    });
    expect(JSON.stringify(list)).not.toContain('challenge');
    await run('principal', 'revoke', registered.principal_id, '--workspace', workspace());
    const after = await signedPost(role, `${bus.tenant}/iam/messages`, sentBy('graphics'));
    expect(statusAndRule(after)).toEqual([403, 'producer.not_registered']);
  });
});

type Role = ReturnType<typeof newRole>;

const asRole = (role: Role): SQSClient =>
  new SQSClient({
    endpoint: bus.ready.endpoints.sqs,
    region: 'us-east-1',
    maxAttempts: 1,
    credentials: {
      accessKeyId: role.access_key_id,
      secretAccessKey: role.secret_access_key,
      sessionToken: role.session_token,
    },
  });

const aMessage = { MessageBody: '{}', MessageGroupId: 'g', MessageDeduplicationId: 'd' };

describe("a consumer's role", () => {
  const readers = async (): Promise<readonly string[]> => {
    const client = new SQSClient({
      endpoint: bus.ready.endpoints.sqs,
      region: 'us-east-1',
      credentials: operatorKeyIn(bus.data),
    });
    const asked = { QueueUrl: bus.ready.consumer.queue_url, AttributeNames: ['Policy' as const] };
    const { Attributes } = await client.send(new GetQueueAttributesCommand(asked));
    client.destroy();
    const { Statement } = JSON.parse(Attributes?.['Policy'] ?? '');
    return Statement.flatMap(
      ({ Effect, Principal }: { Effect: string; Principal: { AWS: string[] } }) =>
        Effect === 'Allow' ? Principal.AWS : [],
    );
  };

  /** What SQS returns to the role itself: the error's name, or how many messages it got. */
  const receiving = async (role: Role): Promise<string> => {
    const client = asRole(role);
    try {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: bus.ready.consumer.queue_url, VisibilityTimeout: 0 }),
      );
      return `${Messages.length} messages`;
    } catch (error) {
      return error instanceof Error ? error.name : String(error);
    } finally {
      client.destroy();
    }
  };

  test('reads the queue from its verification to its revocation', async () => {
    const role = newRole(bus.data, 'prompter');
    expect(await receiving(role)).toBe('AccessDenied');
    const wanted = { connection: bus.ready.consumer.client_id, roleArn: role.role_arn };
    const challenge = await newChallenge(bus.registry, workspace(), wanted);
    expect(await readers()).toEqual([]);
    const response = { connection_id: wanted.connection, challenge };
    expect((await signedPost(role, `${bus.tenant}/principals/verify`, response)).status).toBe(200);
    expect(await readers()).toEqual([role.role_arn]);
    expect(await receiving(role)).toMatch(/^[01] messages$/);
    const sending = asRole(role).send(
      new SendMessageCommand({ ...aMessage, QueueUrl: bus.ready.consumer.queue_url }),
    );
    await expect(sending).rejects.toThrow(expect.objectContaining({ name: 'AccessDenied' }));
    const list = (await run('principal', 'list', '--workspace', workspace())).record;
    const { principal_id } = list.find(
      (entry: { role_arn: string }) => entry.role_arn === role.role_arn,
    );
    await run('principal', 'revoke', principal_id, '--workspace', workspace());
    expect(await readers()).toEqual([]);
    expect(await receiving(role)).toBe('AccessDenied');
  });
});

describe("the operator's routes", () => {
  test('accept a role that the operator registered, and no other', async () => {
    const role = newRole(bus.data, 'operator-role');
    const url = `${bus.base}/messages`;
    expect(statusAndRule(await signedPost(role, url, sentBy('managed')))).toEqual([
      403,
      'producer.not_registered',
    ]);
    expect(statusAndRule(await signedPost(demo, url, linkCommitted()))).toEqual([
      403,
      'producer.not_registered',
    ]);
    const connection = await producer('managed');
    const { record } = await run(
      ...[
        'principal',
        'register',
        '--operator',
        '--connection',
        connection,
        '--role-arn',
        role.role_arn,
      ],
    );
    expect(record).toMatchObject({ status: 'verified' });
    expect(record).not.toHaveProperty('challenge');
    expect((await signedPost(role, url, sentBy('managed'))).status).toBe(202);
    const workspaceRoute = await signedPost(role, `${bus.tenant}/iam/messages`, sentBy('managed'));
    expect(statusAndRule(workspaceRoute)).toEqual([403, 'producer.not_registered']);
    const asWorkspace = `${bus.base}/tenants/operator/iam/messages`;
    const operatorAsWorkspace = await signedPost(role, asWorkspace, sentBy('managed'));
    expect(statusAndRule(operatorAsWorkspace)).toEqual([403, 'producer.not_registered']);
  });

  test("accept the bus's own tokens on /v1/jwt/messages, for the workspace of the token", async () => {
    const token = await bearer(bus.base, bus.ready.producer);
    expect((await post(`${bus.base}/jwt/messages`, token, linkCommitted())).status).toBe(202);
    const consumer = await bearer(bus.base, bus.ready.consumer);
    const refused = await post(`${bus.base}/jwt/messages`, consumer, linkCommitted());
    expect(statusAndRule(refused)).toEqual([403, 'producer.not_registered']);
    const none = await post(`${bus.base}/jwt/messages`, '', linkCommitted());
    expect(statusAndRule(none)).toEqual([401, 'producer.unauthenticated']);
  });
});
