import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { queueName } from '../../lib/contract/environments.ts';
import type { Faults } from '../../lib/contract/faults.ts';
import type { EngineClock } from '../../lib/local/engines/machine.ts';
import { readOneTimeKey } from '../../lib/local/engines/oidc/issuer.ts';
import { FaultInjector, faultsControl, faultsKey, milliseconds } from '../../lib/local/faults.ts';
import { derivedSecret } from '../../lib/local/sign-in.ts';
import { proxyResult } from '../../lib/platform/http/respond.ts';
import { response } from '../../lib/platform/http/response.ts';
import { FrozenClock } from './engines/support/frozen-clock.ts';

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

test('the faults of requests are a producer’s, too', () => {
  const injector = new FaultInjector(unevenClock().clock);
  const faults: Faults = { refuse: { status: 503, times: 1 }, loseResponses: 1, slow: 5 };
  injector.set('c1', faults, 'producer');
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

/** A queue's own `SendMessage` with faults before it, and what comes into the queue. */
const queueHere = () => {
  const clock = new FrozenClock();
  const injector = new FaultInjector(clock);
  const sent: (readonly unknown[])[] = [];
  const operations = new Map([
    [
      'SendMessage',
      (input: Readonly<Record<string, unknown>>) => ({
        count: sent.push([input['MessageBody'], input['MessageDeduplicationId']]),
      }),
    ],
  ]);
  const faulty = injector.aroundQueues(operations).get('SendMessage');
  const call = { endpoint: '', gone: new AbortController().signal };
  const send = (MessageBody: string, connection = 'c1') => {
    const QueueUrl = `http://sqs/0/${queueName(connection)}`;
    return faulty?.({ QueueUrl, MessageBody, MessageDeduplicationId: 'id' }, call);
  };
  return { clock, injector, sent, send };
};

test('a message comes again at once and once more later, each time under an id of its own', () => {
  const { clock, injector, sent, send } = queueHere();
  injector.set('c1', { duplicate: true, redeliver: '5s' });
  send('m');
  send('n', 'c2');
  clock.advance(4_999);
  const first = [
    ['m', 'id'],
    ['m', 'id-again'],
    ['n', 'id'],
  ];
  expect(sent).toEqual(first);
  clock.advance(1);
  expect(sent).toEqual([...first, ['m', 'id-late']]);
});

test('a delay that ends sends what it held, once', () => {
  const { clock, injector, sent, send } = queueHere();
  injector.set('c1', { delay: '1h' });
  expect(send('m')).toEqual({});
  clock.advance(3_599_999);
  expect(sent).toEqual([]);
  injector.set('c1', {});
  expect(sent).toEqual([['m', 'id']]);
  clock.advance(3_600_000);
  expect(sent).toEqual([['m', 'id']]);
});

test('each delayed message comes at its own time', () => {
  const { clock, injector, sent, send } = queueHere();
  injector.set('c1', { delay: '1h' });
  send('m');
  clock.advance(1_800_000);
  send('n');
  send('o');
  clock.advance(1_800_000);
  expect(sent).toEqual([['m', 'id']]);
  clock.advance(1_799_999);
  expect(sent).toHaveLength(1);
  clock.advance(1);
  expect(sent.slice(1)).toEqual([
    ['n', 'id'],
    ['o', 'id'],
  ]);
});

test('a copy that would come later comes at the end of the service, unless it was forgotten', () => {
  const { clock, injector, sent, send } = queueHere();
  injector.set('c1', { redeliver: '5s' });
  send('m');
  injector.end();
  injector.end();
  expect(sent).toEqual([
    ['m', 'id'],
    ['m', 'id-late'],
  ]);
  injector.set('c1', { redeliver: '5s' });
  send('n');
  injector.clear();
  injector.end();
  clock.advance(5_000);
  expect(sent.slice(2)).toEqual([['n', 'id']]);
  injector.set('c1', { redeliver: '5s' });
  send('o');
  clock.advance(5_000);
  injector.end();
  expect(sent.slice(3)).toEqual([
    ['o', 'id'],
    ['o', 'id-late'],
  ]);
});

test('a delay of nothing is none, at whatever time', () => {
  const clock = new FrozenClock(0);
  const injector = new FaultInjector(clock);
  const sent: unknown[] = [];
  const operations = new Map([['SendMessage', () => ({ count: sent.push('m') })]]);
  injector.set('c1', { delay: 0 });
  const call = { endpoint: '', gone: new AbortController().signal };
  const send = injector.aroundQueues(operations).get('SendMessage');
  send?.({ QueueUrl: `/${queueName('c1')}`, MessageBody: 'm' }, call);
  clock.advance(0);
  expect(sent).toEqual(['m']);
});

test('what is no duration is named', () => {
  expect([milliseconds('2s'), milliseconds(7)]).toEqual([2_000, 7]);
  expect(() => milliseconds('soon' as never)).toThrow(
    new TypeError('"soon" is not a duration: write 250ms, 5s, 15m, 2h or 7d.'),
  );
});

test('a queue that takes no messages stays as it is', () => {
  const none = new Map();
  expect(new FaultInjector(new FrozenClock()).aroundQueues(none)).toBe(none);
  expect([...none]).toEqual([]);
});

test('nobody’s role is looked up while there are no faults', async () => {
  const injector = new FaultInjector(new FrozenClock());
  const ofRole = jest.fn(async () => 'c1');
  injector.set('c1', {});
  const { 'iam-publish': publish } = injector.around(handlers, ofRole);
  const event = { requestContext: { requestId: 'r', identity: { userArn: 'arn' } } };
  await publish(event as unknown as Parameters<typeof publish>[0]);
  expect(ofRole).not.toHaveBeenCalled();
});

test.each([
  [
    'at the end, what waits is sent at once',
    'end',
    [
      ['m', 'id'],
      ['k', 'id'],
    ],
  ],
  ['when messages are forgotten, what waits is dropped', 'clear', []],
] as const)('%s', (_, what, expected) => {
  const { clock, injector, sent, send } = queueHere();
  injector.set('c1', { delay: '1h' });
  send('m');
  injector.set('c2', { hold: true });
  send('k', 'c2');
  injector[what]();
  expect([sent, injector.list(), clock.pending]).toEqual([expected, {}, 0]);
  clock.advance(3_600_000);
  expect(sent).toEqual(expected);
});

describe('a request of a connection', () => {
  const asking = async (injector: FaultInjector) => {
    const { pull } = injector.around(handlers, noRole);
    const request = { requestContext: { requestId: 'r', authorizer: { connection: 'c1' } } };
    const { statusCode, headers, body } = await pull(
      request as unknown as Parameters<typeof pull>[0],
    );
    return [statusCode, headers?.['retry-after'], /"rule":"([\w.]+)"/.exec(body)?.[1]];
  };

  test('is refused as often as is said: once, if nothing is said', async () => {
    const { injector } = queueHere();
    injector.set('c1', { refuse: { status: 429, retryAfter: 7 } });
    expect(await asking(injector)).toEqual([429, '7', 'rate.limited']);
    expect(await asking(injector)).toEqual([200, undefined, undefined]);
    injector.set('c1', { refuse: { status: 503 } });
    const [status, , rule] = await asking(injector);
    expect([status, rule]).toEqual([503, 'registry.unavailable']);
    injector.set('c1', { refuse: { status: 429, times: 0 } });
    expect((await asking(injector))[0]).toBe(200);
  });

  test('is answered as late as is said', async () => {
    const { clock, injector } = queueHere();
    injector.set('c1', { slow: '2s' });
    let isAnswered = false;
    const answer = asking(injector).finally(() => {
      isAnswered = true;
    });
    await new Promise(resolve => setImmediate(resolve));
    expect([clock.pending, isAnswered]).toEqual([1, false]);
    clock.advance(2_000);
    expect((await answer)[0]).toBe(200);
    expect(injector.loses('r')).toBe(false);
  });

  test('loses only a response that there is', async () => {
    const { injector } = queueHere();
    const failing = { pull: () => Promise.reject(new Error('broken')) } as unknown as Around[0];
    const { pull } = injector.around(failing, noRole);
    injector.set('c1', { loseResponses: 1 });
    const request = { requestContext: { requestId: 'r', authorizer: { connection: 'c1' } } };
    await expect(pull(request as unknown as Parameters<typeof pull>[0])).rejects.toThrow('broken');
    expect([injector.list(), injector.loses('r')]).toEqual([{ c1: { loseResponses: 1 } }, false]);
  });

  test('loses its response once', async () => {
    const { injector } = queueHere();
    injector.set('c1', { loseResponses: 1 });
    expect((await asking(injector))[0]).toBe(200);
    expect([injector.loses('r'), injector.loses('r')]).toEqual([true, false]);
    injector.set('c1', { loseResponses: 1 });
    await asking(injector);
    injector.clear();
    expect(injector.loses('r')).toBe(false);
  });
});

test.each<[unknown, string]>([
  [[], 'Faults are an object.'],
  [
    { late: 1 },
    'There is no fault "late", only ' +
      'duplicate, delay, hold, redeliver, refuse, loseResponses, slow.',
  ],
  [{ duplicate: 1 }, 'The fault "duplicate" cannot be 1.'],
  [{ delay: -1 }, 'The fault "delay" cannot be -1.'],
  [{ delay: 'soon' }, 'The fault "delay" cannot be "soon".'],
  [{ slow: true }, 'The fault "slow" cannot be true.'],
  [{ loseResponses: 1.5 }, 'The fault "loseResponses" cannot be 1.5.'],
  [{ loseResponses: -1 }, 'The fault "loseResponses" cannot be -1.'],
  [{ refuse: null }, 'The fault "refuse" cannot be null.'],
  [{ refuse: { status: 500 } }, 'The fault "refuse" cannot be {"status":500}.'],
  [{ refuse: { status: 429, times: -1 } }, 'cannot be {"status":429,"times":-1}.'],
  [{ refuse: { status: 429, retryAfter: 0.5 } }, 'cannot be {"status":429,"retryAfter":0.5}.'],
  [{ refuse: { status: 503, after: 1 } }, 'cannot be {"status":503,"after":1}.'],
])('%j are no faults', (faults, words) => {
  const { injector } = queueHere();
  expect(() => injector.set('c1', faults as Faults)).toThrow(words);
  expect(injector.list()).toEqual({});
});

test.each<Faults>([
  { delay: 0 },
  { redeliver: '250ms' },
  { slow: '7d' },
  { refuse: { status: 503, times: 1, retryAfter: 0 } },
])('%j are faults', faults => {
  const { injector } = queueHere();
  injector.set('c1', faults);
  expect(injector.list()).toEqual({ c1: faults });
});

describe('the faults of a service are set', () => {
  const operator = { accessKeyId: 'AKIAOPERATOR', secretAccessKey: 'secret' };

  test('with a key for them alone, for a minute', () => {
    const secret = derivedSecret(operator, 'faults');
    expect(readOneTimeKey(secret, faultsKey(operator, 1_000), 1_000)).toEqual({
      name: 'faults',
      until: 61_000,
    });
  });

  /** The answer to a request of somebody, a while after the key was made. */
  const asked = async ({
    method = 'GET',
    body = '',
    path = '/local/faults',
    from = '127.0.0.1',
    later = 0,
    key = faultsKey(operator, 1_000),
  }) => {
    const { injector } = queueHere();
    const control = faultsControl(injector, operator, () => 1_000 + later);
    const request = Object.assign(Readable.from([Buffer.from(body)]), {
      method,
      headers: { authorization: `Bearer ${key}` },
      socket: { remoteAddress: from },
    });
    return control(path, request as unknown as IncomingMessage);
  };

  test.each([
    ['from elsewhere', { from: '10.0.0.1' }],
    ['after a minute', { later: 60_000 }],
    ['without the key', { key: '' }],
    ['at another path', { path: '/local/fault' }],
  ])('not %s', async (_, request) => {
    expect(await asked(request)).toBeUndefined();
  });

  test.each([[{ from: '::1' }], [{ from: '::ffff:127.0.0.1' }], [{ later: 59_999 }]])(
    'by who has the key on this machine: %j',
    async request => {
      expect(await asked(request)).toMatchObject({ status: 200, body: { faults: {} } });
    },
  );

  const wanted = JSON.stringify({ connection: 'c1', kind: 'consumer', faults: { hold: true } });
  test.each([
    [wanted, 200, { faults: { c1: { hold: true } } }],
    [wanted.padEnd(4_096), 200, { faults: { c1: { hold: true } } }],
    [wanted.padEnd(4_097), 400, { error: 'Faults are an object.' }],
    ['[]', 400, { error: 'Faults are an object.' }],
    [wanted.replace('consumer', 'producer'), 400, { error: 'The fault "hold" is for consumers.' }],
  ])('to what a body says: %.60s', async (body, status, answer) => {
    expect(await asked({ method: 'PUT', body })).toMatchObject({ status, body: answer });
  });
});
