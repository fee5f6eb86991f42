import { createHash } from 'node:crypto';
import type { Connection } from '../../lib/access/registry/connection.ts';
import type { InjectedFault, RunAudience } from '../../lib/access/registry/test-runs.ts';
import type { Published, Verdict } from '../../lib/bus/publishing/verdict.ts';
import { runAudience } from '../../lib/checks/run-audience.http.ts';
import { correlationOfRun, storyPrefix } from '../../lib/contract/identifiers.ts';
import type { HttpResponse } from '../../lib/platform/http/response.ts';
import type { Message } from '../../lib/som/messages/read-message.ts';
import { producer } from '../corpus/connections.ts';
import { frozenClock } from '../support/identity-fakes.ts';

const run = 't222222222222';
const earlier = 't333333333333';
const id = '0192f3a4-0000-7000-8000-00000000000a';
const start = Date.parse('2026-05-04T09:00:00Z');

interface Known {
  readonly runs?: Readonly<Record<string, RunAudience>>;
  readonly fault?: InjectedFault;
}

/** What a run of checks knows and wants, and what it is told. */
const here = ({ runs = {}, fault }: Known = {}) => {
  const asked: unknown[] = [];
  const clock = frozenClock(start);
  const audience = runAudience({
    clock,
    testRuns: {
      audienceOf: async (wanted, workspace) => {
        asked.push(['audienceOf', wanted, workspace]);
        return runs[wanted];
      },
      takeFault: async of => {
        asked.push(['takeFault', of]);
        return fault;
      },
      note: async (...given) => {
        await Promise.resolve();
        asked.push(['note', ...given]);
      },
    },
  });
  return { asked, audience, clock };
};

const messageOf = (correlationId: string, payload: object = {}): Message => ({
  messageId: id,
  messageType: 'link.committed',
  correlationId,
  systemId: 'desk-1',
  family: null,
  tolerated: [],
  body: Buffer.from(JSON.stringify({ payload })),
  bodyHash: 'h',
});

const audienceOf = async (known: Known, connection: Partial<Connection>, message: Message) => {
  const { asked, audience } = here(known);
  return { audience: await audience.of(producer(connection))(message), asked };
};

describe('a message of a run', () => {
  const ofRun = messageOf(correlationOfRun(run, 3));
  const other = (payload: object = {}) =>
    messageOf('0192f3a4-0000-7000-8000-00000000000b', payload);
  const knowing: Known = { runs: { [run]: { consumer: 'c1', labels: ['gate'] } } };

  test('is for its consumer alone, whoever sends it', async () => {
    expect(await audienceOf(knowing, {}, ofRun)).toEqual({
      audience: { kind: 'of run', consumer: 'c1' },
      asked: [['audienceOf', run, 'waaaaaaaaaaaa']],
    });
  });

  test('is for nobody in a run without a consumer', async () => {
    const alone: Known = { runs: { [run]: { labels: [] } } };
    expect(await audienceOf(alone, { underTest: run }, ofRun)).toEqual({
      audience: { kind: 'of run' },
      asked: [['audienceOf', run, 'waaaaaaaaaaaa']],
    });
  });

  test('correlation_id.reserved: is refused if there is no such run', async () => {
    const { audience } = await audienceOf({}, {}, ofRun);
    expect(audience).toMatchObject({
      kind: 'refused',
      violations: [{ rule: 'correlation_id.reserved', path: '/correlation_id' }],
    });
  });

  test('is also one about its story, or by its instance, of the producer in it', async () => {
    const audience = { kind: 'of run', consumer: 'c1' };
    const asked = [['audienceOf', run, 'waaaaaaaaaaaa']];
    for (const payload of [{ story_id: `${storyPrefix(run)}case` }, { rule_id: 'gate' }]) {
      const message = other(payload);
      expect(await audienceOf(knowing, { underTest: run }, message)).toEqual({ audience, asked });
      expect(await audienceOf(knowing, {}, message)).toEqual({ audience: undefined, asked: [] });
    }
    for (const payload of [
      { story_id: `x${storyPrefix(run)}case` },
      { story_id: `${storyPrefix(earlier)}case` },
      { rule_id: 'gates' },
      {},
    ])
      expect(await audienceOf(knowing, { underTest: run }, other(payload))).toEqual({
        audience: undefined,
        asked,
      });
  });

  test('is also one of the run before, until its time is over', async () => {
    const known: Known = { runs: { [earlier]: { consumer: 'c0', labels: ['old'] } } };
    const message = other({ rule_id: 'old' });
    const within = { underTest: run, testedIn: { run: earlier, until: start + 1 } };
    expect(await audienceOf(known, within, message)).toEqual({
      audience: { kind: 'of run', consumer: 'c0' },
      asked: [
        ['audienceOf', run, 'waaaaaaaaaaaa'],
        ['audienceOf', earlier, 'waaaaaaaaaaaa'],
      ],
    });
    const over = { testedIn: { run: earlier, until: start } };
    expect(await audienceOf(known, over, message)).toEqual({ audience: undefined, asked: [] });
  });
});

describe('a publish', () => {
  const body = Buffer.from(
    JSON.stringify({
      message_id: id.toUpperCase(),
      message_type: 'link.committed',
      correlation_id: id.toUpperCase(),
    }),
  );
  const answer: HttpResponse = {
    status: 202,
    headers: { a: 'b' },
    body: { accepted: true },
    log: {},
  };
  const accepted = { kind: 'accepted', message: messageOf('k1') } as unknown as Verdict;
  const refusedTwice = {
    kind: 'refused',
    violations: [{ rule: 'grant.type' }, { rule: 'message.json' }, { rule: 'grant.type' }],
    named: { messageType: 'story.context' },
  } as unknown as Verdict;

  const published = async (
    known: Known,
    {
      verdict = accepted,
      sent = body,
      underTest,
    }: {
      verdict?: Verdict;
      sent?: Uint8Array;
      underTest?: string;
    } = { underTest: run },
  ) => {
    const { audience, asked, clock } = here(known);
    const publish = async (): Promise<Published<HttpResponse>> => {
      asked.push(['publish', clock.now() - start]);
      return { verdict, response: answer } as Published<HttpResponse>;
    };
    const connection = producer(underTest === undefined ? {} : { underTest });
    const of = { producer: connection, body: sent } as Parameters<typeof audience.serve>[0];
    return { response: await audience.serve(of, publish), asked };
  };

  const seen = (changes: object = {}) => ({
    kind: 'attempt',
    at: start,
    messageId: id,
    messageType: 'link.committed',
    correlationId: id,
    bodyHash: createHash('sha256').update(body).digest('base64url'),
    sizeBytes: body.length,
    message: JSON.parse(String(body)),
    ...changes,
  });
  const told = { messageId: id, messageType: 'link.committed', correlationId: 'k1' };

  test('of a producer in no run is only published', async () => {
    expect(await published({}, {})).toEqual({ response: answer, asked: [['publish', 0]] });
  });

  test('in a run that does not go on is only published', async () => {
    expect(await published({})).toEqual({
      response: answer,
      asked: [
        ['takeFault', run],
        ['publish', 0],
      ],
    });
  });

  test('in a run is recorded, with what came of it', async () => {
    expect(await published({ fault: {} })).toStrictEqual({
      response: answer,
      asked: [
        ['takeFault', run],
        ['publish', 0],
        ['note', run, seen({ outcome: 'accepted', rules: [], ...told })],
      ],
    });
    const refused = await published({ fault: {} }, { verdict: refusedTwice, underTest: run });
    expect(refused).toStrictEqual({
      response: answer,
      asked: [
        ['takeFault', run],
        ['publish', 0],
        [
          'note',
          run,
          seen({
            outcome: 'refused',
            rules: ['grant.type', 'message.json'],
            messageType: 'story.context',
          }),
        ],
      ],
    });
  });

  test('that is no message is recorded without a message or names', async () => {
    const texts = ['[]', 'no json', '{"message_id":7}'];
    for (const text of texts) {
      const sent = Buffer.from(text);
      const verdict = { ...refusedTwice, named: {} } as Verdict;
      const { asked } = await published({ fault: {} }, { verdict, sent, underTest: run });
      expect(asked[2]).toStrictEqual([
        'note',
        run,
        {
          kind: 'attempt',
          at: start,
          bodyHash: createHash('sha256').update(sent).digest('base64url'),
          sizeBytes: sent.length,
          outcome: 'refused',
          rules: ['grant.type', 'message.json'],
          ...(text.startsWith('{') && { message: { message_id: 7 } }),
        },
      ]);
    }
  });

  test('is recorded with its content up to 32 KiB', async () => {
    for (const [size, isKept] of [
      [32_768, true],
      [32_769, false],
    ] as const) {
      const sent = Buffer.from(JSON.stringify({ a: 'x'.repeat(size - 8) }));
      expect(sent).toHaveLength(size);
      const { asked } = await published({ fault: {} }, { sent, underTest: run });
      const [, , [, , sighting]] = asked as [unknown, unknown, [string, string, object]];
      expect(sighting).toMatchObject({ sizeBytes: size });
      expect('message' in sighting).toBe(isKept);
    }
  });

  test('is answered late if the run wants that, and recorded at that time', async () => {
    const { response, asked } = await published({ fault: { slowMilliseconds: 700 } });
    expect(response).toBe(answer);
    expect(asked).toEqual([
      ['takeFault', run],
      ['publish', 700],
      [
        'note',
        run,
        seen({ at: start + 700, outcome: 'accepted', rules: [], injected: 'slow', ...told }),
      ],
    ]);
  });

  test.each<[string, NonNullable<InjectedFault['refuse']>, string, string | undefined]>([
    ['401', { status: 401, retryAfterSeconds: 4 }, 'producer.unauthenticated', undefined],
    ['429', { status: 429, retryAfterSeconds: 4 }, 'rate.limited', '4'],
    ['429 without a time', { status: 429 }, 'rate.limited', '1'],
    ['503', { status: 503, retryAfterSeconds: 9 }, 'registry.unavailable', '9'],
    ['503 without a time', { status: 503 }, 'registry.unavailable', undefined],
  ])(
    'is refused with %s if the run wants that, and not published',
    async (_title, refuse, rule, after) => {
      const { response, asked } = await published({ fault: { refuse } });
      expect(response).toMatchObject({ status: refuse.status, log: { rule } });
      expect(response.headers['retry-after']).toBe(after);
      const { retryAfterSeconds } = refuse;
      expect(asked).toStrictEqual([
        ['takeFault', run],
        [
          'note',
          run,
          seen({
            outcome: 'refused',
            rules: [],
            injected: 'refused',
            ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
          }),
        ],
      ]);
    },
  );

  test('is published and its response lost if the run wants that, unless it is refused', async () => {
    const lost = await published({ fault: { loseResponse: true, slowMilliseconds: 5 } });
    expect(lost.response).toMatchObject({ status: 503, log: { rule: 'bus.publish_failed' } });
    expect(lost.asked).toEqual([
      ['takeFault', run],
      ['publish', 5],
      [
        'note',
        run,
        seen({ at: start + 5, outcome: 'accepted', rules: [], injected: 'lost', ...told }),
      ],
    ]);
    const refused = await published(
      { fault: { loseResponse: true } },
      { verdict: refusedTwice, underTest: run },
    );
    expect(refused.response).toBe(answer);
    expect(refused.asked[2]).toMatchObject(['note', run, { outcome: 'refused' }]);
    expect(JSON.stringify(refused.asked[2])).not.toContain('injected');
  });
});
