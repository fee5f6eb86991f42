import { localEnv } from '../../lib/local/env.ts';
import { madeOnce } from '../../lib/wiring/env.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';

const endpoints = {
  dynamodb: 'http://127.0.0.1:1',
  sqs: 'http://127.0.0.1:2',
  kms: 'http://127.0.0.1:3',
  cloudwatch: 'http://127.0.0.1:4',
};

test.each([operatorPorts, operatorPorts])(
  'the operator has one set of clients per environment',
  portsOf => {
    const env = localEnv('http://127.0.0.1', endpoints);
    expect(portsOf(env)).toBe(portsOf(env));
    expect(portsOf(env)).not.toBe(portsOf(localEnv('http://127.0.0.1', endpoints)));
  },
);

test.each([
  ['on AWS at its start', { AWS_LAMBDA_FUNCTION_NAME: 'publish' }, [1, 1]],
  ['elsewhere on first use', {}, [0, 1]],
])('a function makes what it needs once: %s', (_, env, made) => {
  const make = jest.fn(() => ({}));
  const ports = madeOnce(env, make);
  const atStart = make.mock.calls.length;
  expect(ports()).toBe(ports());
  expect([atStart, make.mock.calls.length]).toEqual(made);
});
