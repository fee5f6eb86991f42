import type { Authenticate, Presented } from '../../../lib/bus/tokens/authenticate.ts';
import { authoriser } from '../../../lib/bus/tokens/authoriser.http.ts';
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

const caller = {
  connection: 'c234567abcdef',
  workspace: 'w234567abcdef',
  validUntil: 1_800_000_005,
};

test('a known caller may call the whole stage, with the usage key of the connection', async () => {
  const response = await authoriser(async () => caller)(event('/tenants/{t}/messages'));
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
  await expect(authoriser(async () => undefined)(event('/tenants/{t}/messages'))).rejects.toThrow(
    /^Unauthorized$/,
  );
});

test('what is wrong with a token is a cause, which API Gateway never shows', async () => {
  const identify: Authenticate = async ({ tell }) => {
    tell?.('wrong_audience');
    return undefined;
  };
  const refusal = authoriser(identify)(event('/tenants/{t}/messages'));
  await expect(refusal).rejects.toMatchObject({ message: 'Unauthorized', cause: 'wrong_audience' });
});

const messages = '/tenants/{t}/messages';
const t = 'w234567abcdef';

test.each([
  ["the workspace's, where the route says so", messages, { t }, t],
  ['nobody’s, where the address names no workspace', messages, { t: 'operator' }, undefined],
  ["the operator's, on the operator's route", '/jwt/messages', {}, 'operator'],
  ['nobody’s, where the bus alone issues', '/tenants/{t}/consumers/{c}/ack', { t }, undefined],
])('the issuers that count are %s', async (_, resource, parameters, issuers) => {
  const asked: Presented[] = [];
  const identify: Authenticate = async presented => {
    asked.push(presented);
    return caller;
  };
  await authoriser(identify)(event(resource, parameters));
  expect(asked).toEqual([{ authorization: 'Bearer a.b.c', issuers, tell: expect.any(Function) }]);
});
