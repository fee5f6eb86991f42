import { connect } from '../../../lib/kit/client/client.ts';
import { start, VirtualTime } from './virtual-time.ts';

describe('a token', () => {
  /** How many tokens were asked for when calls were made at these times, in milliseconds. */
  const tokensAt = async (seconds: number, ...times: readonly number[]) => {
    const time = new VirtualTime();
    let tokens = 0;
    const fetch = async (url: string) => {
      if (!url.endsWith('/token'))
        return Response.json({ visible: 0, in_flight: 0, oldest_seconds: null });
      tokens += 1;
      return Response.json({ access_token: `t${tokens}`, expires_in: seconds });
    };
    const { now, sleep, timeout } = time;
    const bus = connect({
      baseUrl: 'https://bus.example/v1',
      workspace: 'w1',
      clientId: 'c1',
      clientSecret: 'sbs_secret',
      outside: { now, sleep, timeout, fetch },
    });
    const counts: number[] = [];
    for (const at of times) {
      time.pass(start + at - time.now());
      await bus.backlog();
      counts.push(tokens);
    }
    return counts;
  };

  test('is renewed a minute before its end, and a short one after nine tenths of its time', async () => {
    expect(await tokensAt(3_600, 0, 3_539_999, 3_540_000)).toEqual([1, 1, 2]);
    expect(await tokensAt(100, 0, 89_999, 90_000)).toEqual([1, 1, 2]);
  });
});
