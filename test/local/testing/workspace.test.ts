import { getEventListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PulledMessage } from '../../../lib/kit/client/index.ts';
import { FaultInjector } from '../../../lib/local/faults.ts';
import { TurnableClock } from '../../../lib/local/testing/clock.ts';
import { startTestService, type TestService } from '../../../lib/local/testing/test-service.ts';
import { openWorkspace, type Workspace, wantedIn } from '../../../lib/local/testing/workspace.ts';
import { eventually } from '../../support/eventually.ts';
import { scratchFolder } from '../engines/support/scratch-folder.ts';

/** A clock that tells for how long it was asked to wait, and which waits were cancelled. */
class WatchedClock extends TurnableClock {
  readonly asked: number[] = [];
  readonly cancelled: number[] = [];

  override after(milliseconds: number, run: () => void): () => void {
    this.asked.push(milliseconds);
    const cancel = super.after(milliseconds, run);
    return () => {
      this.cancelled.push(milliseconds);
      cancel();
    };
  }
}

let clock: WatchedClock;
let faults: FaultInjector;
let service: TestService;
let workspace: Workspace;
beforeEach(async () => {
  clock = new WatchedClock();
  faults = new FaultInjector(clock);
  service = await startTestService({ limits: false, clock, faults, print: () => undefined });
  workspace = await openWorkspace(service, clock, 'high');
});
afterEach(() => service.close());

const request = { app: 'app', systemIds: [], grants: [], receives: [], sources: [] };
const newProducer = (systemIds: readonly string[] = ['ncs', 'mam']) =>
  workspace.connect({ ...request, kind: 'producer', systemIds, grants: ['*'] });
const newConsumer = () => workspace.connect({ ...request, kind: 'consumer', receives: ['*'] });

const draft = { message_type: 'asset.ingested', payload: { n: 1 } } as const;

/** Five seconds, and up to a fifth of one: clients do not come back all at once. */
const isPause = (milliseconds: number): boolean => milliseconds >= 5_000 && milliseconds <= 5_200;

const pausing = () => eventually(() => clock.asked.some(isPause));

test('each app has a name of its own', () => {
  expect([workspace.newApp(), workspace.newApp()]).toEqual(['app-1', 'app-2']);
});

test('a connection is known by its kind, and has what other programs need', async () => {
  const [producer, consumer] = [await newProducer(), await newConsumer()];
  expect([producer.id, consumer.id, 'another'].map(id => workspace.kindOf(id))).toEqual([
    'producer',
    'consumer',
    undefined,
  ]);
  expect(producer.options).toEqual({
    baseUrl: service.baseUrl,
    workspace: workspace.id,
    clientId: producer.id,
    clientSecret: producer.secret,
  });
});

test('a producer composes as the first of its systems, in the time of the bus', async () => {
  const producer = await newProducer();
  clock.turn(86_400_000);
  const { originating_system, timestamp } = producer.compose(draft);
  expect(originating_system).toEqual({ system_id: 'ncs', system_type: 'custom' });
  expect(Date.parse(timestamp)).toBeGreaterThan(Date.now() + 80_000_000);
});

describe('a pause of a client', () => {
  const refused = async (signal?: AbortSignal) => {
    const producer = await newProducer();
    faults.set(producer.id, { refuse: { status: 429, times: 1, retryAfter: 5 } }, 'producer');
    return producer.publish(producer.compose(draft), signal ? { signal } : {});
  };

  test('ends when the clock of the bus is turned, and leaves nothing behind', async () => {
    const combined = jest.spyOn(AbortSignal, 'any');
    const { signal } = new AbortController();
    const publishing = refused(signal);
    await pausing();
    const signals = combined.mock.calls.flatMap(([given]) => [...given]);
    const results = combined.mock.results.map(({ value }) => value as AbortSignal);
    combined.mockRestore();
    expect(signals).toContain(signal);
    const listeners = () => results.flatMap(one => getEventListeners(one, 'abort')).length;
    const before = listeners();
    clock.turn(5_200);
    expect(listeners()).toBe(before - 1);
    expect(await publishing).toMatchObject({ outcome: 'accepted' });
    expect(clock.cancelled.filter(isPause)).toEqual([]);
  });

  test('ends when its caller gives up', async () => {
    const giving = new AbortController();
    const publishing = refused(giving.signal);
    await pausing();
    giving.abort(new Error('given up'));
    await expect(publishing).rejects.toThrow('given up');
    expect(clock.cancelled.filter(isPause)).toHaveLength(1);
  });

  test.each([undefined, new AbortController().signal])(
    'ends with the bus, whoever asked (%s)',
    async signal => {
      const publishing = refused(signal);
      await pausing();
      workspace.endClients();
      await expect(publishing).rejects.toThrow('The test bus is closed.');
      await expect(refused(signal)).rejects.toThrow('The test bus is closed.');
    },
  );
});

describe('a loop of a consumer', () => {
  const published = async (count: number) => {
    const [producer, consumer] = [await newProducer(), await newConsumer()];
    for (let n = 0; n < count; n += 1) await producer.publish(producer.compose(draft));
    return consumer;
  };
  const asked = async (loop: () => Promise<unknown>): Promise<readonly (string | null)[]> => {
    const fetching = jest.spyOn(globalThis, 'fetch');
    await loop();
    const urls = fetching.mock.calls.map(([url]) => new URL(String(url)));
    fetching.mockRestore();
    return urls
      .filter(url => url.searchParams.has('wait'))
      .map(url => url.searchParams.get('wait'));
  };
  const all = async (messages: AsyncIterable<PulledMessage>): Promise<number> => {
    let count = 0;
    for await (const _ of messages) count += 1;
    return count;
  };

  test('until its queue is empty waits for nothing, unless it is asked to', async () => {
    const consumer = await published(1);
    const read = async () => {
      expect(await all(consumer.consume({ untilEmpty: true }))).toBe(1);
    };
    expect(await asked(read)).toEqual(['0', '0']);
    const again = () => all(consumer.consume({ untilEmpty: true, wait: 1 }));
    expect(await asked(again)).toEqual(['1']);
  });

  test('has no pace, unless it asks for one', async () => {
    const consumer = await published(6);
    clock.asked.length = 0;
    expect(await all(consumer.consume({ untilEmpty: true, max: 1 }))).toBe(6);
    expect(clock.asked).toEqual([]);
    const slowly = all(consumer.consume({ max: 1, wait: 0, requestsPerMinute: 1 }));
    slowly.catch(() => undefined);
    await eventually(() => clock.asked.length > 0);
    workspace.endClients();
    await slowly;
  });

  test('ends when its caller says so, and when the bus does', async () => {
    const consumer = await published(0);
    const end = new AbortController();
    const [one, other, third] = [
      all(consumer.consume({ signal: end.signal })),
      all(consumer.consume({ signal: new AbortController().signal })),
      all(consumer.consume()),
    ];
    end.abort();
    expect(await one).toBe(0);
    workspace.endClients();
    expect(await Promise.all([other, third])).toEqual([0, 0]);
  });
});

const folder = scratchFolder();

test('a file of connections is refused by its name, with all that is wrong with it', () => {
  const file = join(folder, 'connections.yaml');
  writeFileSync(file, 'connections: []\nvariable: one\n');
  const lines = [
    `${file}: the file has errors, and nothing was changed`,
    expect.stringContaining('variable'),
    'connections: a map of names to connections is expected.',
  ];
  let said: unknown;
  try {
    wantedIn(file);
  } catch (error) {
    said = error;
  }
  expect(String(said).replace('Error: ', '').split('\n')).toEqual(lines);
});
