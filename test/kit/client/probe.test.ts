import { NoResponse } from '../../../lib/kit/client/attempts.ts';
import { probe } from '../../../lib/kit/client/probe.ts';
import { VirtualTime } from './virtual-time.ts';

const account = {
  baseUrl: 'https://bus.example/v1',
  workspace: 'wnewsroom2345',
  producer: { id: 'cproducer2345', secret: 'sbs_producer' },
  consumer: { id: 'cconsumer2345', secret: 'sbs_consumer' },
};

const random = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);

interface Sent {
  readonly message_id: string;
  readonly payload: object;
}

const record = (message: Sent, receipt_handle: string) => ({
  envelope: message,
  receipt_handle,
  message_id: message.message_id,
  message_type: 'story.context',
  correlation_id: 'k',
  producer_id: 'p',
  system_id: 'sombus-probe',
  enqueued_at: '2026-05-04T09:00:00Z',
  receive_count: 1,
});

const refused = (status: number) =>
  Response.json({ accepted: false, violations: [{ rule: 'any.rule' }] }, { status });

/** A bus that notes what it is asked; `changed` are its answers to some calls. */
const busThat = (changed: Readonly<Record<string, (message: Sent) => Response>> = {}) => {
  const time = new VirtualTime();
  const asked: string[] = [];
  const sent: Sent[] = [];
  const settled: unknown[] = [];
  const body = (init: RequestInit) => JSON.parse(Buffer.from(init.body as never).toString());
  const answers: Readonly<Record<string, (init: RequestInit) => Response>> = {
    token: () => Response.json({ access_token: `t${asked.length}`, expires_in: 3600 }),
    validate: () => Response.json({ accepted: true, dry_run: true, message_id: 'm' }),
    messages: () => Response.json({ accepted: true, message_id: 'm' }, { status: 202 }),
    pull: () => Response.json({ messages: sent.slice(-1).map(one => record(one, 'own')) }),
    ack: init => Response.json({ ok: body(init).receipt_handles, failed: [] }),
    nack: init => Response.json({ ok: body(init).receipt_handles, failed: [] }),
  };
  const outside = {
    now: time.now,
    sleep: time.sleep,
    timeout: time.timeout,
    random: () => 0.5,
    randomBytes: (count: number) => {
      if (count !== 10) throw new Error('An id takes ten random bytes.');
      return random.slice(0, count);
    },
    fetch: async (url: string, init: RequestInit) => {
      await new Promise(setImmediate);
      const { pathname, search } = new URL(url);
      const last = pathname.split('/').at(-1) ?? '';
      const name = search === '' ? last : 'pull';
      asked.push(`${pathname.replace('/v1/', '')}${search}`);
      if (name === 'validate' || name === 'messages') sent.push(body(init));
      // What is returned takes its time.
      for (let turn = 0; name === 'nack' && turn < 20; turn += 1) await new Promise(setImmediate);
      if (name === 'ack' || name === 'nack') settled.push([name, body(init).receipt_handles]);
      const message = sent.at(-1) as Sent;
      return changed[name]?.(message) ?? answers[name]?.(init) ?? refused(404);
    },
  };
  return { asked, sent, settled, time, run: () => probe(account, outside) };
};

const queue = 'tenants/wnewsroom2345/consumers/cconsumer2345';

test('a probe goes once through all that the bus is for, with a message that is valid', async () => {
  const { asked, sent, settled, run } = busThat();
  await run();
  expect(asked).toEqual([
    'oauth/token',
    'tenants/wnewsroom2345/validate',
    'tenants/wnewsroom2345/messages',
    'oauth/token',
    `${queue}/messages?max=10&wait=5&visibility=60`,
    `${queue}/ack`,
  ]);
  expect(settled).toEqual([['ack', ['own']]]);
  const [tried, published] = sent;
  expect(published).toEqual(tried);
  expect(published).toEqual({
    som_version: '1.0.0',
    message_id: '019df237-3e80-7102-8304-05060708090a',
    correlation_id: '019df237-3e80-7102-8304-05060708090a',
    message_type: 'story.context',
    timestamp: '2026-05-04T09:00:00.000Z',
    originating_system: { system_id: 'sombus-probe', system_type: 'custom' },
    topic: 'som.story.context',
    payload: {
      story_id: 'probe-019df237-3e80-7102-8304-05060708090a',
      slug: 'PROBE',
      headline: 'A probe of the bus',
      story_type: 'PLANNED',
      sequence_number: 1,
      updated_at: '2026-05-04T09:00:00.000Z',
    },
  });
});

test('it returns at once what other probes sent, and goes on until its own message is there', async () => {
  let pulls = 0;
  const other = { message_id: 'other', payload: {} };
  const { settled, run } = busThat({
    pull: message => {
      pulls += 1;
      const found = [[], [record(other, 'o1')], [record(other, 'o2'), record(message, 'own')]];
      return Response.json({ messages: found[pulls - 1] ?? [] });
    },
  });
  await run();
  expect(settled).toEqual([
    ['nack', ['o1']],
    ['nack', ['o2']],
    ['ack', ['own']],
  ]);
});

test('a message that is not there 25 seconds after it was accepted has not arrived', async () => {
  const pulledFor = async (milliseconds: number) => {
    let pulls = 0;
    const bus = busThat({
      pull: () => {
        pulls += 1;
        bus.time.pass(milliseconds);
        return Response.json({ messages: [] });
      },
    });
    await expect(bus.run()).rejects.toThrow(
      /^The probe's message 019df237-.* was accepted, but did not arrive in its queue\.$/,
    );
    return pulls;
  };
  expect([await pulledFor(12_500), await pulledFor(12_501)]).toEqual([3, 2]);
  expect([await pulledFor(25_000), await pulledFor(25_001)]).toEqual([2, 1]);
});

test.each([
  ['dry run', 'validate'],
  ['publish', 'messages'],
  ['pull', 'pull'],
  ['ack', 'ack'],
])('a refused %s is told', async (step, name) => {
  const { run, asked } = busThat({ [name]: () => refused(400) });
  const result = {
    outcome: 'refused',
    status: 400,
    violations: [{ source: '', rule: 'any.rule', message: '' }],
  };
  await expect(run()).rejects.toThrow(`The probe's ${step} failed: ${JSON.stringify(result)}`);
  expect(asked.at(-1)).toContain(name === 'pull' ? 'messages?' : name);
});

test('a call is tried for ten seconds, and then told with its cause', async () => {
  const attemptsOf = async (milliseconds: number) => {
    const bus = busThat({
      validate: () => {
        bus.time.pass(milliseconds);
        throw new TypeError('fetch failed');
      },
    });
    const failed = await bus.run().catch((error: unknown) => error);
    expect(failed).toMatchObject({
      message: expect.stringMatching(/^The probe's dry run failed: NoResponse: https:/),
      cause: expect.any(NoResponse),
    });
    return (failed as { cause: NoResponse }).cause.attempts;
  };
  // The first pause is a tenth of a second: it ends at ten seconds, or just before.
  expect([await attemptsOf(9_900), await attemptsOf(9_899)]).toEqual([1, 2]);
});
