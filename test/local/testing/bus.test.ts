import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type Draft, type SomMessage } from '../../../lib/kit/client/index.ts';
import { startBus, type TestBus, type TestConnection } from '../../../lib/local/testing/index.ts';
import { temporaryFolder } from '../../support/service-process.ts';

let bus: TestBus;
let producer: TestConnection;
let consumer: TestConnection;
beforeEach(async () => {
  bus = await startBus();
  producer = await bus.producer({ systems: ['demo-ncs'] });
  consumer = await bus.consumer();
});
afterEach(() => bus.close());

const correlation = '7b1f6d2c-93a4-4b1e-8a57-2f0c9d3e6b11';

/** A message with a number, all of one correlation. */
const numbered = (n: number): Draft<'asset.ingested'> => ({
  message_type: 'asset.ingested',
  correlation_id: correlation,
  payload: { n },
});

const send = async (...numbers: readonly number[]): Promise<readonly SomMessage[]> => {
  const messages = numbers.map(n => producer.compose(numbered(n)));
  for (const message of messages)
    expect((await producer.publish(message)).outcome).toBe('accepted');
  return messages;
};

/** The numbers of the next messages in the queue, which are acknowledged. */
const received = async (from = consumer): Promise<readonly unknown[]> => {
  const numbers: unknown[] = [];
  for await (const { message } of from.consume({ wait: 0, untilEmpty: true }))
    numbers.push(Object(message.payload).n);
  return numbers;
};

describe('connections', () => {
  test('each has the permissions that it was given', async () => {
    const limited = await bus.producer({ systems: ['desk'], grants: ['link.*'] });
    const verdict = await limited.publish(limited.compose(numbered(1)));
    expect(verdict).toMatchObject({
      outcome: 'refused',
      violations: [{ rule: 'producer.message_type_not_allowed' }],
    });
    const other = await bus.consumer({ receives: ['link.*'] });
    const elsewhere = await bus.consumer({ sources: ['desk'] });
    await send(1);
    expect(await received()).toEqual([1]);
    expect([await received(other), await received(elsewhere)]).toEqual([[], []]);
  });

  test('a consumer that is made after a publish gets what comes next', async () => {
    await send(1);
    const late = await bus.consumer();
    await send(2);
    expect(await received(late)).toEqual([2]);
  });

  test('other programs can use them', async () => {
    const { baseUrl, workspace, clientId, clientSecret } = producer.options;
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    });
    for (const url of [`${baseUrl}/oauth/token`, new URL('oauth/token', baseUrl)])
      expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
    expect([workspace, baseUrl]).toEqual([bus.workspace, bus.baseUrl]);
  });

  test('route.not_found: a base URL without its final slash, resolved against, says so', async () => {
    const response = await fetch(new URL('oauth/token', bus.baseUrl.replace(/\/$/, '')), {
      method: 'POST',
    });
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining('did you mean /v1/oauth/token?'),
    ]);
  });

  test('a file of connections is there from the start', async () => {
    const newsroom = await startBus({ connections: 'examples/newsroom.yaml' });
    const ncs = newsroom.connection('ncs', 'producer');
    const verdict = await ncs.publish(ncs.compose(numbered(1)));
    expect(verdict).toMatchObject({ violations: [{ rule: 'producer.message_type_not_allowed' }] });
    expect(newsroom.connection('mam', 'consumer').id).toMatch(/^c/);
    expect(() => newsroom.connection('nobody', 'producer')).toThrow('no producer "nobody"');
    await newsroom.close();
  });

  test('a file of connections with errors is refused with all of them', async () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'connections.yaml');
    writeFileSync(path, 'connections: { a: {}, b: { app: 7, producer: } }');
    await expect(startBus({ connections: path })).rejects.toThrow(
      /a: name a producer, a consumer or both\.\nb\.app: a text is expected\./,
    );
    folder.remove();
  });
});

describe('expect', () => {
  test('finds a message by the members that are named, and keeps those before it', async () => {
    await send(1, 2);
    const { message } = await bus.expect(consumer, { payload: { n: 2 } });
    expect(message.correlation_id).toBe(correlation);
    expect(
      (await bus.expect(consumer, ({ payload }) => Object(payload).n === 1)).receiveCount,
    ).toBe(1);
    expect(await received()).toEqual([]);
  });

  test('takes functions and matchers in the place of values', async () => {
    await send(7);
    const odd = (n: number) => n % 2 === 1;
    await bus.expect(consumer, { message_id: expect.any(String), payload: { n: odd } });
  });

  test('takes {} for any message, and for any object', async () => {
    await send(1, 2);
    expect((await bus.expect(consumer, {})).message).toMatchObject({ payload: { n: 1 } });
    await bus.expect(consumer, { payload: {} });
  });

  test('wants lists of the same length', async () => {
    const tags = (...values: readonly string[]) =>
      values.map(value => ({ scheme: 'newsroom', value }));
    const payload = { n: 1, tags: tags('fire', 'harbour') };
    await producer.publish(producer.compose({ ...numbered(1), payload }));
    const wanted = (...values: readonly string[]) => ({ payload: { tags: tags(...values) } });
    await send(2);
    await bus.expect(consumer, { payload: { n: 2 } });
    await expect(bus.expect(consumer, wanted('fire'), { within: 0 })).rejects.toThrow(
      'payload.tags',
    );
    await bus.expect(consumer, wanted('fire', 'harbour'));
  });

  test('waits for a message that is still to come', async () => {
    const coming = bus.expect(consumer, { payload: { n: 3 } }, { within: '1m' });
    await send(3);
    await coming;
  });

  test('says what came instead, and where the closest message differs', async () => {
    const [first, second] = await send(1, 2);
    await bus.expect(consumer, { payload: { n: 1 } });
    await send(1);
    await bus.expect(consumer, { payload: { n: 1 } });
    const wanted = { message_type: 'asset.ingested', topic: 'som.other', payload: { n: 3 } };
    await expect(bus.expect(consumer, wanted, { within: 0 })).rejects.toThrow(
      [
        'One message came within 0, but not the expected one.',
        `The closest is asset.ingested ${second?.message_id}:`,
        '  topic      expected "som.other", received "som.asset.ingested"',
        '  payload.n  expected 3, received 2',
      ].join('\n'),
    );
    expect(first?.message_id).not.toBe(second?.message_id);
  });

  test('says which member is missing', async () => {
    const [message] = await send(1, 2);
    await bus.expect(consumer, { payload: { n: 2 } });
    const wanted = { message_type: 'asset.ingested', payload: { m: 1 } };
    await expect(bus.expect(consumer, wanted, { within: 0 })).rejects.toThrow(
      `The closest is asset.ingested ${message?.message_id}:\n  payload.m  expected 1, received nothing`,
    );
  });

  test('has acknowledged what it gives', async () => {
    await send(1);
    const acknowledged: string[] = [];
    const slow: TestConnection = {
      ...consumer,
      pull: consumer.pull,
      ack: async (handles, options) => {
        const result = await consumer.ack(handles, options);
        acknowledged.push(...handles);
        return result;
      },
    };
    const { receiptHandle } = await bus.expect(slow, {});
    expect(acknowledged).toEqual([receiptHandle]);
  });

  test('says when nothing came', async () => {
    await expect(bus.expect(consumer, {}, { within: '1ms' })).rejects.toThrow(
      'No message came within 1ms.',
    );
  });
});

describe('clock.advance', () => {
  test('ends tokens, which clients renew', async () => {
    await send(1);
    const asked: string[] = [];
    const now = () => bus.clock.now().getTime();
    const watching = connect({
      ...producer.options,
      system: { system_id: 'demo-ncs', system_type: 'ncs' },
      outside: { now },
      onAttempt: ({ route }) => asked.push(route),
    });
    await watching.publish(watching.compose(numbered(2)));
    await bus.clock.advance('2h');
    await watching.publish(watching.compose(numbered(3)));
    expect(asked).toEqual(['token', 'publish', 'token', 'publish']);
  });

  test('makes pulled messages visible again', async () => {
    await send(1);
    await consumer.pull({ visibility: 300 });
    expect(await received()).toEqual([]);
    await bus.clock.advance('5m');
    expect(await received()).toEqual([1]);
  });

  test('lets a message id be used again after its seven days', async () => {
    const [message] = await send(1);
    const changed = JSON.stringify({ ...message, payload: { n: 2 } });
    expect(await producer.publish(changed)).toMatchObject({
      violations: [{ rule: 'message_id.reused' }],
    });
    await bus.clock.advance('8d');
    expect(await producer.publish(changed)).toMatchObject({ outcome: 'accepted' });
  });

  test('empties queues after their fourteen days', async () => {
    await send(1);
    await bus.clock.advance('15d');
    expect(await received()).toEqual([]);
  });

  test('refills rates', async () => {
    const limited = await startBus({ limits: true, tier: 'minimal' });
    const one = await limited.consumer();
    const ask = () => one.pull({}, { deadline: 86_400_000 });
    let paused = 0;
    const watching = connect({
      ...one.options,
      // A pause of this client ends when it is told to.
      outside: {
        now: () => limited.clock.now().getTime(),
        sleep: () => {
          paused += 1;
          return limited.clock.advance('1s');
        },
      },
    });
    const many = Array.from({ length: 200 }, () => watching.pull({}, { deadline: 86_400_000 }));
    for (const response of await Promise.all(many)) expect(response.outcome).toBe('pulled');
    expect(paused).toBeGreaterThan(0);
    expect((await ask()).outcome).toBe('pulled');
    await limited.close();
  });

  test('refuses what is no duration', async () => {
    await expect(bus.clock.advance('soon' as never)).rejects.toThrow('"soon" is not a duration');
    await expect(bus.clock.advance(-5_000)).rejects.toThrow('"-5000" is not a duration');
  });
});

describe('faults', () => {
  test('duplicate: each message comes twice', async () => {
    bus.faults(consumer, { duplicate: true });
    await send(1, 2);
    bus.faults(consumer, {});
    await send(3);
    expect(await received()).toEqual([1, 1, 2, 2, 3]);
  });

  test('delay: messages come later, in their order', async () => {
    bus.faults(consumer, { delay: '1h' });
    await send(1);
    bus.faults(consumer, { delay: '1m' });
    await send(2);
    await bus.clock.advance('59m');
    expect(await received()).toEqual([]);
    await bus.clock.advance('1m');
    expect(await received()).toEqual([1, 2]);
  });

  test('delay: what is still delayed comes when it ends, before what follows', async () => {
    bus.faults(consumer, { delay: '1h' });
    await send(1, 2);
    bus.faults(consumer, {});
    await send(3);
    bus.faults(consumer, { delay: '2h' });
    await send(4);
    expect(await received()).toEqual([1, 2, 3]);
    await bus.clock.advance('1h');
    expect(await received()).toEqual([]);
  });

  test.each([
    [{ dublicate: true }, 'There is no fault "dublicate"'],
    [{ delay: 'soon' }, 'The fault "delay" cannot be "soon"'],
    [{ refuse: { status: 500 } }, 'The fault "refuse" cannot be'],
  ])('%j is refused', (wrong, words) => {
    expect(() => bus.faults(consumer, wrong as never)).toThrow(words);
  });

  test('of consumers are refused for a producer', () => {
    expect(() => bus.faults(producer, { hold: true })).toThrow(
      'The fault "hold" is for consumers.',
    );
  });

  test('hold: messages come when it ends', async () => {
    bus.faults(consumer, { hold: true });
    await send(1, 2);
    expect(await received()).toEqual([]);
    bus.faults(consumer, {});
    expect(await received()).toEqual([1, 2]);
  });

  test('redeliver: a message comes again, after later ones', async () => {
    bus.faults(consumer, { redeliver: '10m' });
    await send(1);
    bus.faults(consumer, {});
    await send(2);
    expect(await received()).toEqual([1, 2]);
    await bus.clock.advance('10m');
    expect(await received()).toEqual([1]);
  });

  test.each([
    [429, 'rate.limited'],
    [503, 'registry.unavailable'],
  ] as const)(
    'refuse: the next request gets %d, and a client tries again',
    async (status, rule) => {
      bus.faults(producer, { refuse: { status, retryAfter: 90 } });
      const message = producer.compose(numbered(1));
      expect(await producer.publish(message)).toMatchObject({
        outcome: 'refused',
        status,
        violations: [{ rule }],
        retryAfterSeconds: 90,
      });
      bus.faults(producer, { refuse: { status, times: 2 } });
      expect(await producer.publish(message)).toMatchObject({ outcome: 'accepted' });
      expect(await received()).toEqual([1]);
    },
  );

  test('loseResponses: the bus accepts a message and the client learns of it as a duplicate', async () => {
    bus.faults(producer, { loseResponses: 1 });
    expect(await producer.publish(producer.compose(numbered(1)))).toMatchObject({
      outcome: 'duplicate',
    });
    expect(await received()).toEqual([1]);
  });

  test('slow: a request takes as long as it says', async () => {
    bus.faults(producer, { slow: '1h' });
    const publishing = producer.publish(producer.compose(numbered(1)), { deadline: 7_200_000 });
    expect(await received()).toEqual([]);
    await bus.clock.advance('1h');
    expect(await publishing).toMatchObject({ outcome: 'accepted' });
  });

  test('concern one connection only', async () => {
    const other = await bus.consumer();
    bus.faults(other, { hold: true });
    await send(1);
    expect([await received(), await received(other)]).toEqual([[1], []]);
  });
});

test('more long polls than requests that are served at once keep nobody waiting', async () => {
  const consumers = await Promise.all(Array.from({ length: 17 }, () => bus.consumer()));
  const end = new AbortController();
  const { signal } = end;
  // 48 requests are served at once; three polls of each consumer wait, and those are more.
  const polls = consumers.flatMap(one => [1, 2, 3].map(() => one.pull({ wait: 20 }, { signal })));
  expect(await consumer.backlog()).toMatchObject({ outcome: 'backlog' });
  end.abort(new Error('enough'));
  expect(new Set((await Promise.allSettled(polls)).map(({ status }) => status))).toEqual(
    new Set(['rejected']),
  );
});

test('reset forgets messages and faults, and nothing else', async () => {
  bus.faults(consumer, { hold: true });
  const [held] = await send(1);
  bus.faults(consumer, { duplicate: true });
  await bus.reset();
  expect(await received()).toEqual([]);
  expect(await producer.publish(JSON.stringify(held))).toMatchObject({ outcome: 'accepted' });
  expect(await received()).toEqual([1]);
});

test('a bus in a folder keeps its data there, and begins empty', async () => {
  const folder = temporaryFolder();
  for (const n of [1, 2]) {
    const inFolder = await startBus({ folder: folder.path });
    const [from, to] = [await inFolder.producer({ systems: ['ncs'] }), await inFolder.consumer()];
    await from.publish(from.compose(numbered(n)));
    expect(existsSync(join(folder.path, 'bus.sqlite'))).toBe(true);
    expect(await received(to)).toEqual([n]);
    await inFolder.close();
  }
  folder.remove();
});

test('when a bus closes, the loops of its consumers end', async () => {
  const other = await startBus();
  const idle = await other.consumer();
  const loop = (async () => {
    for await (const _ of idle.consume()) throw new Error('Nothing was sent.');
  })();
  await other.close();
  await loop;
  await expect(idle.pull({ wait: 0 })).rejects.toThrow('The test bus is closed.');
});

test('several buses run side by side', async () => {
  const other = await startBus();
  const [from, to] = [await other.producer({ systems: ['demo-ncs'] }), await other.consumer()];
  await from.publish(from.compose(numbered(9)));
  await send(1);
  expect([await received(), await received(to)]).toEqual([[1], [9]]);
  await other.close();
});

test('a bus tells of its requests', async () => {
  const lines: string[] = [];
  const talking = await startBus({ print: line => lines.push(line) });
  await talking.consumer().then(one => one.pull());
  expect(lines.join('\n')).toMatch(/200 {2}pull/);
  await talking.close();
});

test('a consumer that reads until its queue is empty waits for nothing', async () => {
  await send(1);
  const asked = jest.spyOn(globalThis, 'fetch');
  for await (const { message } of consumer.consume({ untilEmpty: true }))
    expect(message.payload).toEqual({ n: 1 });
  const waits = asked.mock.calls.flatMap(([url]) =>
    new URL(String(url)).searchParams.getAll('wait'),
  );
  asked.mockRestore();
  expect(waits).toEqual(['0', '0']);
});

test('a consumer can ask what waits for it, and for its skill instances', async () => {
  await send(1, 2);
  const { messages } = Object(await consumer.pull({ max: 1 }));
  expect(await consumer.backlog()).toMatchObject({ outcome: 'backlog', visible: 1, inFlight: 1 });
  await consumer.ack(messages.map(({ receiptHandle }: { receiptHandle: string }) => receiptHandle));
  expect(await consumer.backlog()).toMatchObject({ visible: 1, inFlight: 0 });
  expect(await consumer.registrations()).toEqual({ outcome: 'registrations', registrations: [] });
  expect(await producer.backlog()).toMatchObject({ outcome: 'refused', status: 403 });
});
