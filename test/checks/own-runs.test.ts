import { createOrganisation, createWorkspace } from '../../lib/access/people/organisations.ts';
import { createConnection } from '../../lib/access/registry/connections.ts';
import { isDeclined } from '../../lib/access/registry/declined.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { TestConnection } from '../../lib/local/testing/api.ts';
import { textOf } from '../../lib/platform/json/value.ts';
import { checkedBusHere } from './checked-bus.ts';

const bus = checkedBusHere();

interface Response {
  readonly status: number;
  readonly type: string;
  readonly caching: string | null;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

const tokenOf = async ({ id, secret }: TestConnection): Promise<string> => {
  const response = await fetch(`${bus.service.baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return textOf(await response.json(), 'access_token');
};

/** Calls the routes as one connection, with a token of its own. */
const callerOf = async (connection: TestConnection) => {
  const authorization = `Bearer ${await tokenOf(connection)}`;
  const address = `${bus.service.baseUrl}/tenants/${bus.workspace.id}/checks`;
  const call = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = { authorization, ...init.headers };
    const response = await fetch(`${address}${path}`, { ...init, headers });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    const body = type.includes('json') ? JSON.parse(text) : {};
    return {
      status: response.status,
      type,
      caching: response.headers.get('cache-control'),
      text,
      body,
    };
  };
  return {
    /** @param body a text as it is */
    start: (body: object | string) =>
      call('', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    list: (query = '') => call(query, {}),
    show: (run: string, accept?: string) =>
      call(`/${run}`, accept === undefined ? {} : { headers: { accept } }),
    stop: (run: string) => call(`/${run}/stop`, { method: 'POST' }),
  };
};

test.each(['', '~', '€'.repeat(400), 'x'.repeat(1_100)])(
  'a list of runs from %j on is empty or refused',
  async after => {
    const { own } = await pair();
    expect([200, 400]).toContain((await own.list(`?after=${encodeURIComponent(after)}`)).status);
  },
);

interface Ids {
  readonly own: string;
}

const ruleOf = ({ body }: Response) => (body['violations'] as { rule: string }[])[0]?.rule;
const messageOf = ({ body }: Response) => (body['violations'] as { message: string }[])[0]?.message;
const idIn = ({ body }: Response) => String(body['run_id']);

const pair = async () => {
  const made = await bus.pair();
  return { ...made, own: await callerOf(made.consumer) };
};

const executorRun = (producer: TestConnection) => ({
  kind: 'executor',
  producer: producer.id,
  cases: ['raise-flag-on-match/declares'],
});

test('a consumer checks its executor with its own token, and reads the report in each form', async () => {
  const { producer, own, executor } = await pair();
  const started = await own.start(executorRun(producer));
  expect([started.status, started.body]).toMatchObject([
    201,
    { kind: 'executor', status: 'running' },
  ]);
  // A run's state changes between two requests.
  const responses = [started, await own.list(), await own.show(idIn(started))];
  expect(responses.map(({ caching }) => caching)).toEqual(['no-store', 'no-store', 'no-store']);
  const run = idIn(started);
  bus.clock.turn(11_000);
  await bus.service.runJobs();
  await executor.learn();
  await bus.finish(run, executor);

  const shown = await own.show(run);
  expect([shown.status, shown.body]).toMatchObject([
    200,
    { run_id: run, status: 'finished', passed: true, totals: { passed: 1 } },
  ]);
  const forms = ['text/html', 'application/xml', 'text/markdown'];
  const starts = ['<!doctype html>', '<?xml', '#'];
  for (const [index, form] of forms.entries()) {
    const response = await own.show(run, form);
    expect([response.status, response.type]).toEqual([200, `${form}; charset=utf-8`]);
    expect(response.text.startsWith(starts[index] ?? '')).toBe(true);
    expect(response.text).toContain(run);
  }
  // Both connections of the run see it.
  const other = await callerOf(producer);
  for (const one of [own, other])
    expect((await one.list()).body).toMatchObject({ runs: [{ run_id: run, status: 'finished' }] });
});

test('check.unknown: a run of another connection, and one that does not exist, are the same', async () => {
  const { producer, own } = await pair();
  const run = idIn(await own.start(executorRun(producer)));
  const stranger = await callerOf(await bus.connect('consumer'));
  for (const id of [run, 'taaaaaaaaaaaa', 'x']) {
    const responses = [await stranger.show(id), await stranger.stop(id)];
    expect(responses.map(response => [response.status, ruleOf(response)])).toEqual([
      [404, 'check.unknown'],
      [404, 'check.unknown'],
    ]);
  }
  expect((await stranger.list()).body).toEqual({ runs: [] });
  expect((await own.show(run)).body).toMatchObject({ status: 'running' });
  await own.stop(run);
  await bus.service.runJobs();
});

test('a consumer brings cases of its own', async () => {
  const consumer = await bus.connect('consumer', { receives: ['story.context'] });
  const own = await callerOf(consumer);
  const steps = [{ plays: { text: 'x' } }];
  const own_cases = { 'house/mine': { title: 'It takes any text.', steps } };
  const started = await own.start({ kind: 'consumer', cases: ['house'], own_cases });
  expect(started.status).toBe(201);
  const { body } = await own.show(idIn(started));
  expect(body['cases']).toMatchObject([{ case_id: 'house/mine', title: 'It takes any text.' }]);
  await own.stop(idIn(started));
});

test('what an own case says is played with every digit, and in its order', async () => {
  const consumer = await bus.connect('consumer', { receives: ['story.context'] });
  const own = await callerOf(consumer);
  const written = '{"com.example.n":{"b":12345678901234567890.10,"1":1.0}}';
  const plays = `{"payload":{"extensions":${written}}}`;
  const one = `{"title":"It takes any number.","type":"story.context","steps":[{"plays":${plays}}]}`;
  const started = await own.start(
    `{"kind":"consumer","cases":["house"],"own_cases":{"house/number":${one}}}`,
  );
  expect(started.status).toBe(201);
  bus.clock.turn((limits.registryCacheSeconds + 1) * 1000);
  await bus.service.runJobs();
  const pulled = await consumer.pull({ wait: 0 });
  const texts = pulled.outcome === 'pulled' ? pulled.messages.map(({ text }) => text) : [];
  expect(texts).toEqual([expect.stringContaining(`"extensions":${written}`)]);
  await own.stop(idIn(started));
});

test('check.invalid: a producer starts no run of an executor, and seconds are whole', async () => {
  const { consumer, producer, own } = await pair();
  const sender = await callerOf(producer);
  const started = [
    await sender.start({ kind: 'executor', consumer: consumer.id }),
    await own.start({ kind: 'consumer', limit_seconds: 5.5 }),
  ];
  for (const response of started)
    expect([response.status, ruleOf(response)]).toEqual([400, 'check.invalid']);
});

test('check.declined: a second run waits for the end of the first, which its connection can stop', async () => {
  const consumer = await bus.connect('consumer');
  const own = await callerOf(consumer);
  const run = idIn(await own.start({ kind: 'consumer' }));
  const second = await own.start({ kind: 'consumer' });
  expect([second.status, ruleOf(second), messageOf(second)]).toEqual([
    409,
    'check.declined',
    `${consumer.id} is in the run ${run} already: wait for its end, or stop it.`,
  ]);
  expect((await own.stop(run)).status).toBe(200);
  await bus.service.runJobs();
  expect((await own.show(run)).body).toMatchObject({
    status: 'aborted',
    reason: `${consumer.id} stopped it.`,
  });
  // Of a run that is over, nothing changes.
  expect((await own.stop(run)).body).toMatchObject({ run_id: run, status: 'aborted' });
  expect((await own.start({ kind: 'consumer' })).status).toBe(201);
});

describe('check.declined: a connection starts no run on another one', () => {
  const isMarked = async ({ id }: TestConnection) =>
    (await bus.ports.connections.find(id))?.connection.underTest !== undefined;

  const otherOrganisation = async () =>
    ({
      organisation: (
        await createOrganisation(bus.registry, { name: 'Another Vendor', tier: 'standard' })
      ).id,
    }) as const;

  test.each([
    [
      'consumer',
      'producer',
      ({ own }: Ids) => `${own} is a consumer: a run of the kind producer does not test it.`,
    ],
    [
      'producer',
      'consumer',
      ({ own }: Ids) => `${own} is a producer: a run of the kind consumer does not test it.`,
    ],
    [
      'consumer',
      'consumer',
      ({ own }: Ids) => `${own} starts runs that test itself: leave out consumer, or give ${own}.`,
    ],
    [
      'producer',
      'producer',
      ({ own }: Ids) => `${own} starts runs that test itself: leave out producer, or give ${own}.`,
    ],
  ] as const)(
    'a %s on a %s, of its own or another organisation',
    async (kind, victimKind, words) => {
      const connection = await bus.connect(kind);
      const own = await callerOf(connection);
      for (const more of [{}, await otherOrganisation()]) {
        const victim = await bus.connect(victimKind, more);
        const response = await own.start({ kind: victimKind, [victimKind]: victim.id });
        expect([response.status, ruleOf(response), messageOf(response)]).toEqual([
          409,
          'check.declined',
          words({ own: connection.id }),
        ]);
        expect([await isMarked(victim), await isMarked(connection)]).toEqual([false, false]);
      }
    },
  );

  test('an executor on a pair that it is not in, or with one of another organisation or workspace', async () => {
    const { consumer, producer, own } = await pair();
    const spare = await bus.connect('consumer');
    const elsewhere = await bus.connect('producer', await otherOrganisation());
    const { organisation = '' } = (await bus.ports.connections.find(producer.id))?.connection ?? {};
    const workspace = await createWorkspace(bus.registry, {
      name: 'Another Newsroom',
      organisation,
    });
    if (isDeclined(workspace)) throw new Error(workspace.reason);
    const request = { kind: 'producer', app: 'far', systemIds: ['far'], grants: ['*'] } as const;
    const far = await createConnection(bus.registry, {
      ...request,
      receives: [],
      sources: [],
      workspace: workspace.id,
    });
    if (isDeclined(far)) throw new Error(far.reason);
    const responses = [
      await own.start({ ...executorRun(producer), consumer: spare.id }),
      await own.start(executorRun(elsewhere)),
      await own.start({ kind: 'executor', producer: 'c' }),
      await own.start({ kind: 'executor', producer: far.connection.id }),
    ];
    expect(responses.map(response => [response.status, messageOf(response)])).toEqual([
      [
        409,
        `${consumer.id} starts runs that test itself: leave out consumer, or give ${consumer.id}.`,
      ],
      [409, `Your organisation has no active producer connection ${elsewhere.id}.`],
      [409, 'Your organisation has no active producer connection c.'],
      [409, `${consumer.id} and ${far.connection.id} are in different workspaces.`],
    ]);
    for (const one of [consumer, producer, spare, elsewhere])
      expect(await isMarked(one)).toBe(false);
  });

  test('a run of one connection names no second one', async () => {
    const { consumer, producer } = await pair();
    const own = await callerOf(producer);
    const response = await own.start({ kind: 'producer', consumer: consumer.id });
    expect([response.status, messageOf(response)]).toEqual([
      409,
      'A run of the kind producer does not test a consumer: leave out consumer.',
    ]);
  });
});

test.each([
  [{}, 'kind has to be one of producer, consumer, executor.'],
  [{ kind: 'consumer', cases: 'all' }, 'cases has to be a list of at most 200 texts.'],
  [{ kind: 'consumer', limit: 5 }, 'The member "limit" is not known here.'],
  [{ kind: 'executor', producer: 7 }, 'producer has to be the id of a connection.'],
  [
    { kind: 'consumer', own_cases: { 'delivery/mine': {} } },
    expect.stringContaining('At /cases the file has another form'),
  ],
])('check.invalid: %j says which member is wrong', async (body, words) => {
  const own = await callerOf(await bus.connect('consumer'));
  const response = await own.start(body);
  expect([response.status, ruleOf(response), messageOf(response)]).toEqual([
    400,
    'check.invalid',
    words,
  ]);
});
