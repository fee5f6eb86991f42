import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020';
import { parse } from 'yaml';
import {
  consumerPlan,
  mostMessages,
  ownPlan,
  typesPlayed,
} from '../../lib/checks/consumer-plan.ts';
import { fixtureBody } from '../../lib/checks/fixture.ts';
import type { Case } from '../../lib/checks/plan.ts';
import { messageTypes } from '../../lib/contract/message-types.ts';
import { readMessage } from '../../lib/som/messages/read-message.ts';

const start = Date.parse('2026-05-04T06:00:00Z');

/** The messages of a case that is played, as the bus would publish them. */
const bodiesOf = ({ id, steps }: Case<unknown>): readonly Uint8Array[] =>
  steps
    .flatMap(({ action }) => (action.kind === 'play' ? action.fixtures : []))
    .map((fixture, at) =>
      fixtureBody(fixture, {
        storyId: `test-run.y.${id}`,
        correlationId: '736f6d63-686b-8000-8000-000000000001',
        messageId: `0190a000-0000-7000-8000-${String(at).padStart(12, '0')}`,
        startedAt: start,
        now: start + at * 1000,
        sequenceNumber: at + 1,
        systemId: 'test-run-y',
      }),
    );

/** What the bus would say against the messages of a case. */
const refusedOf = (one: Case<unknown>): readonly unknown[] =>
  bodiesOf(one).flatMap(body => {
    const read = readMessage(body);
    return read.ok ? [] : read.violations;
  });

const typeNeeded = ({ needs }: Case<unknown>): readonly string[] =>
  needs.flatMap(need => (need.kind === 'receives' ? [need.messageType] : []));

const all = consumerPlan();
const played = all.filter(one => bodiesOf(one).length > 0);

test('the cases are played with every message type of SOM 1.0', () => {
  expect(typesPlayed.slice(0, messageTypes.length).toSorted()).toEqual(messageTypes);
  expect(all.filter(({ id }) => id.startsWith('messages/'))).toHaveLength(messageTypes.length);
});

test.each(messageTypes.map(type => [type, consumerPlan([type])] as const))(
  'a consumer of %s alone is played all that does not need another type',
  (type, plan) => {
    const own = plan.filter(one => typeNeeded(one).includes(type)).map(({ id }) => id);
    // SOM 1.0 lists no values in it.
    const values = type === 'delivery.media_available' ? [] : ['later-versions/values'];
    expect(own).toEqual([
      `messages/${type}`,
      'later-versions/members',
      ...values,
      'texts/escapes',
      'texts/unicode-escapes',
      'texts/bidi',
      'texts/emoji',
      'texts/separators',
      'texts/large',
      'delivery/duplicate',
      'delivery/order',
      'delivery/nack',
      'delivery/burst',
      'delivery/after-silence',
      'delivery/crash',
    ]);
    const refused = plan.filter(({ id }) => own.includes(id)).flatMap(refusedOf);
    expect(refused).toEqual([]);
  },
);

test.each(played)('$id plays messages that the bus accepts', one => {
  expect(refusedOf(one)).toEqual([]);
});

test('what a later SOM might say is told in the 202 as what the bus tolerates', () => {
  const later = played.filter(({ id }) => id.startsWith('later-versions/'));
  const tolerated = later.map(one => {
    const [read] = bodiesOf(one).map(readMessage);
    return [one.id, read?.ok && read.message.tolerated.length > 0];
  });
  expect(tolerated).toHaveLength(6 + 5 + 6);
  expect(tolerated.filter(([, isTold]) => !isTold)).toEqual([]);
});

test('the texts stand in the text of each type itself, the longest too', () => {
  const textOf = (id: string) => {
    const one = all.find(known => known.id === id);
    const [body = Buffer.alloc(0)] = one ? bodiesOf(one) : [];
    return { size: body.byteLength, payload: JSON.parse(Buffer.from(body).toString()).payload };
  };
  expect(textOf('texts/bidi/link.withdrawn').payload.withdrawn.reason).toContain('\u202e');
  expect(textOf('texts/emoji/system.audit').payload.reason).toContain('\u{1f525}');
  const { size, payload } = textOf('texts/large/skill.warning.raised');
  expect(size).toBe(240_000);
  expect(payload.detail.length).toBeGreaterThan(238_000);
  const telling = textOf('texts/large/telling.started').payload.extensions['com.som-bus.text'];
  expect(telling.length).toBeGreaterThan(238_000);
});

test('a step that wants a message a second time lasts until it may come a second time', () => {
  const steps = all.flatMap(one => one.steps.map(step => ({ id: one.id, ...step })));
  const waiting = steps.filter(
    ({ settles }) => settles.until === 'acknowledged' && settles.whenVisible === true,
  );
  const wanting = steps.filter(({ expects }) => expects?.look === 'redelivered');
  expect(wanting.length).toBeGreaterThan(0);
  expect(waiting.map(({ id }) => id)).toEqual(wanting.map(({ id }) => id));
});

test('no two cases have the same id', () => {
  const ids = all.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('checks/consumer.yaml follows its schema', () => {
  const [schema, cases] = ['checks/consumer.schema.json', 'checks/consumer.yaml'].map(path =>
    parse(readFileSync(path, 'utf8'), { merge: true, maxAliasCount: -1 }),
  );
  const validate = new Ajv2020({ allErrors: true, strict: true, strictRequired: false }).compile(
    schema,
  );
  expect(validate(cases) ? [] : validate.errors).toEqual([]);
  cases.cases['delivery/burst'].steps[0].plays.brust = 5;
  expect(validate(cases)).toBe(false);
});

describe("a case of a house's own", () => {
  const written = (steps: Parameters<typeof mostMessages>[0]['steps'], more: object = {}) => ({
    title: 'One of {type}.',
    type: 'story.context',
    steps,
    ...more,
  });

  test('plays its message and then the burst, and expects that all are acknowledged', () => {
    const [one] = ownPlan({
      'house/one': written([
        { plays: { text: 'First.', burst: 2 } },
        { again: 1, expects: { look: 'redelivered' } },
        { watch: 3 },
      ]),
    });
    const [first, again, watch] = one?.steps ?? [];
    const headlines = (first?.action.kind === 'play' ? first.action.fixtures : []).map(
      ({ payload }) => payload['headline'],
    );
    expect(headlines).toEqual(['First.', 'Message 1 of 2', 'Message 2 of 2']);
    expect(first).toMatchObject({
      settles: { until: 'acknowledged' },
      expects: { look: 'acknowledged' },
    });
    expect(first?.settles).not.toHaveProperty('whenVisible');
    expect(again).toStrictEqual({
      action: { kind: 'again', step: 0 },
      settles: { until: 'acknowledged', whenVisible: true },
      expects: { look: 'redelivered' },
    });
    expect(watch).toStrictEqual({
      action: { kind: 'watch' },
      settles: { until: 'seconds', seconds: 3 },
    });
    expect(one).toMatchObject({
      id: 'house/one',
      title: 'One of story.context.',
      needs: [{ kind: 'receives', messageType: 'story.context' }],
    });
  });

  test('may change the payload, also that of a later version', () => {
    const payload = { slug: 'mine' };
    const [one] = ownPlan({ 'house/one': written([{ plays: { later: 'members', payload } }]) });
    expect(one?.steps[0]?.action).toMatchObject({
      kind: 'play',
      fixtures: [
        {
          messageType: 'story.context',
          payload: { slug: 'mine', headline_short: 'Test', priority: { level: 'HIGH', weight: 3 } },
        },
      ],
    });
  });

  test('is counted with its bursts and with what comes again, for each type', () => {
    const steps = [
      { plays: { text: 'First.', burst: 2 } },
      { again: 1 },
      { again: 2 },
      { plays: { burst: 4 } },
      { plays: { text: 'x' } },
      {},
    ];
    expect(mostMessages(written(steps))).toBe(3 + 3 + 3 + 4 + 1);
    const { type: _, ...any } = written(steps);
    expect(mostMessages(any)).toBe(14);
    expect(mostMessages({ ...any, each: 'type' })).toBe(14 * messageTypes.length);
  });
});
