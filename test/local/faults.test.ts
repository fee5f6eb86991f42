import { queueName } from '../../lib/contract/environments.ts';
import type { EngineClock } from '../../lib/local/engines/machine.ts';
import { FaultInjector } from '../../lib/local/faults.ts';
import { proxyResult } from '../../lib/platform/http/respond.ts';
import { response } from '../../lib/platform/http/response.ts';

/**
 * A clock that stands still, whose first timer is late by two milliseconds, the next one by one.
 */
const unevenClock = () => {
  let late = 3;
  const timers: { readonly due: number; run(): void }[] = [];
  const clock: EngineClock = {
    now: () => 0,
    after: (milliseconds, run) => {
      late -= 1;
      timers.push({ due: milliseconds + late, run });
      return () => undefined;
    },
  };
  return {
    clock,
    runAll: () => {
      for (const { run } of timers.toSorted((a, b) => a.due - b.due)) run();
    },
  };
};

test('delayed messages keep their order when their timers do not', () => {
  const { clock, runAll } = unevenClock();
  const injector = new FaultInjector(clock);
  const sent: unknown[] = [];
  const send = injector
    .aroundQueues(new Map([['SendMessage', input => ({ count: sent.push(input['MessageBody']) })]]))
    .get('SendMessage');
  const call = { endpoint: '', gone: new AbortController().signal };
  for (const [delay, MessageBody] of [
    ['1h', 'first'],
    ['1m', 'second'],
  ] as const) {
    injector.set('c1', { delay });
    send?.({ QueueUrl: `/${queueName('c1')}`, MessageBody }, call);
  }
  expect(sent).toEqual([]);
  runAll();
  expect(sent).toEqual(['first', 'second']);
});

type Around = Parameters<FaultInjector['around']>;

const answering = () => Promise.resolve(proxyResult(response(200, {}), 'r'));
const handlers = { pull: answering, 'iam-publish': answering } as unknown as Around[0];
const noRole: Around[1] = async () => undefined;

test.each([
  ['duplicate', { duplicate: true }],
  ['delay', { delay: 5 }],
  ['hold', { hold: true }],
  ['redeliver', { redeliver: 5 }],
])('%s is a fault of consumers alone', (name, faults) => {
  const injector = new FaultInjector(unevenClock().clock);
  expect(() => injector.set('c1', faults, 'producer')).toThrow(
    `The fault "${name}" is for consumers.`,
  );
  injector.set('c1', faults, 'consumer');
  expect(injector.list()).toEqual({ c1: faults });
});

test('a cloud role meets the faults of its connection, in its workspace only', async () => {
  const injector = new FaultInjector(unevenClock().clock);
  const arn = 'arn:aws:sts::123456789012:assumed-role/demo/session';
  const ofRole: Around[1] = async (role, t) => (role === arn && t === 'w1' ? 'c1' : undefined);
  const publish = injector.around(handlers, ofRole)['iam-publish'];
  injector.set('c1', { refuse: { status: 503, times: 2 } });
  const statusIn = async (t: string, userArn = arn) => {
    const requestContext = { requestId: 'r', authorizer: null, identity: { userArn } };
    const event = { requestContext, pathParameters: { t } } as unknown as Parameters<
      typeof publish
    >[0];
    return (await publish(event)).statusCode;
  };
  expect([await statusIn('w1'), await statusIn('w2'), await statusIn('w1', `${arn}2`)]).toEqual([
    503, 200, 200,
  ]);
  expect(injector.list()).toEqual({ c1: { refuse: { status: 503, times: 1 } } });
});

test('what is left of a fault is shown until it is used up', async () => {
  const injector = new FaultInjector(unevenClock().clock);
  const { pull } = injector.around(handlers, noRole);
  const request = { requestContext: { requestId: 'r', authorizer: { connection: 'c1' } } };
  const left = async () => {
    await pull(request as unknown as Parameters<typeof pull>[0]);
    return injector.list();
  };
  injector.set('c1', { loseResponses: 2, refuse: { status: 503, times: 2 } });
  injector.set('c2', {});
  expect(injector.list()).toEqual({ c1: { loseResponses: 2, refuse: { status: 503, times: 2 } } });
  expect(await left()).toEqual({ c1: { loseResponses: 2, refuse: { status: 503, times: 1 } } });
  expect(await left()).toEqual({ c1: { loseResponses: 2 } });
  expect(await left()).toEqual({ c1: { loseResponses: 1 } });
  expect(await left()).toEqual({});
});

test.each([
  [
    'at once',
    () => {
      throw new Error('full');
    },
  ],
  ['later', () => Promise.reject(new Error('full'))],
])(
  'a held message that a queue refuses %s takes no other with it',
  (_, refusal: () => never | Promise<never>) => {
    const { clock } = unevenClock();
    const injector = new FaultInjector(clock);
    const sent: unknown[] = [];
    const send = injector
      .aroundQueues(
        new Map([
          [
            'SendMessage',
            ({ MessageBody }) =>
              MessageBody === 'a' ? refusal() : { count: sent.push(MessageBody) },
          ],
        ]),
      )
      .get('SendMessage');
    injector.set('c1', { hold: true });
    const call = { endpoint: '', gone: new AbortController().signal };
    for (const MessageBody of ['a', 'b', 'c'])
      send?.({ QueueUrl: `/${queueName('c1')}`, MessageBody }, call);
    expect(sent).toEqual([]);
    injector.set('c1', {});
    expect(sent).toEqual(['b', 'c']);
  },
);
