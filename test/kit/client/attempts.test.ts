import {
  type Attempt,
  type Bounds,
  NoResponse,
  passing,
  type Request,
  sender,
} from '../../../lib/kit/client/attempts.ts';
import type { Outside } from '../../../lib/kit/client/outside.ts';
import type { FullResponse } from '../../../lib/kit/client/verdict.ts';

const start = 1_000_000;
/** The time limit of the attempts. */
let limit = new AbortController();
beforeEach(() => {
  limit = new AbortController();
});

const request: Request = {
  route: 'publish',
  url: 'https://bus.example/v1/tenants/w1/messages',
  init: { method: 'POST', body: 'x' },
  messageId: 'm1',
  timeoutMilliseconds: 35_000,
};

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of a response. */
  readonly thrown?: unknown;
  readonly takes?: number;
}

const violating = (status: number, rule?: string, headers = {}): Answer => ({
  status,
  body: { violations: rule === undefined ? [] : [{ rule }] },
  headers,
});

/** Sends a request to a bus that answers like this, in a time that passes only there. */
const sending = async (
  answers: readonly Answer[],
  { random = 0.5, deadline = start + 60_000, ...more }: Partial<Bounds> & { random?: number } = {},
  mayRetry?: Parameters<typeof sender>[2],
  about: Partial<Request> = {},
) => {
  const left = [...answers];
  const attempts: Attempt[] = [];
  const ofCall: Attempt[] = [];
  const slept: number[] = [];
  const timeouts: number[] = [];
  const inits: RequestInit[] = [];
  let now = start;
  const outside = {
    now: () => now,
    random: () => random,
    sleep: async (milliseconds: number) => {
      await new Promise(setImmediate);
      slept.push(milliseconds);
      now += milliseconds;
    },
    timeout: (milliseconds: number) => {
      timeouts.push(milliseconds);
      return limit.signal;
    },
    fetch: async (url: string, init: RequestInit) => {
      expect(url).toBe(request.url);
      inits.push(init);
      const { status, body, headers = {}, thrown, takes = 7 } = left.shift() ?? {};
      now += takes;
      if (status === undefined) throw thrown;
      const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
      return new Response(text, { status, headers });
    },
  } as unknown as Outside;
  const send = sender(outside, one => void attempts.push(one), mayRetry);
  const bounds = { deadline, onAttempt: (one: Attempt) => void ofCall.push(one), ...more };
  const outcome = await send({ ...request, ...about }, bounds).catch((error: unknown) => error);
  expect(ofCall).toEqual(attempts);
  return { outcome, attempts, slept, timeouts, inits, end: now };
};

test('a response has what the bus says beside its body', async () => {
  const headers = {
    'x-request-id': 'r1',
    'retry-after': '3',
    date: 'Mon, 04 May 2026 09:00:00 GMT',
    ratelimit: '"minute";r=5',
  };
  const { outcome, attempts, inits, timeouts } = await sending([
    { status: 202, body: 'accepted', headers },
  ]);
  const whole: FullResponse = {
    status: 202,
    text: 'accepted',
    requestId: 'r1',
    retryAfterSeconds: 3,
    date: 'Mon, 04 May 2026 09:00:00 GMT',
    rateLimit: '"minute";r=5',
    askedAt: start,
    mayBeDone: false,
  };
  expect(outcome).toEqual(whole);
  expect(attempts).toStrictEqual([
    {
      route: 'publish',
      number: 1,
      messageId: 'm1',
      milliseconds: 7,
      status: 202,
      requestId: 'r1',
    },
  ]);
  expect(inits).toEqual([{ ...request.init, redirect: 'manual', signal: limit.signal }]);
  expect(timeouts).toEqual([35_000]);
});

test('what a response does not say is absent', async () => {
  const { outcome, attempts } = await sending([{ status: 200 }], {}, undefined, {
    messageId: undefined,
  });
  expect(outcome).toEqual({ status: 200, text: '{}', askedAt: start, mayBeDone: false });
  expect(attempts).toStrictEqual([{ route: 'publish', number: 1, milliseconds: 7, status: 200 }]);
  const odd = { status: 200, headers: { 'retry-after': 'Mon, 04 May 2026 09:00:00 GMT' } };
  expect((await sending([odd])).outcome).not.toHaveProperty('retryAfterSeconds', expect.anything());
});

test('an attempt has the time that is left, and at least a millisecond', async () => {
  const deadline = start + 9_000;
  expect((await sending([{ status: 200 }], { deadline })).timeouts).toEqual([9_000]);
  expect((await sending([{ status: 200 }], { deadline: start })).timeouts).toEqual([1]);
});

describe('the same request again', () => {
  const lost = { thrown: new TypeError('fetch failed') };

  test('goes after a pause that doubles, up to twenty seconds', async () => {
    const failures = Array.from({ length: 10 }, () => violating(502));
    const { slept, attempts, outcome } = await sending([...failures, { status: 202 }], {
      deadline: start + 600_000,
    });
    const pauses = [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000];
    expect(slept).toEqual(pauses);
    expect(attempts.map(one => one.retryInMilliseconds)).toEqual([...pauses, undefined]);
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(attempts.at(-1)).not.toHaveProperty('retryInMilliseconds');
    // A proxy may have passed it on before it failed.
    expect(outcome).toMatchObject({ status: 202, mayBeDone: true });
  });

  test('waits as long as the bus asks for, and a random pause besides', async () => {
    const busy = violating(429, 'rate.exceeded', { 'retry-after': '4' });
    expect((await sending([busy, { status: 202 }])).slept).toEqual([4_100]);
    expect((await sending([busy, { status: 202 }], { random: 0 })).slept).toEqual([4_000]);
  });

  test.each([...passing])('goes after a %i', async status => {
    expect((await sending([violating(status), { status: 202 }])).slept).toEqual([100]);
  });

  test.each([400, 401, 403, 409, 500])('does not go after a %i', async status => {
    const { outcome, slept } = await sending([violating(status, 'any')]);
    expect([outcome, slept]).toEqual([expect.objectContaining({ status, mayBeDone: false }), []]);
  });

  test('does not go when a quota is used up, unless the bus says until when', async () => {
    const used = (headers = {}) => violating(429, 'quota.exceeded', headers);
    expect((await sending([used()])).slept).toEqual([]);
    expect((await sending([used({ 'retry-after': '2' }), { status: 202 }])).slept).toEqual([2_100]);
    expect((await sending([violating(429, 'rate.exceeded'), { status: 202 }])).slept).toEqual([
      100,
    ]);
  });

  test('does not go if it would begin at the deadline or later', async () => {
    const deadline = start + 107;
    const { outcome, attempts } = await sending([violating(503, 'any')], { deadline });
    expect(outcome).toMatchObject({ status: 503, mayBeDone: false });
    expect(attempts[0]).not.toHaveProperty('retryInMilliseconds');
    const later = { deadline: deadline + 1 };
    expect((await sending([violating(503, 'any'), { status: 202 }], later)).slept).toEqual([100]);
  });

  test('does not go if the caller wants none', async () => {
    const asked: unknown[] = [];
    const none = (one: unknown) => {
      asked.push(one);
      return false;
    };
    const { outcome, slept } = await sending([lost], {}, none);
    expect([slept, asked]).toEqual([[], [{ error: 'fetch failed' }]]);
    expect(outcome).toMatchObject({ attempts: 1, cause: lost.thrown });
  });

  test.each([
    ['the bus refused it', violating(503, 'registry.unavailable'), false],
    ['the bus does not know', violating(503, 'bus.publish_failed'), true],
    ['a proxy answered', violating(504), true],
    ['nobody answered', lost, true],
  ])('may have been done before: %s', async (_what, first, mayBeDone) => {
    const { outcome } = await sending([first, violating(400, 'any')]);
    expect(outcome).toMatchObject({ status: 400, mayBeDone });
  });
});

describe('no response', () => {
  test.each([
    [0, 'time'],
    [1, '1 attempt'],
    [2, '2 attempts'],
  ])('after %i attempts is told', (attempts, words) => {
    const cause = new Error('any');
    const error = new NoResponse('https://bus.example/v1/x?y=z', attempts, cause);
    expect(error.message).toBe(`https://bus.example gave no response in ${words}.`);
    expect([error.attempts, error.cause]).toEqual([attempts, cause]);
  });

  const coded = Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED' });
  test.each<[string, unknown]>([
    ['ECONNREFUSED', new TypeError('fetch failed', { cause: coded })],
    ['fetch failed', new TypeError('fetch failed', { cause: new Error('any') })],
    ['fetch failed', new TypeError('fetch failed', { cause: { code: 'ODD' } })],
    ['fetch failed', new TypeError('fetch failed')],
    ['odd', 'odd'],
  ])('has the words %s', async (error, thrown) => {
    const { outcome, attempts, slept } = await sending([{ thrown }, { thrown }], {
      deadline: start + 120,
    });
    expect(slept).toEqual([100]);
    expect(attempts).toEqual([
      {
        ...{ route: 'publish', messageId: 'm1', number: 1, milliseconds: 7, error },
        retryInMilliseconds: 100,
      },
      { route: 'publish', messageId: 'm1', number: 2, milliseconds: 7, error },
    ]);
    expect(outcome).toBeInstanceOf(NoResponse);
    expect(outcome).toMatchObject({ attempts: 2, cause: thrown });
  });

  test('is not told of a call that was given up', async () => {
    const stop = new AbortController();
    const { signal } = stop;
    const thrown = new TypeError('fetch failed');
    const given = sending([{ thrown }], { signal });
    stop.abort(new Error('given up'));
    expect((await given).outcome).toEqual(new Error('given up'));
    const before = await sending([{ status: 200 }], { signal });
    expect([before.outcome, before.inits]).toEqual([new Error('given up'), []]);
  });

  test('can be ended by the caller, and by the time limit', async () => {
    const stop = new AbortController();
    const { inits } = await sending([{ status: 200 }], { signal: stop.signal });
    const [{ signal } = {}] = inits;
    expect(signal?.aborted).toBe(false);
    stop.abort();
    expect(signal?.aborted).toBe(true);
    const other = await sending([{ status: 200 }], { signal: new AbortController().signal });
    expect(other.inits[0]?.signal?.aborted).toBe(false);
    limit.abort();
    expect(other.inits[0]?.signal?.aborted).toBe(true);
  });
});
