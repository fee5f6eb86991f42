import { connect } from '../../lib/client/index.ts';
import { VirtualTime } from './virtual-time.ts';

const unavailable = () => Response.json({ error: 'temporarily_unavailable' }, { status: 503 });
const token = () => Response.json({ access_token: 't1', expires_in: 3600 });
const backlog = () => Response.json({ visible: 0, in_flight: 0, oldest_seconds: null });

test('a call that joins a token request of a call with less time gets a token', async () => {
  const time = new VirtualTime();
  const answers = [unavailable, token, backlog];
  const { now, sleep, timeout } = time;
  const bus = connect({
    baseUrl: 'https://bus.example/v1',
    workspace: 'wnewsroom2345',
    clientId: 'cconsumer2345',
    clientSecret: 'sbs_secret',
    outside: {
      now,
      sleep,
      timeout,
      random: () => 0.5,
      fetch: async () => answers.shift()?.() ?? unavailable(),
    },
  });
  const [short, long] = await Promise.allSettled([
    bus.backlog({ deadline: 50 }),
    bus.backlog({ deadline: 20_000 }),
  ]);
  expect(short).toMatchObject({ status: 'rejected', reason: { name: 'Unanswered' } });
  expect(long).toMatchObject({ status: 'fulfilled', value: { outcome: 'backlog' } });
});
