import { NoResponse, type SomMessage } from '../../../lib/kit/client/index.ts';
import {
  Actor,
  isOut,
  type RoleConnections,
  type RoleMessage,
  type Scene,
} from '../../../lib/kit/newsroom/actor.ts';
import { type RoleName, systemOf } from '../../../lib/kit/newsroom/roles.ts';
import { script } from '../../../lib/kit/newsroom/script.ts';
import { dated } from './whole-day.ts';

const beats = script(dated('2026-11-22'));

const beatOf = (story: string, number: number) => {
  const found = beats.find(
    beat => beat.story === story && beat.message.payload.sequence_number === number,
  );
  if (found === undefined) throw new Error(`${story} has no snapshot ${number}.`);
  return found;
};

const opening = beatOf('sorrel-bridge', 1);
const market = beatOf('night-market', 1);
const killing = beatOf('sorrel-bridge', 10);

const refused = (status: number, ...rules: readonly string[]) => ({
  outcome: 'refused',
  status,
  violations: rules.map(rule => ({ source: 'policy', rule, message: rule })),
});
const tokenRefused = {
  outcome: 'token_refused',
  status: 401,
  error: 'invalid_client',
  description: 'unknown',
};
const accepted = { outcome: 'accepted' };
const duplicate = { outcome: 'duplicate' };
const unreached = new NoResponse('https://bus.example/v1', 1, undefined);

const next = () => new Promise(setImmediate);

interface Given {
  readonly verdicts?: readonly unknown[];
  readonly dryRuns?: readonly unknown[];
  readonly messages?: readonly SomMessage[];
  /** When each of them comes. */
  readonly times?: readonly number[];
  readonly registrations?: readonly unknown[];
  readonly backlog?: object;
}

/** An actor, and all that it does, in order. */
const stage = (role: RoleName, given: Given = {}) => {
  const journal: (readonly unknown[])[] = [];
  const told: RoleMessage[] = [];
  const stop = new AbortController();
  const { signal } = stop;
  const verdicts = [...(given.verdicts ?? [])];
  const dryRuns = [...(given.dryRuns ?? [])];
  const registrations = [...(given.registrations ?? [])];
  let now = 0;
  const answer = async (answers: unknown[]) => {
    await next();
    const one = answers.length > 1 ? answers.shift() : answers[0];
    if (one instanceof Error) throw one;
    return one;
  };
  const called = (options: { signal?: AbortSignal } | undefined) => {
    if (options?.signal !== signal) throw new Error('The call goes on when the day is stopped.');
  };
  const producer = {
    publish: async ({ message_id }: SomMessage, options?: { signal?: AbortSignal }) => {
      called(options);
      journal.push(['publish', message_id]);
      return answer(verdicts);
    },
    validate: async ({ message_id }: SomMessage, options?: { signal?: AbortSignal }) => {
      called(options);
      journal.push(['validate', message_id]);
      return answer(dryRuns);
    },
  };
  const deliveries = (given.messages ?? []).map(message => ({
    message,
    release: async (seconds: number) => {
      await next();
      journal.push(['release', seconds]);
    },
  }));
  const consumer = {
    async *consume({ signal: _signal, ...options }: { signal?: AbortSignal }) {
      called({ signal: _signal } as { signal: AbortSignal });
      journal.push(['consume', options]);
      for (const [at, delivery] of deliveries.entries()) {
        now = given.times?.[at] ?? now;
        yield delivery;
        journal.push(['handled']);
      }
      stop.abort();
    },
    backlog: async (options?: { signal?: AbortSignal }) => {
      called(options);
      await next();
      return given.backlog;
    },
    registrations: async (options?: { signal?: AbortSignal }) => {
      called(options);
      journal.push(['registrations']);
      return answer(registrations);
    },
  };
  const scene = {
    time: {
      now: () => now,
      sleep: async (milliseconds: number, ends: AbortSignal) => {
        called({ signal: ends });
        await next();
        journal.push(['sleep', milliseconds]);
      },
    },
    clock: {
      until: async (time: number, ends: AbortSignal, max: number) => {
        called({ signal: ends });
        await next();
        journal.push(['until', new Date(time).toISOString(), max]);
      },
    },
    beats,
    visibility: 40,
    signal,
    report: (one: RoleMessage) => {
      told.push(one);
      journal.push(['told', one.outcome]);
    },
  } as unknown as Scene;
  const buses = { producer, consumer } as unknown as RoleConnections;
  const actor = new Actor(role, buses, scene);
  const listen = async () => {
    await actor.listen();
    return journal.slice(1);
  };
  return { actor, journal, told, listen, producer: buses.producer, signal };
};

describe('a beat', () => {
  test('is published until the bus has answered for good', async () => {
    const contended = refused(409, 'commit.contention');
    const verdicts = [unreached, refused(503, 'registry.unavailable'), contended, accepted];
    const { actor, journal, told } = stage('ncs', { verdicts });
    const { message } = opening;
    const final = { role: 'ncs', message, outcome: 'accepted', isFinal: true };
    expect(await actor.playBeat(opening)).toEqual(final);
    const publish = ['publish', message.message_id];
    const pause = ['sleep', 2_000];
    expect(journal).toEqual([
      ...[publish, ['told', 'no response'], pause],
      ...[publish, ['told', 'refused by registry.unavailable'], pause],
      ...[publish, ['told', 'refused by commit.contention'], pause],
      ...[publish, ['told', 'accepted']],
    ]);
    expect(told.map(({ isFinal }) => isFinal)).toEqual([false, false, false, true]);
    expect(told[3]).toEqual(final);
  });

  test.each([
    ['duplicate', duplicate],
    ['out already', refused(409, 'message_id.reused')],
    ['out already', refused(409, 'sequence_number.not_increasing')],
    ['refused by payload.invalid', refused(400, 'payload.invalid', 'message.too_deep')],
  ])('is told as %s, and not sent again', async (outcome, verdict) => {
    const { actor, told } = stage('ncs', { verdicts: [verdict] });
    const one = { role: 'ncs', message: opening.message, outcome, isFinal: true };
    expect(await actor.playBeat(opening)).toEqual(one);
    expect(told).toEqual([one]);
  });

  test('ends with what else went wrong', async () => {
    const { actor } = stage('ncs', { verdicts: [tokenRefused] });
    await expect(actor.playBeat(opening)).rejects.toThrow(
      'ncs gets no token (invalid_client: unknown): are its id and secret those of this bus?',
    );
    const other = stage('ncs', { verdicts: [new Error('stopped')] });
    await expect(other.actor.playBeat(opening)).rejects.toThrow('stopped');
    expect(other.told).toEqual([]);
  });
});

test.each([
  [true, duplicate],
  [false, accepted],
  [true, refused(409, 'message_id.reused')],
  [true, refused(409, 'sequence_number.not_increasing')],
  [false, refused(400, 'payload.invalid')],
  [undefined, refused(503, 'registry.unavailable')],
  [undefined, tokenRefused],
])('a message is on the bus: %s, if a dry run says %j', async (isThere, dryRun) => {
  const { producer, signal } = stage('ncs', { dryRuns: [dryRun] });
  expect(await isOut(producer, opening.message, signal)).toBe(isThere);
});

describe('a reaction', () => {
  test('is published at its time of the day, and says what caused it', async () => {
    const { actor, journal, told } = stage('mam', {
      messages: [opening.message, market.message],
      verdicts: [accepted],
    });
    await actor.listen();
    const [bridge, night] = told.map(({ message }) => message.message_id);
    expect(journal).toEqual([
      ['consume', { max: 1, visibility: 40 }],
      ['until', '2026-11-22T06:50:30.000Z', 30_000],
      ...[['publish', bridge], ['told', 'accepted'], ['handled']],
      ['until', '2026-11-22T11:45:30.000Z', 30_000],
      ...[['publish', night], ['told', 'accepted'], ['handled']],
    ]);
    expect(told[0]).toEqual({
      role: 'mam',
      message: expect.objectContaining({ causation_id: opening.message.message_id }),
      outcome: 'accepted',
      isFinal: true,
      cause: opening.message,
    });
    expect(actor.handled).toBe(2);
  });

  test('that the bus did not take for good brings its cause again, two seconds later', async () => {
    const { actor, listen, told } = stage('mam', {
      messages: [opening.message, opening.message],
      verdicts: [refused(503, 'registry.unavailable'), accepted],
    });
    const journal = await listen();
    const publish = ['publish', told[0]?.message.message_id];
    const until = ['until', '2026-11-22T06:50:30.000Z', 30_000];
    expect(journal).toEqual([
      ...[until, publish, ['told', 'refused by registry.unavailable'], ['release', 2], ['handled']],
      ...[until, publish, ['told', 'accepted'], ['handled']],
    ]);
    expect(actor.handled).toBe(2);
  });

  test('is said again if its cause comes again, and once if another cause brings the same', async () => {
    const again = { ...opening.message, message_id: market.message.message_id };
    const { listen } = stage('mam', {
      messages: [opening.message, again, opening.message],
      verdicts: [accepted, duplicate],
    });
    const done = (await listen()).map(([what, outcome]) => (what === 'told' ? outcome : what));
    const said = ['until', 'publish'];
    expect(done).toEqual([
      ...said,
      'accepted',
      'handled',
      'handled',
      ...said,
      'duplicate',
      'handled',
    ]);
  });

  test('to a story that has gone on is out of date, and not sent again', async () => {
    const { listen, told } = stage('mam', {
      messages: [opening.message],
      verdicts: [refused(409, 'sequence_number.not_increasing')],
    });
    expect((await listen()).at(-1)).toEqual(['handled']);
    expect(told).toMatchObject([{ outcome: 'superseded', isFinal: true }]);
  });

  test.each([
    ['ends what began', duplicate, ['validate', 'until', 'publish', 'told', 'handled']],
    ['does not end what never began', accepted, ['validate', 'handled']],
    ['waits if the bus does not say', tokenRefused, ['validate', 'release', 'handled']],
  ])('%s', async (_what, dryRun, done) => {
    const { listen } = stage('playout', {
      messages: [killing.message],
      dryRuns: [dryRun],
      verdicts: [accepted],
    });
    expect((await listen()).map(([what]) => what)).toEqual(done);
  });

  test('of the newsroom system has the snapshot of its script', async () => {
    const delivered = {
      ...opening.message,
      message_type: 'delivery.media_available',
      originating_system: systemOf('mam'),
    } as unknown as SomMessage;
    const { listen, told } = stage('ncs', { messages: [delivered], verdicts: [accepted] });
    await listen();
    expect(told).toMatchObject([{ message: { payload: { sequence_number: 2 } } }]);
  });
});

describe('what the house registered', () => {
  const instance = (instanceLabel: string) => ({
    registrationId: 'raaaaaaaaaaaa',
    skillId: 'smart-stories/raise-flag-on-match',
    skillVersion: '0.2.2',
    instanceLabel,
    values: {
      match_field: 'priority.level',
      match_value: 'HIGH',
      flag_name: 'FLASH',
      clearing_authority: 'duty-editor',
    },
    paused: false,
  });
  const registered = (label: string) => ({
    outcome: 'registrations',
    registrations: [instance(label)],
  });

  test('is read anew after five minutes', async () => {
    const { listen, told } = stage('skill', {
      messages: [opening.message, opening.message, opening.message],
      times: [1_000, 300_999, 301_000],
      registrations: [registered('first-read'), registered('second-read')],
      verdicts: [accepted],
    });
    const said = ['until', 'publish', 'told', 'handled'];
    expect((await listen()).map(([what]) => what)).toEqual([
      ...['registrations', ...said],
      ...said,
      ...['registrations', ...said],
    ]);
    const labels = told.map(
      ({ message }) => /(first|second)-read/.exec(JSON.stringify(message))?.[0],
    );
    expect(labels).toEqual(['first-read', 'first-read', 'second-read']);
  });

  test('is nothing as long as the bus does not tell: the newsroom has instances of its own', async () => {
    const { listen, told } = stage('skill', {
      messages: [opening.message],
      registrations: [refused(503, 'registry.unavailable')],
      verdicts: [accepted],
    });
    await listen();
    expect(JSON.stringify(told)).toContain('fennel-high-priority');
  });

  test('is not asked for by others', async () => {
    const { listen } = stage('mam', { messages: [opening.message], verdicts: [accepted] });
    expect(await listen()).not.toContainEqual(['registrations']);
  });
});

describe('a role', () => {
  const backlog = { outcome: 'backlog', oldestSeconds: null };

  test.each([
    [true, { ...backlog, visible: 0, inFlight: 0 }],
    [false, { ...backlog, visible: 1, inFlight: 0 }],
    [false, { ...backlog, visible: 0, inFlight: 1 }],
    [false, { ...backlog, visible: 1, inFlight: 1 }],
    [false, { ...refused(503, 'registry.unavailable'), visible: 0, inFlight: 0 }],
  ])('is done: %s, with the backlog %j', async (isDone, found) => {
    expect(await stage('cms', { backlog: found }).actor.isDone()).toBe(isDone);
  });

  test('that gets no token is not done, but refused', async () => {
    await expect(stage('cms', { backlog: tokenRefused }).actor.isDone()).rejects.toThrow(
      'cms gets no token (invalid_client: unknown)',
    );
  });
});
