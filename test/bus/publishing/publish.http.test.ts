import type { Connection } from '../../../lib/access/registry/connection.ts';
import { type Admission, workspaceBearer } from '../../../lib/access/trust/admission.http.ts';
import { publishEdge, validateEdge } from '../../../lib/bus/publishing/publish.http.ts';
import type { PublishAudience, Published } from '../../../lib/bus/publishing/verdict.ts';
import { refuse } from '../../../lib/contract/refusals.ts';
import type { HttpRequest } from '../../../lib/platform/http/request.ts';
import { type HttpResponse, response } from '../../../lib/platform/http/response.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { SimLedger } from '../../simulation/sim-ledger.ts';
import { ledgerIn } from '../../support/fakes/ledger.ts';
import { logIn } from '../../support/fakes/log.ts';
import { queuesInMemory } from '../../support/fakes/queues.ts';
import { recorderInMemory } from '../../support/fakes/recorder.ts';
import { registryOver } from '../../support/fakes/registry.ts';
import { countingIds, frozenClock } from '../../support/identity-fakes.ts';
import { linkCommitted, sentBy, storyContext } from '../../support/messages.ts';

const at = Date.parse('2026-05-04T09:00:00Z');
const workspace = 'wbbbbbbbbbbbb';
const producer = connectionOf('cproducer2222', 'producer', workspace);
const consumers = [
  connectionOf('cconsumer2222', 'consumer', workspace),
  connectionOf('cconsumer3333', 'consumer', workspace),
];
const caller = { connection: 'cproducer2222', workspace: 'wbbbbbbbbbbbb' };
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

type Sent = Readonly<Record<string, unknown>>;

const bytesOf = (message: Sent) => Buffer.from(JSON.stringify(message));

const requestOf = (message: Sent, changes: Partial<HttpRequest> = {}): HttpRequest => ({
  requestId: 'request-1',
  headers: { 'content-type': 'application/json' },
  pathParameters: { t: workspace },
  query: {},
  body: bytesOf(message),
  caller,
  ...changes,
});

const namesOf = (message: Sent) => ({
  messageId: message['message_id'],
  messageType: message['message_type'],
  correlationId: message['correlation_id'],
});

interface Options {
  readonly audience?: PublishAudience<HttpResponse>;
  readonly send?: () => Promise<undefined>;
  readonly admission?: Admission<unknown>;
}

/** The publish route and the dry run of a bus in memory with one producer and two consumers. */
const busWith = ({ audience, send, admission }: Options = {}) => {
  const memory = new SimLedger();
  const clock = frozenClock(at);
  const recorder = recorderInMemory();
  const existing = consumers.flatMap(({ queue }) => queue ?? []);
  const queues = queuesInMemory({ clock, existing, ...(send ? { before: send } : {}) });
  const ports = {
    clock,
    ids: countingIds(),
    registry: registryOver({ connections: () => [producer, ...consumers] }),
    ledger: ledgerIn(memory, clock),
    log: logIn(memory),
    queues: queues.port,
    recorder: recorder.port,
    ...(audience ? { audience } : {}),
  };
  const admits = admission ?? workspaceBearer;
  return {
    publish: publishEdge(ports, admits),
    dryRun: validateEdge(ports, admits),
    recorded: recorder.recorded,
    sent: queues.sent,
    entries: () => memory.committed.map(({ commit }) => commit.entry),
  };
};

describe('an accepted publish', () => {
  test('is told its id, its type and the schema that checked it, and is counted for its consumers', async () => {
    const { publish, recorded, sent, entries } = busWith();
    const message = linkCommitted();
    expect(await publish(requestOf(message))).toEqual({
      status: 202,
      headers: {},
      body: {
        accepted: true,
        message_id: message['message_id'],
        message_type: 'link.committed',
        family: 'link-event',
      },
      log: { ...caller, ...namesOf(message) },
    });
    expect(recorded).toEqual([{ kind: 'accepted', ...caller, at, copies: 2 }]);
    expect(sent).toHaveLength(2);
    expect(entries()).toHaveLength(1);
    expect(entries()[0]).not.toHaveProperty('isOfRun');
  });

  test('of a snapshot is recorded with what people call its story', async () => {
    const { publish, recorded } = busWith();
    const message = storyContext({ story_id: 'story-1', slug: 'HARBOUR', headline: 'A fire' });
    expect(await publish(requestOf(message))).toMatchObject({ status: 202 });
    const title = {
      storyId: 'story-1',
      correlationId: message['correlation_id'],
      headline: 'A fire',
      slug: 'HARBOUR',
    };
    expect(recorded).toEqual([{ kind: 'accepted', ...caller, at, copies: 2, title }]);
  });

  test('is told what was tolerated', async () => {
    const { publish } = busWith();
    const snapshot = (sequence_number: number) =>
      requestOf(storyContext({ story_id: 'story-1', sequence_number }));
    expect((await publish(snapshot(1))).body).not.toHaveProperty('tolerated');
    expect((await publish(snapshot(3))).body).toMatchObject({
      accepted: true,
      tolerated: [{ rule: 'sequence_number.gap' }],
    });
  });

  test('is logged and sent with its trace, if the request is part of exactly one', async () => {
    const { publish, entries } = busWith();
    const headersWith = (trace: string) => ({
      headers: { 'content-type': 'application/json', traceparent: trace },
    });
    const traced = await publish(requestOf(linkCommitted(), headersWith(traceparent)));
    expect(traced).toMatchObject({ status: 202, log: { ...caller, traceparent } });
    const unclear = await publish(requestOf(linkCommitted(), headersWith('00-0-0-01')));
    expect(unclear.log).not.toHaveProperty('traceparent');
    expect(entries().map(entry => entry.traceparent)).toEqual([traceparent, undefined]);
    expect((await publish(requestOf(linkCommitted()))).log).not.toHaveProperty('traceparent');
  });
});

test('a repeated message is told so, and is recorded as a repetition', async () => {
  const { publish, recorded, sent } = busWith();
  const message = linkCommitted();
  await publish(requestOf(message));
  expect(await publish(requestOf(message))).toEqual({
    status: 200,
    headers: {},
    body: { accepted: true, duplicate: true, message_id: message['message_id'] },
    log: { ...caller, ...namesOf(message) },
  });
  expect(recorded.slice(1)).toEqual([
    {
      kind: 'repeated',
      ...caller,
      at,
      sizeBytes: bytesOf(message).byteLength,
      message: expect.objectContaining(namesOf(message)),
    },
  ]);
  expect(sent).toHaveLength(2);
});

describe('a refused publish', () => {
  test('is told why, and is recorded with its text and what it calls itself', async () => {
    const { publish, recorded, entries } = busWith();
    const message = linkCommitted({ topic: 'elsewhere' });
    const violations = [expect.objectContaining({ rule: 'envelope.pattern', path: '/topic' })];
    expect(await publish(requestOf(message))).toEqual({
      status: 400,
      headers: {},
      body: { accepted: false, violations },
      log: { ...caller, rule: 'envelope.pattern' },
    });
    expect(recorded).toEqual([
      {
        kind: 'refused',
        ...caller,
        at,
        sizeBytes: bytesOf(message).byteLength,
        message: namesOf(message),
        violations,
        text: { organisation: 'o222222222222', body: bytesOf(message) },
      },
    ]);
    expect(entries()).toEqual([]);
  });

  test('is recorded without names if its body is not JSON', async () => {
    const { publish, recorded } = busWith();
    const refusal = await publish(requestOf({}, { body: Buffer.from('{') }));
    expect([refusal.status, refusal.log]).toEqual([400, { ...caller, rule: 'message.not_json' }]);
    const [attempt] = recorded;
    expect(attempt?.kind === 'refused' && attempt.message).toEqual({});
  });

  test('producer.system_id_not_allowed: is recorded by its names, which the log does not have', async () => {
    const { publish, recorded } = busWith();
    const message = sentBy('another-ncs');
    expect(await publish(requestOf(message))).toMatchObject({
      status: 403,
      log: { ...caller, rule: 'producer.system_id_not_allowed' },
    });
    expect(recorded).toMatchObject([{ kind: 'refused', message: namesOf(message) }]);
  });

  test('sequence_number.not_increasing: is logged by its names, since it was valid by itself', async () => {
    const { publish, recorded } = busWith();
    const snapshot = () => storyContext({ story_id: 'story-1', sequence_number: 7 });
    await publish(requestOf(snapshot()));
    const second = snapshot();
    const refusal = await publish(requestOf(second));
    expect(refusal.status).toBe(409);
    expect(refusal.log).toEqual({
      ...caller,
      ...namesOf(second),
      rule: 'sequence_number.not_increasing',
    });
    expect(recorded.map(({ kind }) => kind)).toEqual(['accepted', 'refused']);
    expect(recorded[1]).toMatchObject({ message: namesOf(second) });
  });

  test('bus.publish_failed: is counted as accepted too, and its log line names error and queue', async () => {
    const error = Object.assign(new Error('hung'), { name: 'TimeoutError' });
    const { publish, recorded, entries } = busWith({ send: () => Promise.reject(error) });
    const message = linkCommitted();
    const refusal = await publish(requestOf(message));
    expect(refusal.status).toBe(503);
    expect(refusal.log).toEqual({
      ...caller,
      ...namesOf(message),
      error: 'TimeoutError',
      errorQueue: 'sombus-cconsumer3333.fifo',
      rule: 'bus.publish_failed',
    });
    const later = expect.any(Number);
    expect(recorded).toEqual([
      { kind: 'accepted', ...caller, at: later, copies: 2 },
      {
        kind: 'refused',
        ...caller,
        at: later,
        sizeBytes: bytesOf(message).byteLength,
        message: expect.objectContaining(namesOf(message)),
        violations: [expect.objectContaining({ rule: 'bus.publish_failed' })],
        text: { organisation: 'o222222222222', body: bytesOf(message) },
      },
    ]);
    expect(entries()).toHaveLength(1);
  });
});

describe('a request that is not served', () => {
  const neverAsked: Admission<unknown> = () => async () => {
    throw new Error('nobody is to be asked');
  };

  test('producer.unauthenticated: it has neither a caller nor a signer', async () => {
    const { publish, recorded } = busWith({ admission: neverAsked });
    const { caller: _nobody, ...unsigned } = requestOf(linkCommitted());
    expect(await publish(unsigned)).toEqual({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
      body: { accepted: false, violations: [expect.anything()] },
      log: { rule: 'producer.unauthenticated' },
    });
    expect(recorded).toEqual([]);
  });

  test('message.unsupported_media_type: its body is not declared as JSON', async () => {
    const { publish, recorded } = busWith({ admission: neverAsked });
    const headers = { 'content-type': 'text/plain' };
    expect(await publish(requestOf(linkCommitted(), { headers }))).toMatchObject({
      status: 415,
      log: { ...caller, rule: 'message.unsupported_media_type' },
    });
    expect(recorded).toEqual([]);
  });

  test('tenant.mismatch: its caller is not admitted', async () => {
    const { publish, recorded, entries } = busWith();
    const elsewhere = { pathParameters: { t: 'wcccccccccccc' } };
    expect(await publish(requestOf(linkCommitted(), elsewhere))).toMatchObject({
      status: 403,
      log: { ...caller, rule: 'tenant.mismatch' },
    });
    expect([recorded, entries()]).toEqual([[], []]);
  });
});

test('a signed request is served without a caller, once its signer is admitted', async () => {
  const signers: (string | undefined)[] = [];
  const admission: Admission<unknown> = () => async request => {
    signers.push(request.signer);
    return { kind: 'admitted', connection: producer };
  };
  const { publish, recorded } = busWith({ admission });
  const { caller: _nobody, ...unsigned } = requestOf(linkCommitted());
  const signer = 'arn:aws:sts::123456789012:assumed-role/newsroom/session';
  expect(await publish({ ...unsigned, signer })).toMatchObject({ status: 202, log: caller });
  expect(signers).toEqual([signer]);
  expect(recorded).toMatchObject([{ kind: 'accepted', ...caller }]);
});

describe('the audience of a producer', () => {
  const answering = (answer: PublishAudience<HttpResponse>['serve']) => {
    const producers: Connection[] = [];
    const audience: PublishAudience<HttpResponse> = {
      of(one) {
        producers.push(one);
        return async () => ({ kind: 'of run', consumer: 'cconsumer3333' });
      },
      serve: answer,
    };
    return { ...busWith({ audience }), producers };
  };

  test('alone gets the message, and may answer in its own way once it is published', async () => {
    const seen: [attempt: unknown, published: Published<HttpResponse>][] = [];
    const { publish, recorded, sent, entries, producers } = answering(
      async (attempt, publishIt) => {
        seen.push([attempt, await publishIt()]);
        return response(418, 'tea');
      },
    );
    const message = linkCommitted();
    const { status, body } = await publish(requestOf(message));
    expect([status, body]).toEqual([418, 'tea']);
    expect(producers).toEqual([producer]);
    expect(sent.map(({ queue }) => queue)).toEqual(['sombus-cconsumer3333.fifo']);
    expect(entries()).toMatchObject([{ isOfRun: true }]);
    expect(recorded).toEqual([{ kind: 'accepted', ...caller, at, copies: 1 }]);
    expect(seen).toEqual([
      [
        { producer, body: bytesOf(message) },
        {
          verdict: expect.objectContaining({ kind: 'accepted', copies: 1 }),
          response: expect.objectContaining({ status: 202 }),
        },
      ],
    ]);
  });

  test('may answer without publishing', async () => {
    const { publish, recorded, entries } = answering(async () => response(429, undefined));
    expect(await publish(requestOf(linkCommitted()))).toMatchObject({ status: 429 });
    expect([recorded, entries()]).toEqual([[], []]);
  });
});

describe('a dry run', () => {
  test('answers as a publish does, says that it is none, and records and sends nothing', async () => {
    const { dryRun, recorded, sent, entries } = busWith();
    const message = linkCommitted();
    expect(await dryRun(requestOf(message))).toEqual({
      status: 202,
      headers: {},
      body: {
        accepted: true,
        message_id: message['message_id'],
        message_type: 'link.committed',
        family: 'link-event',
        dry_run: true,
      },
      log: { ...caller, ...namesOf(message) },
    });
    expect([recorded, sent, entries()]).toEqual([[], [], []]);
  });

  test('knows what was accepted before', async () => {
    const { publish, dryRun } = busWith();
    const message = storyContext({ story_id: 'story-1', sequence_number: 1 });
    await publish(requestOf(message));
    expect(await dryRun(requestOf(message))).toMatchObject({
      status: 200,
      body: { accepted: true, duplicate: true, message_id: message['message_id'] },
    });
    const next = (sequence_number: number) =>
      dryRun(requestOf(storyContext({ story_id: 'story-1', sequence_number })));
    expect(await next(1)).toMatchObject({
      status: 409,
      body: { violations: [{ rule: 'sequence_number.not_increasing' }] },
    });
    expect(await next(4)).toMatchObject({
      status: 202,
      body: { tolerated: [{ rule: 'sequence_number.gap' }], dry_run: true },
    });
  });

  test('is refused as a publish is, and recorded nowhere', async () => {
    const { dryRun, recorded } = busWith();
    const refusal = await dryRun(requestOf(linkCommitted({ topic: 'elsewhere' })));
    expect(refusal).toMatchObject({
      status: 400,
      body: { accepted: false, violations: [{ rule: 'envelope.pattern', path: '/topic' }] },
    });
    expect(recorded).toEqual([]);
  });

  test('is refused as the audience refuses the message', async () => {
    const audience: PublishAudience<HttpResponse> = {
      of: one => async () =>
        refuse('correlation_id.reserved', `${one.id} may not use this correlation_id.`),
      serve: () => Promise.reject(new Error('a dry run is not served by it')),
    };
    const { dryRun } = busWith({ audience });
    expect(await dryRun(requestOf(linkCommitted()))).toMatchObject({
      body: {
        accepted: false,
        violations: [
          {
            rule: 'correlation_id.reserved',
            message: 'cproducer2222 may not use this correlation_id.',
          },
        ],
      },
    });
  });
});
