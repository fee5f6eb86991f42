import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, uuidv7 } from '../../../lib/kit/client/index.ts';
import { systemOutside } from '../../../lib/kit/client/outside.ts';
import { type Executor, type ExecutorEvent, runExecutor } from '../../../lib/kit/executor/index.ts';
import { openMemoryFile } from '../../../lib/kit/executor/memory.file.ts';
import { startBus, type TestBus, type TestConnection } from '../../../lib/local/testing/index.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/service-process.ts';
import { breaking, instanceOf, snapshot } from './stage.ts';

const raising = instanceOf('raise-flag-on-match', 'house-breaking', {
  match_field: 'lifecycle.phase',
  match_value: 'BREAKING',
  flag_name: 'phase-unsettled',
  clearing_authority: 'duty-editor',
});

const folder = temporaryFolder();
let bus: TestBus;
let desk: TestConnection;
let reader: TestConnection;
let warner: TestConnection;
let witness: TestConnection;
let state: string;
beforeEach(async () => {
  bus = await startBus();
  desk = await bus.producer({ systems: ['desk'] });
  reader = await bus.consumer();
  warner = await bus.producer({ systems: ['tool'], grants: ['skill.warning.raised'] });
  witness = await bus.consumer({ receives: ['skill.warning.raised'] });
  state = join(folder.path, `${bus.workspace}.json`);
});
afterEach(() => bus.close());
afterAll(() => folder.remove());

/** Runs an executor until it is stopped, or its process is killed with what it has in hand. */
const running = (
  changes: Partial<Executor> = {},
  given: Pick<Executor, 'instances'> = { instances: [raising] },
) => {
  const stop = new AbortController();
  const events: ExecutorEvent[] = [];
  const done = runExecutor({
    consumer: reader,
    producer: warner,
    ...given,
    state: openMemoryFile(state, reader.id),
    newId: () => uuidv7(Date.now(), systemOutside.randomBytes(10)),
    // Nothing but the signal ends a pause.
    sleep: async (_milliseconds, signal) => {
      await once(signal, 'abort');
    },
    signal: stop.signal,
    report: event => void events.push(event),
    ...changes,
  });
  return {
    events,
    done,
    async stop() {
      stop.abort();
      await done;
    },
  };
};

const correlation = '0190a000-0000-7000-8000-000000000001';
const tell = async (sequence: number, more: object = {}) => {
  const message = desk.compose({
    message_type: 'story.context',
    correlation_id: correlation,
    payload: snapshot(sequence, { ...more }),
  });
  expect(await desk.publish(message)).toMatchObject({ outcome: 'accepted' });
  return message;
};

const nextWarning = () => bus.expect(witness, () => true, { within: '10m' });

test('an executor responds with a warning that belongs to its trigger, and acknowledges what it has handled', async () => {
  const executor = running();
  const trigger = await tell(1, breaking);
  const { message } = await nextWarning();
  expect(message).toMatchObject({
    message_type: 'skill.warning.raised',
    causation_id: trigger.message_id,
    correlation_id: trigger.correlation_id,
    originating_system: { system_id: 'tool' },
    payload: { rule_id: 'house-breaking', scope: 'story:harbour-fire' },
  });
  await tell(2);
  await tell(3, breaking);
  const again = await nextWarning();
  expect(again.message.payload).toMatchObject({
    skill_warning_ref: 'house-breaking/story:harbour-fire/2',
  });
  // Its own warnings come to it, too.
  await eventually(async () => {
    const backlog = await reader.backlog();
    return backlog.outcome === 'backlog' && backlog.visible + backlog.inFlight === 0;
  });
  await executor.stop();
  expect(executor.events).toMatchObject([
    { kind: 'instances', labels: ['house-breaking'] },
    { kind: 'answered', outcome: 'accepted' },
    { kind: 'answered', outcome: 'accepted' },
  ]);
});

test('killed between its response and the acknowledgement, it gives the same response again', async () => {
  const lost = connect({
    ...reader.options,
    outside: {
      now: () => bus.clock.now().getTime(),
      // The process is gone before it can say anything to its queue.
      fetch: (url, init) =>
        /\/n?ack$/.test(url) ? new Promise<never>(() => undefined) : fetch(url, init),
    },
  });
  running({ consumer: lost });
  await tell(1, breaking);
  const { text } = await nextWarning();
  await bus.clock.advance('2m');
  const second = running();
  const isAnswered = () => second.events.find(({ kind }) => kind === 'answered');
  await eventually(() => isAnswered() !== undefined);
  await second.stop();
  expect(isAnswered()).toMatchObject({ outcome: 'duplicate', warning: JSON.parse(text) });
  expect(await witness.backlog()).toMatchObject({ visible: 0 });
});

const isSentAgain = async (executor: ReturnType<typeof running>) => {
  await tell(1, breaking);
  const reactions = () => executor.events.filter(({ kind }) => kind === 'answered');
  await eventually(() => reactions().length > 0);
  await bus.clock.advance('11m');
  await nextWarning();
  await executor.stop();
  const [first, second] = reactions();
  expect([first, second]).toMatchObject([
    { outcome: expect.stringMatching(/^refused by/) },
    { outcome: 'accepted' },
  ]);
  expect(second).toMatchObject({
    warning: first && 'warning' in first ? first.warning : undefined,
  });
};

test('a warning that the bus cannot take is sent again with its trigger, unchanged', async () => {
  bus.faults(warner, { refuse: { status: 503, retryAfter: 600 } });
  await isSentAgain(running());
});

test('so is one that was refused because others published to the story first', async () => {
  let tries = 0;
  const publish: TestConnection['publish'] = async (...call) => {
    tries += 1;
    if (tries > 1) return warner.publish(...call);
    const violation = { rule: 'commit.contention', source: 'policy', message: '' } as const;
    return {
      outcome: 'refused',
      status: 409,
      accepted: false,
      duplicate: false,
      violations: [violation],
    };
  };
  await isSentAgain(running({ producer: { ...warner, publish } }));
});

test('without instances of its own, it reads the registered ones anew', async () => {
  const registration = (paused: boolean) => ({
    registrationId: 'raaaaaaaaaaaa',
    skillId: raising.skillId,
    skillVersion: '0.2.2',
    instanceLabel: 'registered',
    values: JSON.parse(JSON.stringify(raising.values)),
    paused,
  });
  const responses = [[registration(false)], [registration(true)], []];
  let turn: () => void = () => undefined;
  const consumer = {
    ...reader,
    registrations: async () =>
      ({ outcome: 'registrations', registrations: responses.shift() ?? [] }) as const,
  };
  const sleep = (_milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      turn = resolve;
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const executor = running({ consumer, sleep }, {});
  await tell(1, breaking);
  expect((await nextWarning()).message.payload).toMatchObject({
    rule_id: 'registered',
  });
  const told = () => executor.events.filter(({ kind }) => kind === 'instances');
  await eventually(() => {
    turn();
    return told().length === 2;
  });
  expect(told().at(-1)).toEqual({ kind: 'instances', labels: [] });
  await executor.stop();
});

test('a consumer that is refused ends it, with the reason', async () => {
  const { done } = running({ consumer: connect({ ...reader.options, clientSecret: 'sbs_wrong' }) });
  await expect(done).rejects.toThrow('The consumer was refused: invalid_client');
});

test('the state is a file that another consumer may not use', async () => {
  const executor = running();
  await tell(1, breaking);
  await nextWarning();
  await executor.stop();
  expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({ consumer: reader.id });
  expect(() => openMemoryFile(state, witness.id)).toThrow('name another file');
  writeFileSync(state, '');
  expect(() => openMemoryFile(state, reader.id)).toThrow('not that of an executor');
});
