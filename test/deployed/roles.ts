import assert from 'node:assert/strict';
import { Sha256 } from '@aws-crypto/sha256-js';
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { SignatureV4 } from '@smithy/signature-v4';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { printed } from './shell.ts';
import { account, region } from './tools.ts';
import { type Run, rootKeys, type World } from './world.ts';

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

const roleArn = (name: string) => `arn:aws:iam::${account}:role/${name}`;

/** A role of a vendor's, which anybody of the account may assume. */
const makeRole = ({ shell }: Run, name: string, queueUrl: string) => {
  const trust = { Effect: 'Allow', Principal: { AWS: account }, Action: 'sts:AssumeRole' };
  const queue = `arn:aws:sqs:${region}:${account}:${queueUrl.split('/').at(-1)}`;
  const may = [
    { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: '*' },
    { Effect: 'Allow', Action: 'sqs:*', Resource: queue },
  ];
  const policy = (Statement: object) => JSON.stringify({ Version: '2012-10-17', Statement });
  return printed(
    shell(
      rootKeys,
      `aws iam create-role --role-name ${name} --assume-role-policy-document "$TRUST" --output text >/dev/null
       aws iam put-role-policy --role-name ${name} --policy-name own --policy-document "$POLICY"`,
      { TRUST: policy([trust]), POLICY: policy(may) },
    ),
  );
};

const assume = async (name: string): Promise<Credentials> => {
  const { Credentials: made } = await new STSClient({ region }).send(
    new AssumeRoleCommand({ RoleArn: roleArn(name), RoleSessionName: 'vendor' }),
  );
  return {
    accessKeyId: made?.AccessKeyId ?? '',
    secretAccessKey: made?.SecretAccessKey ?? '',
    sessionToken: made?.SessionToken ?? '',
  };
};

/** POSTs JSON, signed as a role signs it. */
const signedPost = async (
  credentials: Credentials,
  url: string,
  message: object,
): Promise<Response> => {
  const { hostname, pathname } = new URL(url);
  const body = JSON.stringify(message);
  const signer = new SignatureV4({ service: 'execute-api', region, sha256: Sha256, credentials });
  const { headers } = await signer.sign({
    method: 'POST',
    protocol: 'https:',
    hostname,
    path: pathname,
    query: {},
    headers: { host: hostname, 'content-type': 'application/json' },
    body,
  });
  return fetch(url, { method: 'POST', headers, body });
};

const statusOf = async (answering: Promise<Response>): Promise<number> => (await answering).status;

/** Cloud roles: proved by a challenge, then publishing, and reading a queue without the bus. */
export const cloudRoles = async (run: Run, world: World): Promise<void> => {
  const { checks, shell } = run;
  checks.step('Cloud roles');
  const { baseUrl, workspace, producer, consumer, operator } = world;
  const tenant = `${baseUrl}/tenants/${workspace}`;
  const [writer, reader] = ['newsroom-writer', 'newsroom-reader'];
  const connections = new Map([
    [writer, producer.client_id],
    [reader, consumer.client_id],
  ]);
  const keys = new Map<string, Credentials>();
  const as = (name: string): Credentials => {
    const found = keys.get(name);
    if (!found) throw new Error(`${name} was not assumed.`);
    return found;
  };
  for (const [name, connection] of connections)
    await checks.check(`${name} proves itself with its challenge, and not without`, async () => {
      await makeRole(run, name, consumer.queue_url);
      keys.set(name, await assume(name));
      const register = `sombus principal register --environment $ENV --workspace ${workspace} --connection ${connection} --role-arn ${roleArn(name)} --json`;
      const { challenge } = JSON.parse(await printed(shell(operator, register)));
      const url = `${tenant}/principals/verify`;
      const prove = (text: string) =>
        statusOf(signedPost(as(name), url, { connection_id: connection, challenge: text }));
      assert.notEqual(await prove('nonsense'), 200);
      assert.equal(await prove(challenge), 200);
    });
  const link = () => linkCommitted({ timestamp: new Date().toISOString() });
  await checks.check('the writer makes a dry run, publishes, and publishes again', async () => {
    const message = link();
    assert.equal(await statusOf(signedPost(as(writer), `${tenant}/iam/validate`, message)), 202);
    assert.equal(await statusOf(signedPost(as(writer), `${tenant}/iam/messages`, message)), 202);
    assert.equal(await statusOf(signedPost(as(writer), `${tenant}/iam/messages`, message)), 200);
  });
  await checks.check('the writer publishes a story, also where no workspace is named', async () => {
    const story = () => {
      const timestamp = new Date().toISOString();
      return storyContext({ updated_at: timestamp }, { timestamp });
    };
    assert.equal(await statusOf(signedPost(as(writer), `${tenant}/iam/messages`, story())), 202);
    const connection = connections.get(writer);
    const register = `sombus principal register --environment $ENV --operator --connection ${connection} --role-arn ${roleArn(writer)} --json`;
    // The operator's own roles need no proof.
    await printed(shell(operator, register));
    assert.equal(await statusOf(signedPost(as(writer), `${baseUrl}/messages`, story())), 202);
  });
  await checks.check('the owner reads why a provider’s token was refused', async () => {
    const issuer = 'https://login.newsroom.invalid';
    const where = `--environment $ENV --workspace ${workspace} --issuer ${issuer}`;
    const provider = `--jwks-uri ${issuer}/jwks --audience som-bus --client-claim azp`;
    await printed(shell(operator, `sombus idp add ${where} ${provider}`));
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'ES256' })}.${part({ iss: issuer })}.${'A'.repeat(86)}`;
    const refused = fetch(`${tenant}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(link()),
    });
    assert.equal(await statusOf(refused), 401);
    const day = new Date().toISOString().slice(0, 10);
    const query = `aws dynamodb query --table-name sombus-$ENV-activity --key-condition-expression 'pk = :day' --expression-attribute-values "$DAY" --query 'Items[?kind.S==\`identity_refused\`].reason.S' --output text`;
    const DAY = JSON.stringify({ ':day': { S: `FEED#${workspace}#${day}` } });
    assert.equal((await printed(shell(rootKeys, query, { DAY }))).trim(), 'no_key');
    await printed(shell(operator, `sombus idp remove ${where}`));
  });
  await checks.check('a wrong signature is refused', async () => {
    const forged = { ...as(writer), secretAccessKey: 'x'.repeat(40) };
    const status = await statusOf(signedPost(forged, `${tenant}/iam/messages`, link()));
    assert.ok([401, 403].includes(status), `${status}`);
  });
  const client = (name: string) => new SQSClient({ region, credentials: as(name), maxAttempts: 1 });
  const QueueUrl = consumer.queue_url;
  await checks.check('the reader receives from its queue and deletes', async () => {
    const { Messages: [message] = [] } = await client(reader).send(
      new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }),
    );
    assert.ok(message, 'nothing was received');
    await client(reader).send(
      new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }),
    );
  });
  const forbidden: readonly (readonly [string, string, () => Promise<unknown>])[] = [
    [writer, 'receive', () => client(writer).send(new ReceiveMessageCommand({ QueueUrl }))],
    [
      reader,
      'send',
      () =>
        client(reader).send(
          new SendMessageCommand({
            QueueUrl,
            MessageBody: 'x',
            MessageGroupId: 'g',
            MessageDeduplicationId: 'd',
          }),
        ),
    ],
  ];
  for (const [name, what, call] of forbidden)
    await checks.check(`${name} may not ${what}, whatever its own policy says`, () =>
      assert.rejects(call, /AccessDenied|not authorized/i),
    );
};
