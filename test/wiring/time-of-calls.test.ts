import type { Env } from '../../lib/wiring/env.ts';

/** The first command of a work, and how long its call may take. */
const mockAsked: (readonly [string, unknown])[] = [];

jest.mock('../../lib/platform/aws/clients.ts', () => {
  const actual = jest.requireActual('../../lib/platform/aws/clients.ts');
  let latest: unknown;
  return {
    ...actual,
    clientConfig: (env: Env, service: never, times: unknown = 'usual') => {
      latest = times;
      return actual.clientConfig(env, service);
    },
    clientConfigWithin: (env: Env, service: never, milliseconds: number) => {
      latest = { within: milliseconds };
      return actual.clientConfigWithin(env, service, milliseconds);
    },
    clientOf: (_env: Env, _service: unknown, client: object) => {
      const times = latest;
      const send = (command: object) => {
        mockAsked.push([command.constructor.name, times]);
        return Promise.reject(new Error('That is enough.'));
      };
      return Object.assign(client, { send });
    },
  };
});

import { localEnv } from '../../lib/local/env.ts';
import { recorder } from '../../lib/wiring/activity.ts';
import { depths, pullFunction } from '../../lib/wiring/consuming.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { directory } from '../../lib/wiring/registry.ts';

const nowhere = 'http://127.0.0.1:1';
const endpoints = { dynamodb: nowhere, sqs: nowhere, kms: nowhere, cloudwatch: nowhere };
const env = localEnv(nowhere, endpoints);
const at = Date.UTC(2026, 0, 1);

const inbox = pullFunction.ports.inbox(env);
const operator = operatorPorts(env);
const poll = { max: 1, waitSeconds: 20, visibilitySeconds: 60 };
const limited = { kind: 'limited', connection: 'c1', workspace: 'w1', at, requests: 1 } as const;

// A poll waits for twenty seconds, and no second one outlasts its caller.
test.each<[string, () => Promise<unknown>, readonly [string, unknown]]>([
  [
    'a poll',
    () => inbox.receive('c1.fifo', poll, 'attempt'),
    ['ReceiveMessageCommand', { requestTimeout: 23_000, maxAttempts: 1 }],
  ],
  [
    'what ends a delivery',
    () => inbox.delete('c1.fifo', ['handle']),
    ['DeleteMessageBatchCommand', { within: 3_000 }],
  ],
  [
    'a look at a queue',
    () => depths(env).depth('c1.fifo'),
    ['GetQueueAttributesCommand', { within: 3_000 }],
  ],
  [
    'a read of the registry',
    () => directory(env).find('app', 'a1'),
    ['GetItemCommand', { within: 2_500 }],
  ],
  ['a record', () => recorder(env).record(limited), ['UpdateItemCommand', { within: 1_000 }]],
  // The network of an operator may be slow.
  ['the operator’s read', () => operator.directory.find('app', 'a1'), ['GetItemCommand', 'usual']],
  ['the operator’s keys', () => operator.keyRings.find(), ['GetItemCommand', 'usual']],
])('%s has its own time', async (_, call, expected) => {
  mockAsked.length = 0;
  await call().catch(() => undefined);
  expect(mockAsked[0]).toEqual(expected);
});
