import { localEnv } from '../../lib/local/env.ts';

const endpoints = {
  dynamodb: 'http://127.0.0.1:1',
  sqs: 'http://127.0.0.1:2',
  kms: 'http://127.0.0.1:3',
  cloudwatch: 'http://127.0.0.1:4',
};

/** All that the functions and the operator's commands read of where they are. */
const expected = {
  SOMBUS_ENVIRONMENT: 'sandbox',
  SOMBUS_ORIGIN: 'http://127.0.0.1:8787',
  SOMBUS_PORTAL_PATH: '',
  SOMBUS_PORTAL_URL: '',
  SOMBUS_REGISTRY_TABLE: 'sombus-registry',
  SOMBUS_LEDGER_TABLE: 'sombus-ledger',
  SOMBUS_ACTIVITY_TABLE: 'sombus-activity',
  SOMBUS_SESSIONS_TABLE: 'sombus-sessions',
  SOMBUS_SIGNING_KEY: 'alias/sombus-signing',
  SOMBUS_QUEUE_BASE_URL: 'http://127.0.0.1:2/000000000000/',
  SOMBUS_QUEUE_BASE_ARN: 'arn:aws:sqs:us-east-1:000000000000:',
  SOMBUS_MAIL_FROM: '',
  SOMBUS_LOCAL_SERVICE: 'true',
  AWS_REGION: 'us-east-1',
  AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
  AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:2',
  AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:3',
  AWS_ENDPOINT_URL_CLOUDWATCH: 'http://127.0.0.1:4',
};

test('the functions find the engines, their tables and their key', () => {
  expect(localEnv('http://127.0.0.1:8787', endpoints)).toEqual(expected);
});

test('the engines get the signatures of the operator, where they check them', () => {
  const key = { accessKeyId: 'AKIA1', secretAccessKey: 'secret' };
  expect(localEnv('http://127.0.0.1:8787', endpoints, key)).toEqual({
    ...expected,
    SOMBUS_ENGINE_ACCESS_KEY_ID: 'AKIA1',
    SOMBUS_ENGINE_SECRET_ACCESS_KEY: 'secret',
  });
});
