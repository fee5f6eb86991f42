import {
  type Bus,
  ConsumerRefused,
  NoResponse,
  type SomMessage,
} from '../../../lib/kit/client/index.ts';
import { answerMessages } from '../../../lib/kit/executor/answering.ts';
import {
  type Executor,
  type ExecutorEvent,
  ExecutorRefused,
  runExecutor,
} from '../../../lib/kit/executor/index.ts';
import { Memory } from '../../../lib/kit/executor/memory.file.ts';
import { breaking, instanceOf, message, snapshot } from './stage.ts';

const next = () => new Promise(setImmediate);
const unreached = new NoResponse('https://bus.example/v1', 2, undefined);
const unreachedWords = 'https://bus.example gave no response in 2 attempts.';

const refused = (status: number, ...rules: readonly string[]) => ({
  outcome: 'refused',
  status,
  violations: rules.map(rule => ({ source: 'policy', rule, message: `${rule}!` })),
});
const tokenRefused = {
  outcome: 'token_refused',
  status: 401,
  error: 'invalid_client',
  description: 'unknown',
};

/** Each in turn, and the last one again and again. */
const turns = (answers: readonly unknown[]) => {
  const left = [...answers];
  return async () => {
    await next();
    const answer = left.length > 1 ? left.shift() : left[0];
    if (answer instanceof Error) throw answer;
    return answer;
  };
};

describe('answering messages', () => {
  const staged = (rounds: readonly (readonly string[] | Error)[], answers: readonly boolean[]) => {
    const journal: (readonly unknown[])[] = [];
    const stop = new AbortController();
    const left = [...rounds];
    const answered = [...answers];
    const consumer = {
      async *consume({ signal, ...options }: { signal: AbortSignal }) {
        journal.push(['consume', signal === stop.signal, options]);
        const round = left.shift() ?? [];
        if (left.length === 0) stop.abort();
        if (round instanceof Error) throw round;
        for (const one of round) {
          const release = async (seconds: number) => {
            await next();
            journal.push(['released', one, seconds]);
          };
          yield { message: one, release };
        }
      },
    };
    const answering = answerMessages(consumer as unknown as Bus, {
      max: 3,
      signal: stop.signal,
      answer: async one => {
        journal.push(['answer', one]);
        await next();
        journal.push(['answered', one]);
        return answered.shift() ?? true;
      },
      sleep: async (milliseconds, signal) => {
        await next();
        journal.push(['slept', milliseconds, signal === stop.signal]);
      },
    });
    return { journal, answering };
  };
  const consume = ['consume', true, { max: 3 }];

  test('gives back after two seconds what could not be answered, before the next one', async () => {
    const { journal, answering } = staged([['a', 'b']], [false, true]);
    await answering;
    expect(journal).toEqual([
      consume,
      ...[
        ['answer', 'a'],
        ['answered', 'a'],
        ['released', 'a', 2],
      ],
      ...[
        ['answer', 'b'],
        ['answered', 'b'],
      ],
    ]);
  });

  test('goes on after two seconds when the bus was away', async () => {
    const { journal, answering } = staged([unreached, ['a'], []], []);
    await answering;
    expect(journal).toEqual([
      ...[consume, ['slept', 2_000, true]],
      ...[consume, ['answer', 'a'], ['answered', 'a']],
      consume,
    ]);
  });

  test('ends with another error, unless it was stopped anyway', async () => {
    await expect(staged([new Error('broken'), []], []).answering).rejects.toThrow('broken');
    await expect(staged([new Error('stopped')], []).answering).resolves.toBeUndefined();
  });
});

describe('an executor', () => {
  const raising = instanceOf('raise-flag-on-match', 'house-breaking', {
    match_field: 'lifecycle.phase',
    match_value: 'BREAKING',
    flag_name: 'phase-unsettled',
    clearing_authority: 'duty-editor',
  });
  const registration = {
    registrationId: 'raaaaaaaaaaaa',
    skillId: raising.skillId,
    skillVersion: raising.skillVersion,
    instanceLabel: 'registered',
    values: raising.values,
    paused: false,
  };
  const registrations = (...found: readonly object[]) => ({
    outcome: 'registrations',
    registrations: found,
  });
  const trigger = message('story.context', snapshot(1, breaking));

  interface Given {
    readonly messages?: readonly SomMessage[];
    readonly published?: readonly unknown[];
    readonly registered?: readonly unknown[];
    readonly instances?: Executor['instances'];
    readonly consumed?: Error;
    /** How often the registrations are read anew before it is stopped. */
    readonly turns?: number;
  }

  const staged = (given: Given) => {
    const journal: (readonly unknown[])[] = [];
    const events: ExecutorEvent[] = [];
    const stop = new AbortController();
    const publish = turns(given.published ?? [{ outcome: 'accepted' }]);
    const read = turns(given.registered ?? []);
    let turnsLeft = given.turns ?? 0;
    const ends = ({ signal, ...more }: { signal?: AbortSignal }) => {
      if (!signal || signal.aborted) throw new Error('The call does not end with the executor.');
      return more;
    };
    const consumer = {
      async *consume(options: { signal: AbortSignal }) {
        journal.push(['consume', ends(options)]);
        if (given.consumed) throw given.consumed;
        for (const one of given.messages ?? []) {
          const release = async (seconds: number) => void journal.push(['release', seconds]);
          yield { message: one, release };
        }
        if (given.turns) await new Promise(done => options.signal.addEventListener('abort', done));
        stop.abort();
      },
      registrations: async (options: { signal: AbortSignal }) => {
        ends(options);
        journal.push(['registrations']);
        return read();
      },
    };
    const producer = {
      compose: (draft: { message_type: string; cause: SomMessage; payload: object }) => ({
        ...message(draft.message_type, draft.payload),
        causation_id: draft.cause.message_id,
      }),
      publish: async (text: string, options: { signal: AbortSignal }) => {
        journal.push(['publish', JSON.parse(text).payload.rule_id, ends(options)]);
        return publish();
      },
    };
    const memory = new Memory('c1');
    const done = runExecutor({
      consumer: consumer as unknown as Bus,
      producer: producer as unknown as Bus,
      ...(given.instances && { instances: given.instances }),
      state: { memory, save: () => void journal.push(['save']) },
      newId: () => 'w1' as never,
      sleep: async (milliseconds, signal) => {
        await next();
        journal.push(['slept', milliseconds]);
        if (turnsLeft === 0) stop.abort();
        turnsLeft -= 1;
        signal.throwIfAborted();
      },
      signal: stop.signal,
      report: event => void events.push(event),
    });
    return { journal, events, done };
  };
  const consume = ['consume', { visibility: 60 }];
  const sent = ['publish', 'house-breaking', { deadline: 20_000 }];

  test('keeps what it will say before it says it, and tells what became of it', async () => {
    const quiet = message('telling.started', {});
    const { journal, events, done } = staged({
      instances: [raising],
      messages: [trigger, { ...quiet, correlation_id: quiet.message_id }],
    });
    await done;
    expect(journal).toEqual([consume, ['save'], sent]);
    expect(events).toEqual([
      { kind: 'instances', labels: ['house-breaking'] },
      {
        kind: 'answered',
        trigger,
        warning: expect.objectContaining({
          message_type: 'skill.warning.raised',
          causation_id: trigger.message_id,
          payload: {
            warning_id: 'w1',
            skill_id: 'smart-stories/raise-flag-on-match',
            skill_version: '0.2.2',
            story_id: 'harbour-fire',
            scope: 'story:harbour-fire',
            severity: 'flag',
            rule_id: 'house-breaking',
            non_overridable: false,
            affected_fields: ['lifecycle.phase'],
            detail:
              'phase-unsettled: lifecycle.phase is BREAKING, which is BREAKING; ' +
              'duty-editor or above clears it.',
            blocks: [],
            skill_warning_ref: 'house-breaking/story:harbour-fire/1',
          },
        }),
        outcome: 'accepted',
      },
    ]);
  });

  test.each([
    ['duplicate', { outcome: 'duplicate' }, false],
    ['refused by payload.invalid', refused(400, 'payload.invalid', 'message.too_deep'), false],
    ['refused by commit.contention', refused(409, 'commit.contention'), true],
    ['refused by registry.unavailable', refused(503, 'registry.unavailable'), true],
    [
      'refused by bus.publish_failed',
      { ...refused(503, 'bus.publish_failed'), outcome: 'uncertain' },
      true,
    ],
    ['no response', unreached, true],
  ])('that hears %s', async (outcome, answer, comesAgain) => {
    const { journal, events, done } = staged({
      instances: [raising],
      messages: [trigger],
      published: [answer],
    });
    await done;
    expect(journal).toEqual([consume, ['save'], sent, ...(comesAgain ? [['release', 2]] : [])]);
    expect(events.slice(1)).toMatchObject([{ kind: 'answered', outcome }]);
  });

  test('says nothing more of a message after what the bus could not take', async () => {
    const other = { ...raising, label: 'other' };
    const { journal, done } = staged({
      instances: [raising, other],
      messages: [trigger],
      published: [unreached],
    });
    await done;
    expect(journal).toEqual([consume, ['save'], sent, ['release', 2]]);
  });

  test('that is refused says what was refused', async () => {
    const producer = staged({
      instances: [raising],
      messages: [trigger],
      published: [tokenRefused],
    }).done;
    await expect(producer).rejects.toThrow(ExecutorRefused);
    await expect(producer).rejects.toThrow('The producer gets no token (invalid_client: unknown).');
    const consumed = new ConsumerRefused(tokenRefused as never);
    const consumer = staged({ instances: [], consumed }).done;
    await expect(consumer).rejects.toThrow(ExecutorRefused);
    await expect(consumer).rejects.toThrow('The consumer was refused: invalid_client: unknown');
    await expect(staged({ instances: [], consumed: new Error('broken') }).done).rejects.toThrow(
      /^broken$/,
    );
    const published = [new Error('broken')];
    await expect(
      staged({ instances: [raising], messages: [trigger], published }).done,
    ).rejects.toThrow(/^broken$/);
  });

  test('without instances of its own reads the registered ones every minute, and tells changes', async () => {
    const paused = { ...registration, instanceLabel: 'paused', paused: true };
    const unusable = { ...registration, instanceLabel: 'odd', skillVersion: '0.3.0' };
    const { journal, events, done } = staged({
      turns: 5,
      registered: [
        registrations(registration, paused),
        registrations(registration),
        refused(403, 'consumer.forbidden', 'other'),
        tokenRefused,
        unreached,
        registrations(unusable),
      ],
    });
    await done;
    const minute = [['slept', 60_000], ['registrations']];
    expect(journal).toEqual([
      ...[['registrations'], consume],
      ...Array.from({ length: 5 }, () => minute).flat(),
      ['slept', 60_000],
    ]);
    const problem = (words: string) => ({ kind: 'problem', words });
    expect(events).toEqual([
      { kind: 'instances', labels: ['registered'] },
      problem('The registered instances could not be read (consumer.forbidden).'),
      problem('The registered instances could not be read (invalid_client).'),
      problem(`The registered instances could not be read: ${unreachedWords}`),
      problem(
        'The instance odd is left out: this executor has the ten skills of library 0.2.2, and ' +
          'smart-stories/raise-flag-on-match 0.3.0 is none of them.',
      ),
      { kind: 'instances', labels: [] },
    ]);
  });

  test('ends when the registrations break in another way', async () => {
    const registered = [registrations(), new Error('broken')];
    await expect(staged({ turns: 5, registered }).done).rejects.toThrow('broken');
    await expect(staged({ registered: registered.slice(1) }).done).rejects.toThrow('broken');
  });
});
