import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connect } from '../../../lib/kit/client/index.ts';
import { type Outside, systemOutside } from '../../../lib/kit/client/outside.ts';
import { eventually } from '../../support/eventually.ts';
import { VirtualTime } from './virtual-time.ts';

const unavailable = () => Response.json({ error: 'temporarily_unavailable' }, { status: 503 });
const token = () => Response.json({ access_token: 't1', expires_in: 3600 });
const backlog = () => Response.json({ visible: 0, in_flight: 0, oldest_seconds: null });

/** A connection to a bus that answers like this, in virtual time. */
const busThat = (fetch: Outside['fetch']) => {
  const { now, sleep, timeout } = new VirtualTime();
  return connect({
    baseUrl: 'https://bus.example/v1',
    workspace: 'wnewsroom2345',
    clientId: 'cconsumer2345',
    clientSecret: 'sbs_secret',
    outside: { now, sleep, timeout, random: () => 0.5, fetch },
  });
};

test('a call that joins a token request of a call with less time gets a token', async () => {
  const responses = [unavailable, token, backlog];
  const bus = busThat(async () => responses.shift()?.() ?? unavailable());
  const [short, long] = await Promise.allSettled([
    bus.backlog({ deadline: 50 }),
    bus.backlog({ deadline: 20_000 }),
  ]);
  expect(short).toMatchObject({ status: 'rejected', reason: { name: 'NoResponse' } });
  expect(long).toMatchObject({ status: 'fulfilled', value: { outcome: 'backlog' } });
});

test('a call that is given up does not end the token request that another waits for', async () => {
  const asked: { response(response: Response): void }[] = [];
  const bus = busThat((url, init) =>
    String(url).endsWith('/oauth/token')
      ? new Promise((response, refuse) => {
          asked.push({ response });
          init?.signal?.addEventListener('abort', () => refuse(init.signal?.reason));
        })
      : Promise.resolve(backlog()),
  );
  const stop = new AbortController();
  const [left, stays] = [bus.backlog({ signal: stop.signal }), bus.backlog()];
  stop.abort(new Error('given up'));
  await expect(left).rejects.toThrow('given up');
  asked[0]?.response(token());
  expect(await stays).toMatchObject({ outcome: 'backlog' });
  expect(asked).toHaveLength(1);
});

test('a refusal of an old token does not drop the new one that another call got meanwhile', async () => {
  const held: ((response: Response) => void)[] = [];
  let tokens = 0;
  const refused = () => Response.json({ accepted: false, violations: [] }, { status: 401 });
  const bus = busThat(async (url, init) => {
    if (String(url).endsWith('/oauth/token')) {
      tokens += 1;
      return Response.json({ access_token: `t${tokens}`, expires_in: 3600 });
    }
    const isOld = new Headers(init?.headers).get('authorization') === 'Bearer t1';
    return isOld ? new Promise(response => held.push(response)) : backlog();
  });
  const [one, other] = [bus.backlog(), bus.backlog()];
  await eventually(() => held.length === 2);
  held[0]?.(refused());
  expect(await one).toMatchObject({ outcome: 'backlog' });
  held[1]?.(refused());
  expect(await other).toMatchObject({ outcome: 'backlog' });
  expect(tokens).toBe(2);
});

test('a time limit ends a request though garbage was collected meanwhile, and nothing else refers to it', () => {
  jest.useFakeTimers();
  try {
    const asked = new AbortController();
    const signal = AbortSignal.any([asked.signal, systemOutside.timeout(30_000)]);
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    jest.advanceTimersByTime(30_000);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  } finally {
    jest.useRealTimers();
  }
});
