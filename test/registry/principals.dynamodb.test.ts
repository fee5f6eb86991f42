import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../../lib/aws/clients.ts';
import { type Engine, startDynoxide } from '../../lib/local/database.ts';
import { createTables } from '../../lib/local/engines.ts';
import { localEnv, localTables } from '../../lib/local/env.ts';
import { awsPrincipals } from '../../lib/registry/principals.dynamodb.ts';
import { type Principal, type Principals, storedChallenge } from '../../lib/registry/principals.ts';
import { principalsInMemory } from '../support/role-fakes.ts';
import { temporaryFolder } from '../support/service-process.ts';

const at = '2026-05-04T09:00:00.000Z';
const scope = 'waaaaaaaaaaaa';
let made = 0;

const pending = (changes: Partial<Principal> = {}): Principal => ({
  id: 'paaaaaaaaaaaa',
  scope,
  connection: 'caaaaaaaaaaaa',
  roleArn: `arn:aws:iam::123456789012:role/team/reader-${made}`,
  status: 'pending',
  challenge: storedChallenge('sbc_first', 0),
  createdAt: '2026-05-04T08:00:00.000Z',
  ...changes,
});

const folder = temporaryFolder();
let database: Engine;
let inTable: Principals;

beforeAll(async () => {
  database = await startDynoxide(`${folder.path}/dynamodb.sqlite`);
  const env = localEnv('http://127.0.0.1', { dynamodb: database.endpoint, sqs: '', kms: '' });
  await createTables(env, localTables);
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  inTable = awsPrincipals({ client, name: localTables.registry });
});

afterAll(async () => {
  await database.close();
  folder.remove();
});

beforeEach(() => {
  made += 1;
});

describe.each<[string, () => Principals]>([
  ['the table', () => inTable],
  ['memory', () => principalsInMemory().port],
])('registrations in %s', (_, start) => {
  const begun = async () => {
    const port = start();
    const principal = pending();
    await port.put(principal);
    const now = async () => (await port.list(scope)).find(({ roleArn }) => roleArn === principal.roleArn);
    return { port, principal, now };
  };

  test('are verified once', async () => {
    const { port, principal, now } = await begun();
    expect(await port.verify(principal, at)).toBe(true);
    const { challenge: _used, ...rest } = principal;
    expect(await now()).toEqual({ ...rest, status: 'verified', verifiedAt: at });
    expect(await port.verify(principal, at)).toBe(false);
    expect(await port.admit(principal, at)).toBe(false);
  });

  test('are admitted as often as it takes, and verified after', async () => {
    const { port, principal, now } = await begun();
    for (const _time of [1, 2]) expect(await port.admit(principal, at)).toBe(true);
    expect(await now()).toEqual({ ...principal, status: 'verified', verifiedAt: at });
    expect(await port.verify(principal, at)).toBe(true);
  });

  test('go back to what they were when they are withdrawn', async () => {
    const { port, principal, now } = await begun();
    await port.admit(principal, at);
    await port.withdraw(principal);
    expect(await now()).toEqual(principal);
  });

  test('change no more once they are revoked, or have another challenge', async () => {
    const { port, principal, now } = await begun();
    for (const next of [
      pending({ challenge: storedChallenge('sbc_second', 0) }),
      pending({ status: 'revoked' }),
    ]) {
      await port.put(next);
      expect([await port.verify(principal, at), await port.admit(principal, at)]).toEqual([false, false]);
      await port.withdraw(principal);
      expect(await now()).toEqual(next);
    }
  });
});
