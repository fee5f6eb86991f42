import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { KMS } from '@aws-sdk/client-kms';
import { SQS } from '@aws-sdk/client-sqs';
import { queuePolicy } from '../../lib/access/trust/queue-access.ts';
import { type GuardedQueue, operatorAdmission, queueAdmission } from '../../lib/local/admission.ts';
import { AwsError } from '../../lib/local/engines/aws-json/input.ts';
import {
  type Admit,
  type Operation,
  type RunningEngine,
  startAwsJsonServer,
} from '../../lib/local/engines/aws-json/server.ts';
import { localEnv } from '../../lib/local/env.ts';
import type { AccessKey } from '../../lib/local/roles.ts';
import type { SigV4Key } from '../../lib/local/sigv4.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { signedHeaders } from '../support/signed-client.ts';

const baseArn = 'arn:aws:sqs:us-east-1:000000000000:';
const busRoles = 'arn:aws:iam::000000000000:role/sombus/sandbox/*';

const roleKey = (name: string): AccessKey => ({
  roleArn: `arn:aws:iam::000000000000:role${name}`,
  accessKeyId: `ASIA${name.replace(/\W/g, '').toUpperCase().padEnd(16, 'A')}`,
  secretAccessKey: `secret of ${name}`,
  sessionToken: `token of ${name}`,
});

/**
 * The verified role of the consumer `c1`, that of `c2`, one that nobody verified, and one on the
 * path of the bus.
 */
const [mine, theirs, unverified, pretender] = [
  roleKey('/newsroom/mine'),
  roleKey('/theirs'),
  roleKey('/unverified'),
  roleKey('/sombus/sandbox/pretender'),
];
const roles = [mine, theirs, unverified, pretender];
const operator: SigV4Key = {
  accessKeyId: 'AKIAOPERATOR',
  secretAccessKey: 'secret of the operator',
};
const keys = {
  operator,
  role: (id: string) => roles.find(({ accessKeyId }) => accessKeyId === id),
  now: Date.now,
};

const policyOf = (name: string, readers: readonly string[]) =>
  JSON.stringify(queuePolicy({ queueArn: baseArn + name, busRoles, readers }));

const policies: Readonly<Record<string, string | undefined>> = {
  'c1.fifo': policyOf('c1.fifo', [mine.roleArn]),
  'c2.fifo': policyOf('c2.fifo', [theirs.roleArn]),
  'none.fifo': undefined,
  'strange.fifo': policyOf('strange.fifo', [mine.roleArn]).replace('ArnNotLike', 'DateNotEquals'),
};

/** Finds queues as the engine of the tests does. */
const queueOf = (input: Record<string, unknown>): GuardedQueue => {
  const name = String(input['QueueName'] ?? input['QueueUrl'])
    .split('/')
    .at(-1);
  if (name === undefined || !Object.hasOwn(policies, name)) {
    const shape = { type: 'com.amazonaws.sqs#QueueDoesNotExist', status: 400 };
    throw new AwsError(shape, 'The specified queue does not exist.');
  }
  return { arn: baseArn + name, policy: policies[name] };
};

const ran: string[] = [];
const engines: RunningEngine[] = [];

/** An engine that only notes which operations it runs. */
const startEngine = async (
  target: string,
  names: readonly string[],
  admit?: Admit,
): Promise<string> => {
  const operations = new Map(
    names.map((name): [string, Operation] => [
      name,
      () => {
        ran.push(name);
        return {};
      },
    ]),
  );
  const service = { target, version: '1.0', operations, maxRequestBytes: 100_000 } as const;
  const engine = await startAwsJsonServer(service, { port: 0, ...(admit && { admit }) });
  engines.push(engine);
  return engine.endpoint;
};

afterEach(async () => {
  ran.length = 0;
  await Promise.all(engines.splice(0).map(engine => engine.close()));
});

type Call = (client: SQS, QueueUrl: string) => Promise<unknown>;

const entry = { Id: '1', ReceiptHandle: 'r' };
const reading: Readonly<Record<string, Call>> = {
  ReceiveMessage: (client, QueueUrl) => client.receiveMessage({ QueueUrl }),
  DeleteMessage: (client, QueueUrl) => client.deleteMessage({ QueueUrl, ReceiptHandle: 'r' }),
  DeleteMessageBatch: (client, QueueUrl) =>
    client.deleteMessageBatch({ QueueUrl, Entries: [entry] }),
  ChangeMessageVisibility: (client, QueueUrl) =>
    client.changeMessageVisibility({ QueueUrl, ReceiptHandle: 'r', VisibilityTimeout: 0 }),
  ChangeMessageVisibilityBatch: (client, QueueUrl) =>
    client.changeMessageVisibilityBatch({ QueueUrl, Entries: [entry] }),
  GetQueueAttributes: (client, QueueUrl) => client.getQueueAttributes({ QueueUrl }),
  GetQueueUrl: (client, QueueUrl) => client.getQueueUrl({ QueueName: QueueUrl.split('/').at(-1) }),
};
const forTheBus: Readonly<Record<string, Call>> = {
  SendMessage: (client, QueueUrl) => client.sendMessage({ QueueUrl, MessageBody: 'm' }),
  SendMessageBatch: (client, QueueUrl) =>
    client.sendMessageBatch({ QueueUrl, Entries: [{ Id: '1', MessageBody: 'm' }] }),
  CreateQueue: client => client.createQueue({ QueueName: 'c1.fifo' }),
  DeleteQueue: (client, QueueUrl) => client.deleteQueue({ QueueUrl }),
  PurgeQueue: (client, QueueUrl) => client.purgeQueue({ QueueUrl }),
  SetQueueAttributes: (client, QueueUrl) =>
    client.setQueueAttributes({ QueueUrl, Attributes: { Policy: '' } }),
  TagQueue: (client, QueueUrl) => client.tagQueue({ QueueUrl, Tags: {} }),
  UntagQueue: (client, QueueUrl) => client.untagQueue({ QueueUrl, TagKeys: [] }),
  ListQueueTags: (client, QueueUrl) => client.listQueueTags({ QueueUrl }),
  ListQueues: client => client.listQueues({}),
};
const all = { ...reading, ...forTheBus };

const startQueues = (admit: Admit | undefined = queueAdmission(keys, queueOf)) =>
  startEngine('AmazonSQS', Object.keys(all), admit);

/** `done`, or the name of the SDK's error. */
const outcomeOf = (response: Promise<unknown>): Promise<string> =>
  response.then(
    () => 'done',
    (error: Error) => error.name,
  );

const clientFor = (endpoint: string, credentials: SigV4Key) =>
  new SQS({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1, md5: false });

/** What the SDK says to each of these calls, as one caller on one queue. */
const outcomes = async (calls: typeof all, key: SigV4Key, queue: string, endpoint?: string) => {
  const at = endpoint ?? (await startQueues());
  const client = clientFor(at, key);
  const url = `${at}/000000000000/${queue}`;
  const found = new Set<string>();
  for (const call of Object.values(calls)) found.add(await outcomeOf(call(client, url)));
  client.destroy();
  return [...found];
};

describe('who may do what with a queue', () => {
  test.each<[string, SigV4Key, string, typeof all, string]>([
    ["the consumer's verified role reads", mine, 'c1.fifo', reading, 'done'],
    ['it does nothing else', mine, 'c1.fifo', forTheBus, 'AccessDenied'],
    ["it does not read another's queue", mine, 'c2.fifo', all, 'AccessDenied'],
    ["another's verified role does not read", theirs, 'c1.fifo', all, 'AccessDenied'],
    ['an unverified role does not read', unverified, 'c1.fifo', all, 'AccessDenied'],
    ['a role on the path of the bus does nothing', pretender, 'c1.fifo', all, 'AccessDenied'],
    ['a queue without a policy is closed', mine, 'none.fifo', all, 'AccessDenied'],
    [
      'a queue with a policy that is not evaluated is closed',
      mine,
      'strange.fifo',
      all,
      'AccessDenied',
    ],
    ['a queue that does not exist has no reader', mine, 'gone.fifo', reading, 'QueueDoesNotExist'],
    ["the bus's own commands do everything", operator, 'c1.fifo', all, 'done'],
  ])('%s', async (_, key, queue, calls, outcome) => {
    expect(await outcomes(calls, key, queue)).toEqual([outcome]);
    expect(ran).toEqual(outcome === 'done' ? Object.keys(calls) : []);
  });

  test('without admission (--open-engines), everybody does everything', async () => {
    const endpoint = await startEngine('AmazonSQS', Object.keys(all));
    const anybody = { accessKeyId: 'test', secretAccessKey: 'test' };
    expect(await outcomes(all, anybody, 'c1.fifo', endpoint)).toEqual(['done']);
  });

  test('a refusal says in AWS’s words who may not do what', async () => {
    const endpoint = await startQueues();
    const client = clientFor(endpoint, mine);
    const refusal = (queue: string) =>
      client
        .receiveMessage({ QueueUrl: `${endpoint}/000000000000/${queue}` })
        .catch(({ message }: Error) => message);
    const who =
      'User: arn:aws:sts::000000000000:assumed-role/mine/local is not authorized to perform: sqs:ReceiveMessage on resource: ';
    expect(await refusal('c2.fifo')).toBe(
      `${who}${baseArn}c2.fifo with an explicit deny in a resource-based policy`,
    );
    expect(await refusal('none.fifo')).toBe(
      `${who}${baseArn}none.fifo because no resource-based policy allows it`,
    );
    expect(await refusal('strange.fifo')).toBe(
      `${who}${baseArn}strange.fifo because the local service does not evaluate DateNotEquals aws:PrincipalArn in the queue's policy`,
    );
    client.destroy();
  });
});

describe('a request is refused, as AWS names what is wrong with its signature:', () => {
  const body = '{"QueueUrl":"/c1.fifo"}';
  const target = { 'x-amz-target': 'AmazonSQS.ReceiveMessage' };
  const signature = async (endpoint: string, minutesAgo = 0) => {
    const record = {
      role_arn: mine.roleArn,
      access_key_id: mine.accessKeyId,
      secret_access_key: mine.secretAccessKey,
      session_token: mine.sessionToken,
    };
    const signingDate = new Date(Date.now() - 60_000 * minutesAgo);
    return signedHeaders(record, endpoint, body, { service: 'sqs', signingDate, headers: target });
  };

  test.each<[string, (endpoint: string) => Promise<Record<string, string>>, number, string | null]>(
    [
      ['it is none', async () => ({}), 403, 'MissingAuthenticationToken;Sender'],
      [
        'it has another algorithm',
        async () => ({ authorization: 'AWS4-X' }),
        400,
        'IncompleteSignature;Sender',
      ],
      ['it is stale', at => signature(at, 6), 403, 'SignatureDoesNotMatch;Sender'],
      [
        'its session token is another',
        async at => ({ ...(await signature(at)), 'x-amz-security-token': 'x' }),
        403,
        'InvalidClientTokenId;Sender',
      ],
      ['but not if nothing is', signature, 200, null],
    ],
  )('%s', async (_, signed, status, code) => {
    const endpoint = await startQueues();
    const headers = { ...(await signed(endpoint)), ...target };
    const response = await fetch(endpoint, { method: 'POST', headers, body });
    expect([response.status, response.headers.get('x-amzn-query-error')]).toEqual([status, code]);
    expect(ran).toHaveLength(code === null ? 1 : 0);
  });

  test.each([
    ['SignatureDoesNotMatch', { ...mine, secretAccessKey: 'x' }],
    ['SignatureDoesNotMatch', { ...operator, secretAccessKey: 'x' }],
    ['InvalidClientTokenId', { accessKeyId: 'test', secretAccessKey: 'test' }],
  ])('%s, whatever is asked', async (code, key) => {
    expect(await outcomes(all, key, 'c1.fifo')).toEqual([code]);
  });
});

describe('the database and the keys', () => {
  const asked = async (key: SigV4Key) => {
    const tables = await startEngine(
      'DynamoDB_20120810',
      ['ListTables'],
      operatorAdmission(keys, 'dynamodb'),
    );
    const signing = await startEngine('TrentService', ['ListKeys'], operatorAdmission(keys, 'kms'));
    const config = { region: 'us-east-1', credentials: key, maxAttempts: 1 };
    const dynamodb = new DynamoDB({ ...config, endpoint: tables });
    const kms = new KMS({ ...config, endpoint: signing });
    const found = [await outcomeOf(dynamodb.listTables({})), await outcomeOf(kms.listKeys({}))];
    dynamodb.destroy();
    kms.destroy();
    return found;
  };

  test.each<[string, SigV4Key, string]>([
    ["answer the bus's own commands", operator, 'done'],
    ['are closed to a verified role', mine, 'AccessDeniedException'],
    [
      'do not know other keys',
      { accessKeyId: 'test', secretAccessKey: 'test' },
      'UnrecognizedClientException',
    ],
    ['refuse a wrong secret', { ...operator, secretAccessKey: 'x' }, 'InvalidSignatureException'],
  ])('%s', async (_, key, outcome) => {
    expect(await asked(key)).toEqual([outcome, outcome]);
    expect(ran).toHaveLength(outcome === 'done' ? 2 : 0);
  });
});

test("the command line's own ports sign with the operator key", async () => {
  const endpoint = await startQueues();
  const endpoints = { dynamodb: '', sqs: endpoint, kms: '', cloudwatch: '' };
  const ports = (key?: SigV4Key) => operatorPorts(localEnv('http://127.0.0.1', endpoints, key));
  await ports(operator).queueAdmin.create('c1.fifo');
  expect(ran).toEqual(['CreateQueue']);
  await expect(ports().queueAdmin.create('c1.fifo')).rejects.toMatchObject({
    name: 'InvalidClientTokenId',
  });
});

describe('a refusal is in AWS’s words', () => {
  const at = Date.parse('2026-05-04T09:00:00.000Z');
  const facts = { ...keys, now: () => at };
  const body = '{}';
  const engineUrl = 'http://127.0.0.1:1/';
  const signedBy = (key: AccessKey, service: string, options: object = {}) =>
    signedHeaders(
      {
        role_arn: key.roleArn,
        access_key_id: key.accessKeyId,
        secret_access_key: key.secretAccessKey,
        session_token: key.sessionToken,
      },
      engineUrl,
      body,
      { service, signingDate: new Date(at), ...options },
    );
  const stranger = roleKey('/stranger');
  /** How the headers of a call come about that is refused for this problem. */
  const problems = {
    missing: async () => ({}),
    malformed: async () => ({ authorization: 'AWS4-X' }),
    expired: (service: string) => signedBy(mine, service, { signingDate: new Date(at - 300_001) }),
    unknown_key: (service: string) => signedBy(stranger, service),
    mismatch: (service: string) => signedBy(mine, service, { region: 'eu-west-1' }),
    'another service': () => signedBy(mine, 'sns'),
    denied: (service: string) => signedBy(mine, service),
  } as const;
  const refusalOf = async (admit: Admit, headers: Promise<Readonly<Record<string, string>>>) => {
    const request = { method: 'POST', target: '/', headers: Object.entries(await headers) };
    try {
      admit({
        operation: 'Scan',
        input: {},
        request: { ...request, body: Buffer.from(body) },
      });
      return undefined;
    } catch (error) {
      return error;
    }
  };

  test.each([
    ['missing', 'MissingAuthenticationToken', 'MissingAuthenticationTokenException', 403],
    ['malformed', 'IncompleteSignature', 'IncompleteSignatureException', 400],
    ['expired', 'SignatureDoesNotMatch', 'InvalidSignatureException', 403],
    ['unknown_key', 'InvalidClientTokenId', 'UnrecognizedClientException', 403],
    ['mismatch', 'SignatureDoesNotMatch', 'InvalidSignatureException', 403],
    ['another service', 'SignatureDoesNotMatch', 'InvalidSignatureException', 403],
    ['denied', 'AccessDenied', 'AccessDeniedException', 403],
  ] as const)('%s: %s of SQS, %s elsewhere', async (problem, queryCode, name, status) => {
    const type = `com.amazon.coral.service#${name}`;
    const ofQueues = await refusalOf(queueAdmission(facts, queueOf), problems[problem]('sqs'));
    expect(ofQueues).toBeInstanceOf(AwsError);
    expect((ofQueues as AwsError).shape).toEqual({ type, status, queryCode });
    for (const service of ['dynamodb', 'kms', 'monitoring'] as const) {
      const admit = operatorAdmission(facts, service);
      const refusal = await refusalOf(admit, problems[problem](service));
      expect(refusal).toBeInstanceOf(AwsError);
      expect((refusal as AwsError).shape).toEqual({ type, status: 400 });
    }
  });

  test('which name the role, and what only the bus may do', async () => {
    const who = 'User: arn:aws:sts::000000000000:assumed-role/mine/local is not authorized';
    const messageOf = async (admit: Admit, service: string) =>
      ((await refusalOf(admit, problems.denied(service))) as Error).message;
    expect(await messageOf(operatorAdmission(facts, 'dynamodb'), 'dynamodb')).toBe(
      `${who} to perform: dynamodb:Scan because only the bus may`,
    );
    expect(await messageOf(queueAdmission(facts, queueOf), 'sqs')).toBe(
      `${who} to perform: sqs:Scan because only the bus may: a role can only read the queues whose policies allow it`,
    );
  });
});
