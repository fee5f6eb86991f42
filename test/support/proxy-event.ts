import type {
  APIGatewayEventRequestContextWithAuthorizer,
  APIGatewayProxyEvent,
  APIGatewayRequestAuthorizerEvent,
} from 'aws-lambda';

type Context = APIGatewayEventRequestContextWithAuthorizer<Record<string, string>>;

const identity: Context['identity'] = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  sourceIp: '192.0.2.1',
  user: null,
  userAgent: null,
  userArn: null,
};

const context: Context = {
  accountId: '123456789012',
  apiId: 'api',
  authorizer: {},
  httpMethod: 'POST',
  identity,
  path: '/',
  protocol: 'HTTP/1.1',
  requestId: 'request-1',
  requestTimeEpoch: 0,
  resourceId: 'resource',
  resourcePath: '/',
  stage: 'v1',
};

const request = {
  resource: '/',
  path: '/',
  httpMethod: 'POST',
  headers: {},
  multiValueHeaders: {},
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  pathParameters: null,
  stageVariables: null,
};

/** What a test changes of an event. */
export type Changes<E> = Partial<Omit<E, 'requestContext'>> & {
  readonly requestContext?: Partial<Context>;
};

/**
 * An event of API Gateway for a function (proxy integration, format 1.0), with what a test says of
 * it.
 */
export const proxyEvent = ({
  requestContext,
  ...changes
}: Changes<APIGatewayProxyEvent>): APIGatewayProxyEvent => ({
  ...request,
  body: null,
  isBase64Encoded: false,
  ...changes,
  requestContext: { ...context, ...requestContext },
});

/** An event of API Gateway for a request authoriser. */
export const authoriserEvent = ({
  requestContext,
  ...changes
}: Changes<APIGatewayRequestAuthorizerEvent>): APIGatewayRequestAuthorizerEvent => ({
  type: 'REQUEST',
  methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:api/v1/POST/',
  ...request,
  ...changes,
  requestContext: { ...context, ...requestContext, authorizer: undefined },
});
