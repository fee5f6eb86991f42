import { awsMembers } from '../../../lib/access/people/members.dynamodb.ts';
import { localEnv, localTables } from '../../../lib/local/env.ts';
import { createTables } from '../../../lib/local/provision.ts';
import { type OperatorPorts, operatorPorts } from '../../../lib/wiring/operator.ts';
import { sombus, sombusOn } from '../../support/commands.ts';
import { previewHere } from '../../support/preview.ts';
import { json, type Reply, scriptedServer, tokenResponse } from '../../support/scripted-server.ts';

const preview = previewHere();
const members = () => awsMembers(preview.registry());

/** Responses as Cognito documents them (API reference, "Response Syntax"). */
const pools = [
  json(200, { UserPools: [{ Id: 'eu-west-1_shop', Name: 'shop' }], NextToken: 'more' }),
  json(200, { UserPools: [{ Id: 'eu-west-1_people', Name: 'sombus-preview' }] }),
];
const attributes = (verified: string) => [
  { Name: 'email', Value: 'olga@example.org' },
  { Name: 'email_verified', Value: verified },
  { Name: 'sub', Value: '5f1c' },
];
const created = json(200, {
  User: { Username: '5f1c', Attributes: attributes('true'), UserStatus: 'FORCE_CHANGE_PASSWORD' },
});
const exists = json(400, {
  __type: 'UsernameExistsException',
  message: 'User account already exists',
});
const found = (verified: string) =>
  json(200, { Username: '5f1c', UserAttributes: attributes(verified) });

/** Runs the command while Cognito replies so. */
const firstOperator = async (...replies: readonly Reply[]) => {
  const cognito = await scriptedServer({ '/': replies });
  process.env['AWS_ENDPOINT_URL_COGNITO_IDP'] = new URL(cognito.baseUrl).origin;
  const args = ['--environment', 'preview', '--email', 'olga@example.org', '--json'];
  const { code, stdout, stderr: error } = await sombus('aws', 'first-operator', ...args);
  await cognito.close();
  const bodies = cognito.calls.map(({ body }) => JSON.parse(body));
  return { code, record: JSON.parse(stdout || '{}'), error, bodies, calls: cognito.calls };
};

const olga = {
  issuer: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_people',
  subject: '5f1c',
};

test('a new environment gets its first operator: an invited account, known by its sub', async () => {
  const { code, record, bodies, calls } = await firstOperator(...pools, created);
  expect([code, record]).toEqual([
    0,
    {
      ...olga,
      name: 'olga@example.org',
      email: 'olga@example.org',
      is_operator: true,
      invited: true,
    },
  ]);
  expect(bodies[1]).toEqual({ MaxResults: 60, NextToken: 'more' });
  expect(bodies[2]).toMatchObject({
    UserPoolId: 'eu-west-1_people',
    Username: 'olga@example.org',
    DesiredDeliveryMediums: ['EMAIL'],
  });
  expect(calls[2]?.authorization).toContain('/eu-west-1/cognito-idp/aws4_request');
  expect(await members().affiliationOf(olga)).toMatchObject({ isOperator: true });
});

test('somebody who has an account is not invited again', async () => {
  await members().setOperator(olga, false);
  expect(await firstOperator(...pools, exists, found('true'))).toMatchObject({
    code: 0,
    record: { ...olga, invited: false },
  });
  expect(await members().affiliationOf(olga)).toMatchObject({ isOperator: true });
});

test('an account whose address was never confirmed may be anybody’s', async () => {
  await members().setOperator(olga, false);
  expect(await firstOperator(...pools, exists, found('false'))).toMatchObject({
    code: 1,
    error: expect.stringContaining('never confirmed'),
  });
  expect(await members().affiliationOf(olga)).toMatchObject({ isOperator: false });
});

test('an environment with an issuer of its own has another way', async () => {
  expect(await firstOperator(json(200, { UserPools: [] }))).toMatchObject({
    code: 1,
    error: expect.stringContaining('sombus member operator --issuer'),
  });
});

test('what Cognito refuses is said in its words', async () => {
  const denied = json(400, {
    __type: 'AccessDeniedException',
    message: 'You may not call ListUserPools.',
  });
  expect(await firstOperator(denied)).toMatchObject({
    code: 2,
    error: expect.stringContaining('You may not call ListUserPools.'),
  });
});

describe('the first probe, when a step after its organisation fails', () => {
  /** The service and SSM answer so; then the organisations and what the command said. */
  const firstProbe = async (
    { token, put }: { readonly token: Reply; readonly put?: Reply },
    change: Partial<OperatorPorts> = {},
  ) => {
    const bus = await scriptedServer({
      '/oauth/token': [token],
      '/validate': [json(400, {})],
      '/messages': [json(200, {})],
    });
    const none = json(400, { __type: 'ParameterNotFound' });
    const ssm = await scriptedServer({ '/': [none, ...(put ? [put] : [])] });
    process.env['AWS_ENDPOINT_URL_SSM'] = new URL(ssm.baseUrl).origin;
    const env = localEnv(new URL(bus.baseUrl).origin, preview.endpoints());
    await createTables(env, localTables);
    const ports = { ...operatorPorts(env), ...change };
    const args = ['aws', 'probe', '--environment', 'preview', '--data', 'x'];
    const { stderr: error } = await sombusOn({ registry: () => ports }, ...args);
    await Promise.all([bus.close(), ssm.close()]);
    const [organisation] = (await ports.directory.list('organisation')).slice(-1);
    const [workspace] = await ports.directory.list('workspace', organisation?.id);
    const connections = await ports.connections.ofWorkspace(workspace?.id ?? '');
    return {
      error,
      organisation,
      states: [organisation, workspace, ...connections].map(one => one?.status),
    };
  };

  test('everything that it made is revoked, and the error is the step’s', async () => {
    const { error, states } = await firstProbe({ token: json(404, {}) });
    expect(error).toContain('Is http');
    expect(new Set(states)).toEqual(new Set(['revoked']));
  });

  test('also if the parameter cannot be written', async () => {
    const put = json(400, {
      __type: 'AccessDeniedException',
      message: 'You may not call PutParameter.',
    });
    const { error, states } = await firstProbe({ token: tokenResponse(), put });
    expect(error).toContain('You may not call PutParameter.');
    expect([states.length, new Set(states)]).toEqual([4, new Set(['revoked'])]);
  });

  test('what cannot be revoked is said, and how to do it', async () => {
    const directory = {
      ...operatorPorts(localEnv('http://127.0.0.1', preview.endpoints())).directory,
    };
    directory.revoke = () => Promise.reject(new Error('throttled'));
    const { error, organisation } = await firstProbe({ token: json(404, {}) }, { directory });
    const id = organisation?.id;
    const revoking = `throttled.*sombus org revoke ${id} --confirm ${id} --environment preview`;
    expect(error).toMatch(new RegExp(`Is http.*\n.*${revoking}`));
  });
});
