import type { APIGatewayProxyEvent } from 'aws-lambda';
import { routes } from '../../lib/contract/routes.ts';
import { localEnv } from '../../lib/local/env.ts';
import { handlers, startSchedule } from '../../lib/local/functions.ts';
import type { ProxyHandler, RunContext } from '../../lib/wiring/function.ts';
import { tokenFunction } from '../../lib/wiring/tokens.ts';
import { type deferred, deferred as newDeferred } from '../support/deferred.ts';

type Made = Readonly<Record<string, unknown>>;
type Deferred = ReturnType<typeof deferred<void>>;

const mockRequests: { route: string; context: RunContext; end: Deferred }[] = [];
const mockMade: { function: Made; env: unknown; log: unknown }[] = [];
jest.mock('../../lib/wiring/function.ts', () => ({
  ...jest.requireActual('../../lib/wiring/function.ts'),
  lambda: (made: Made, env: unknown, log: unknown): ProxyHandler => {
    mockMade.push({ function: made, env, log });
    return async (event, context) => {
      const end = newDeferred<void>();
      mockRequests.push({ route: `${made['route']}`, context: context as RunContext, end });
      await end.promise;
      return { statusCode: 200, body: event.path };
    };
  },
}));

const mockRuns: { job: string; budget: number | undefined; end: Deferred }[] = [];
const mockScheduled: { job: string; env: unknown; instead: Made | undefined }[] = [];
jest.mock('../../lib/wiring/job.ts', () => ({
  scheduled: ({ job }: { job: string }, env: unknown, instead?: Made) => {
    mockScheduled.push({ job, env, instead });
    return (budget?: number) => {
      const end = newDeferred<void>();
      mockRuns.push({ job, budget, end });
      return end.promise;
    };
  },
}));

/** Waits that end when a test says so, or when they are given up. */
const mockWaits: { milliseconds: number; end: Deferred }[] = [];
jest.mock('node:timers/promises', () => {
  const wait = (milliseconds: number, _value: unknown, { signal }: { signal: AbortSignal }) => {
    const end = newDeferred<void>();
    mockWaits.push({ milliseconds, end });
    return new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      void end.promise.then(resolve);
    });
  };
  const names = Object.keys(jest.requireActual('node:timers/promises'));
  return Object.fromEntries(names.map(name => [name, wait]));
});

const engines = { dynamodb: 'http://d', sqs: 'http://s', kms: 'http://k', cloudwatch: 'http://c' };
const env = localEnv('http://127.0.0.1:8787', engines);
/** Lets go on what waits for nothing but promises that are resolved. */
const settled = () => new Promise(resolve => setImmediate(resolve));

beforeEach(() => {
  for (const list of [mockRequests, mockMade, mockRuns, mockScheduled, mockWaits]) list.splice(0);
});
afterEach(() => jest.restoreAllMocks());

describe('the functions of the local service', () => {
  const served = (limited = true) => handlers(env, route => `log of ${route}` as never, limited);
  const send = (handler: ProxyHandler, times = 1): Promise<unknown>[] =>
    Array.from({ length: times }, () => handler({ path: '/p' } as APIGatewayProxyEvent));
  const begun = () => mockRequests.map(({ route }) => route);

  test('serve every route with the function of its row, and with its log', () => {
    const all = Object.keys(routes).toSorted();
    expect(Object.keys(served()).toSorted()).toEqual(all);
    expect(mockMade.map(made => made.function['route']).toSorted()).toEqual(all);
    for (const made of mockMade)
      expect([made.env, made.log]).toEqual([env, `log of ${made.function['route']}`]);
  });

  test('pass on what is asked and answered', async () => {
    const [response] = send(served().health);
    await settled();
    mockRequests[0]?.end.resolve();
    expect(await response).toEqual({ statusCode: 200, body: '/p' });
  });

  test('count the tokens of a client only where callers are limited', async () => {
    const made = () => mockMade.find(each => each.function['route'] === 'token')?.function;
    served(true);
    expect(made()).toBe(tokenFunction);
    mockMade.splice(0);
    served(false);
    const uncounted = made() as unknown as typeof tokenFunction;
    expect(uncounted).toEqual({
      ...tokenFunction,
      ports: { ...tokenFunction.ports, tokenRequests: expect.any(Function) },
    });
    const { count } = uncounted.ports.tokenRequests({});
    expect(await count({} as never)).toBeUndefined();
  });

  test('serve forty-eight requests at once that send to queues, and as many others; polls take no turn', async () => {
    const { publish, 'iam-publish': signed, ack, token, pull } = served();
    send(publish, 40);
    send(signed, 10);
    await settled();
    expect(begun()).toHaveLength(48);
    expect(begun().slice(40)).toEqual(Array.from({ length: 8 }, () => 'iam-publish'));
    send(ack, 40);
    send(token, 10);
    await settled();
    expect(begun().slice(48)).toHaveLength(48);
    expect(begun().slice(88)).toEqual(Array.from({ length: 8 }, () => 'token'));
    send(pull, 100);
    await settled();
    expect(begun().slice(96)).toEqual(Array.from({ length: 100 }, () => 'pull'));
    mockRequests[0]?.end.resolve();
    await settled();
    expect(begun().slice(196)).toEqual(['iam-publish']);
  });

  test('have the time of their deployed functions, which runs while they wait for their turn', async () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(500);
    const { publish, pull } = served();
    send(publish, 49);
    send(pull);
    await settled();
    const left = (route: string) =>
      mockRequests.findLast(one => one.route === route)?.context.getRemainingTimeInMillis();
    expect([left('pull'), left('publish')]).toEqual([28_000, 25_000]);
    now.mockReturnValue(1_500);
    mockRequests[0]?.end.resolve();
    await settled();
    expect(mockRequests.at(-1)?.route).toBe('publish');
    expect([left('pull'), left('publish')]).toEqual([27_000, 24_000]);
  });
});

describe('the schedule of the local service', () => {
  const errors: unknown[] = [];
  const start = (budgets?: Parameters<typeof startSchedule>[2]) => {
    errors.splice(0);
    return startSchedule(env, (job, error) => void errors.push([job, error]), budgets);
  };
  const waits = () => mockWaits.map(({ milliseconds }) => milliseconds);
  const runs = () => mockRuns.map(({ job, budget }) => [job, budget]);
  const endWait = async (at: number) => {
    mockWaits[at]?.end.resolve();
    await settled();
  };
  const endRun = async (at: number, failure?: Error) => {
    mockRuns[at]?.end.resolve(failure ? (Promise.reject(failure) as never) : undefined);
    await settled();
  };

  test('runs four jobs again and again, each after its own seconds and for as long', async () => {
    const schedule = start({ replay: 7 });
    expect(mockScheduled.map(({ job }) => job)).toEqual(['relay', 'replay', 'checks', 'alerts']);
    for (const each of mockScheduled) expect(each.env).toBe(env);
    expect(waits()).toEqual([2_000, 2_000, 2_000, 5_000]);
    await settled();
    expect(runs()).toEqual([]);
    for (const at of [0, 1, 2, 3]) await endWait(at);
    expect(runs()).toEqual([
      ['relay', 2],
      ['replay', 7],
      ['checks', 2],
      ['alerts', 5],
    ]);
    expect(waits()).toHaveLength(4);
    await endRun(3);
    expect(waits().slice(4)).toEqual([5_000]);
    await endWait(4);
    expect(runs().slice(4)).toEqual([['alerts', 5]]);
    for (const at of [0, 1, 2, 4]) await endRun(at);
    await schedule.close();
    expect(errors).toEqual([]);
  });

  test('measures nothing of the relay, and leaves the other jobs as they are', async () => {
    await start().close();
    expect(mockScheduled.map(({ instead }) => Object.keys(instead ?? {}))).toEqual([
      ['metrics'],
      [],
      [],
      [],
    ]);
    const metrics = mockScheduled[0]?.instead?.['metrics'] as () => { report(): unknown };
    expect(metrics().report()).toBeUndefined();
  });

  test('tells of a run that failed, and repeats it', async () => {
    const schedule = start();
    const failure = new Error('The disk is full.');
    await endWait(1);
    await endRun(0, failure);
    expect(errors).toEqual([['replay', failure]]);
    await endWait(4);
    expect(runs()).toEqual([
      ['replay', 2],
      ['replay', 2],
    ]);
    await endRun(1);
    await schedule.close();
    expect(errors).toHaveLength(1);
  });

  test('starts a run at once when it is asked to, after those in progress', async () => {
    const schedule = start({ checks: 9 });
    await endWait(0);
    let isDone = false;
    const now = schedule.runNow().then(() => {
      isDone = true;
    });
    await settled();
    expect(runs()).toEqual([['relay', 2]]);
    await endRun(0, new Error('The run before has failed.'));
    expect(runs().slice(1)).toEqual([['relay', undefined]]);
    for (const at of [1, 2, 3]) await endRun(at);
    expect(isDone).toBe(false);
    await endRun(4);
    await now;
    expect(runs().slice(2)).toEqual([
      ['replay', undefined],
      ['checks', 9],
      ['alerts', undefined],
    ]);
    await schedule.close();
  });

  test('ends after the runs in progress, and starts no more', async () => {
    const schedule = start();
    await endWait(2);
    let isClosed = false;
    const closed = schedule.close().then(() => {
      isClosed = true;
    });
    await settled();
    expect(isClosed).toBe(false);
    await endRun(0);
    await closed;
    expect(runs()).toEqual([['checks', 2]]);
    expect(waits()).toHaveLength(4);
    expect(errors).toEqual([]);
  });
});
