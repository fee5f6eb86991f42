import { STSClient } from '@aws-sdk/client-sts';
import { type SecretHome, storedClientSecret } from '../../../lib/platform/aws/client-secret.ts';
import { frozenClock } from '../../support/identity-fakes.ts';
import { json, type Reply, scriptedServer } from '../../support/scripted-server.ts';

const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
const signing = new STSClient({ region: 'eu-west-1', credentials }).config;

/** The secret of a home whose service replies so, and what it was asked. */
const reading = async (home: SecretHome, ...replies: readonly Reply[]) => {
  const server = await scriptedServer({ '/': replies });
  const endpoint = new URL(server.baseUrl).origin;
  const env = { AWS_ENDPOINT_URL_SECRETSMANAGER: endpoint, AWS_ENDPOINT_URL_COGNITO_IDP: endpoint };
  const clock = frozenClock();
  const secret = storedClientSecret(home, signing, { clock, env });
  return { server, secret, later: () => clock.sleep(300_000) };
};

const stored = (SecretString: string) => json(200, { SecretString });

test('the secret is read once in five minutes; a rotated one is used then', async () => {
  const { server, secret, later } = await reading(
    { secretName: 'n' },
    stored('first'),
    stored('second'),
  );
  expect([await secret(), await secret(), server.calls.length]).toEqual(['first', 'first', 1]);
  await later();
  expect([await secret(), server.calls.length]).toEqual(['second', 2]);
  expect(JSON.parse(server.calls[0]?.body ?? '')).toEqual({ SecretId: 'n' });
  await server.close();
});

test('a known secret serves on while the service fails; without one, sign-in fails with the reason', async () => {
  const denied = json(400, { __type: 'AccessDeniedException', message: 'No.' });
  const known = await reading({ secretName: 'n' }, stored('first'), denied);
  await known.secret();
  await known.later();
  expect(await known.secret()).toBe('first');
  const unknown = await reading({ secretName: 'n' }, denied);
  await expect(unknown.secret()).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: 'No.',
  });
  const empty = await reading({ secretName: 'n' }, json(200, {}));
  await expect(empty.secret()).rejects.toThrow('is empty');
  await Promise.all([known, unknown, empty].map(({ server }) => server.close()));
});

test('the client of a user pool has its secret itself', async () => {
  const client = json(200, { UserPoolClient: { ClientId: 'c', ClientSecret: 'of the pool' } });
  const { server, secret } = await reading({ pool: 'p', client: 'c' }, client);
  expect(await secret()).toBe('of the pool');
  expect(JSON.parse(server.calls[0]?.body ?? '')).toEqual({ UserPoolId: 'p', ClientId: 'c' });
  await server.close();
});
