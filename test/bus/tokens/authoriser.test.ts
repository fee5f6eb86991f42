import type { IdentityRefusals, RefusedIdentity } from '../../../lib/bus/activity/records.ts';
import type { Authenticate, PresentedToken } from '../../../lib/bus/tokens/authenticate.ts';
import { authoriser } from '../../../lib/bus/tokens/authoriser.http.ts';
import type { ForeignTokenRefusal } from '../../../lib/bus/tokens/foreign-token.ts';
import { frozenClock } from '../../support/identity-fakes.ts';
import { authoriserEvent } from '../../support/proxy-event.ts';

const event = (resource: string, pathParameters: Record<string, string> = {}) =>
  authoriserEvent({
    httpMethod: 'POST',
    resource,
    pathParameters,
    requestContext: { stage: 'v1' },
    headers: { Authorization: 'Bearer a.b.c' },
    methodArn:
      'arn:aws:execute-api:eu-west-1:111122223333:api/v1/POST/tenants/w234567abcdef/messages',
  });

const now = 1_790_000_000_000;

/** An authoriser, and what it notes for owners. */
const authoriserOf = (identify: Authenticate) => {
  const noted: RefusedIdentity[] = [];
  const identityRefusals: IdentityRefusals = {
    async note(refused) {
      noted.push(refused);
    },
  };
  return { authorise: authoriser(identify, { clock: frozenClock(now), identityRefusals }), noted };
};

const caller = {
  connection: 'c234567abcdef',
  workspace: 'w234567abcdef',
  validUntil: 1_800_000_005,
};

test('a known caller may call the whole stage, with the usage key of the connection', async () => {
  const response = await authoriserOf(async () => caller).authorise(event('/tenants/{t}/messages'));
  expect(response).toEqual({
    principalId: caller.connection,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Action: 'execute-api:Invoke',
          Resource: 'arn:aws:execute-api:eu-west-1:111122223333:api/v1/*',
        },
      ],
    },
    context: caller,
    usageIdentifierKey: 'sombus-connection-c234567abcdef',
  });
});

test('an unknown caller gets what API Gateway turns into its 401', async () => {
  await expect(
    authoriserOf(async () => undefined).authorise(event('/tenants/{t}/messages')),
  ).rejects.toThrow(/^Unauthorized$/);
});

const messages = '/tenants/{t}/messages';
const t = 'w234567abcdef';

test.each([
  ["the workspace's, where the route says so", messages, { t }, t],
  ['nobody’s, where the address names no workspace', messages, { t: 'operator' }, undefined],
  ["the operator's, on the operator's route", '/jwt/messages', {}, 'operator'],
  ['nobody’s, where the bus alone issues', '/tenants/{t}/consumers/{c}/ack', { t }, undefined],
])('the issuers that count are %s', async (_, resource, parameters, issuers) => {
  const asked: PresentedToken[] = [];
  const identify: Authenticate = async presented => {
    asked.push(presented);
    return caller;
  };
  await authoriserOf(identify).authorise(event(resource, parameters));
  expect(asked).toEqual([{ authorization: 'Bearer a.b.c', issuers, tell: expect.any(Function) }]);
});

const issuer = 'https://login.example';
const refusing =
  (refused: ForeignTokenRefusal): Authenticate =>
  async ({ tell }) => {
    tell?.(refused);
    return undefined;
  };

const operators = '/jwt/messages';

test.each<[string, ForeignTokenRefusal, string, Record<string, string>, object[]]>([
  [
    'and is noted for the owner of the workspace',
    { problem: 'wrong_audience', issuer },
    messages,
    { t },
    [{ workspace: t, at: now, issuer, reason: 'wrong_audience' }],
  ],
  [
    'with the client that nothing is bound to',
    { problem: 'unbound_client', issuer, client: 'client-2' },
    messages,
    { t },
    [{ workspace: t, at: now, issuer, reason: 'unbound_client', client: 'client-2' }],
  ],
  ['and nobody else’s issuer is noted', { problem: 'unknown_issuer' }, messages, { t }, []],
  ['and the operator has no activity', { problem: 'expired', issuer }, operators, {}, []],
])('what is wrong with a token is a cause, which API Gateway never shows, %s', async (...row) => {
  const [, refused, resource, parameters, expected] = row;
  const { authorise, noted } = authoriserOf(refusing(refused));
  await expect(authorise(event(resource, parameters))).rejects.toMatchObject({
    message: 'Unauthorized',
    cause: refused.problem,
  });
  expect(noted).toEqual(expected);
});
