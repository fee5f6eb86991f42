import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020';
import { parse } from 'yaml';
import { isDeclined } from '../../lib/access/registry/declined.ts';
import type { OwnCases } from '../../lib/checks/consumer-plan.ts';
import { readOwnCases } from '../../lib/checks/own-cases.ts';
import { checkedBusHere } from './checked-bus.ts';

const bus = checkedBusHere();

/** The example of the documentation. */
const example = (): OwnCases => {
  const [, text = ''] =
    /```yaml\n(cases:[\s\S]*?)```/.exec(readFileSync('docs/checks.md', 'utf8')) ?? [];
  const cases = readOwnCases(parse(text));
  if (isDeclined(cases)) throw new Error(cases.reason);
  return cases;
};

const steps = [{ plays: { text: 'x' } }];
const one = (more: object, id = 'house/one') => ({
  cases: { [id]: { title: 'A title.', steps, ...more } },
});
const playing = (plays: object) => one({ steps: [{ plays }] });

const reasonOf = (value: unknown): string => {
  const read = readOwnCases(value);
  return isDeclined(read) ? read.reason : '';
};

test('the schema is one that ajv compiles in strict mode, and knows what a case may have', () => {
  const [consumer, own] = ['consumer', 'own-cases'].map(name =>
    JSON.parse(readFileSync(`checks/${name}.schema.json`, 'utf8')),
  );
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false });
  ajv.addSchema(consumer, 'consumer.schema.json');
  const validate = ajv.compile(own);
  expect(validate(one({}))).toBe(true);
  expect(validate(one({}, 'delivery/order'))).toBe(false);
});

test.each([
  ['no object', [], 'At the top the file has another form'],
  ['no case', { cases: {} }, 'At /cases the file has another form'],
  ['a name of the bus', one({}, 'delivery/one'), 'At /cases the file has another form'],
  ['another member', one({ tilte: 'x' }), 'At /cases/house~1one the file has another form'],
  ['no title', one({ title: undefined }), 'At /cases/house~1one the file has another form'],
  ['an unknown type', one({ type: 'som.other' }), 'house/one: no case can be played with the type'],
  [
    'a step that comes again too early',
    one({ steps: [{ again: 1 }] }),
    'house/one, step 1: it delivers a step again that does not come before it',
  ],
  [
    'no time for what is received',
    one({ steps: [{ ...steps[0], expects: { look: 'received' } }] }),
    'house/one, step 1: `received` wants `withinSeconds`',
  ],
  [
    'a changed payload of no type',
    playing({ payload: { slug: 'A' } }),
    'house/one changes the payload of a message: name the `type` that it is about.',
  ],
  ['too many steps', one({ steps: Array(21).fill(steps[0]) }), 'house/one has more than 20 steps'],
  [
    'too many messages',
    one({ steps: Array(3).fill({ plays: { burst: 400 } }) }),
    'The cases play 1200 messages: a run takes 1000.',
  ],
  [
    'too many bytes',
    one({ steps: Array(20).fill({ plays: { bytes: 240_000 } }) }),
    'The cases play more than 4194304 bytes, which is what a run takes.',
  ],
  ['too long a text', playing({ text: 'x'.repeat(12 * 1024) }), 'a run takes 12288.'],
])('%s is refused', (_, value, words) => {
  expect(reasonOf(value)).toContain(words);
});

test.each([
  [
    'that come again of what came again',
    [{ plays: { burst: 200 } }, ...[1, 2, 3, 4, 5].map(again => ({ again }))],
    {},
    1_200,
  ],
  ['of each type', [{ plays: { burst: 100, text: 'x' } }], { each: 'type' }, 1_010],
])('messages %s are counted', (_, written, more, count) => {
  expect(reasonOf(one({ steps: written, ...more }))).toBe(
    `The cases play ${count} messages: a run takes 1000.`,
  );
});

test('what is too much is refused before any of it is made', () => {
  let reads = 0;
  const plays = {
    burst: 400,
    get text() {
      reads += 1;
      return 'x';
    },
  };
  expect(reasonOf(playing(plays))).toBe('');
  const once = reads;
  reads = 0;
  const many = one({ each: 'type', steps: Array(20).fill({ plays }) });
  expect(reasonOf(many)).toContain('a run takes 1000.');
  // Its form and size are looked at, step by step; made are none.
  expect(reads).toBeLessThan(20 * once);
});

test('what is put around a payload counts, and what stands in braces as long as it becomes', () => {
  const envelope = { extensions: { 'com.example.text': '{story}'.repeat(1_500) } };
  const written = [{ plays: { envelope } }, ...Array(19).fill({ again: 1 })];
  expect(reasonOf(one({ steps: written, each: 'type' }))).toContain('more than 4194304 bytes');
});

test('a message that the bus would refuse is refused at the start, with its case, step, path and rule', () => {
  const plays = { payload: { priority: { level: 'SOON' } } };
  expect(reasonOf(one({ type: 'story.context', steps: [steps[0], { plays }] }))).toMatch(
    /^house\/one, step 2: the bus would refuse its message by [\w.-]+ at \/payload\/priority\/level: /,
  );
});

test('what a run says of its messages, no case says', () => {
  const ids = { message_id: 'x', correlation_id: 'x', originating_system: 'x', timestamp: 'x' };
  const plays = { envelope: ids, payload: { story_id: 'other', sequence_number: -1 } };
  expect(reasonOf(one({ type: 'story.context', steps: [{ plays }] }))).toBe('');
});

/** A run with the example's cases, of a consumer that acknowledges what it likes. */
const played = async (isLiked: (text: string) => boolean) => {
  const consumer = await bus.connect('consumer', { receives: ['story.context'] });
  const cases = ['delivery/order', 'house'];
  const id = await bus.begin({
    kind: 'consumer',
    consumer: consumer.id,
    cases,
    ownCases: example(),
  });
  return bus.finish(id, {
    async work() {
      const pulled = await consumer.pull({ wait: 0 });
      for (const { message, receiptHandle } of pulled.outcome === 'pulled' ? pulled.messages : [])
        if (isLiked(JSON.stringify(message))) await consumer.ack([receiptHandle]);
    },
  });
};

test('a consumer that takes them passes, by the cases of the standard alone', async () => {
  const report = await played(() => true);
  const own = report.cases.filter(({ case_id }) => case_id.startsWith('house/'));
  expect(own.map(({ case_id, verdict }) => [case_id, verdict])).toEqual([
    ['house/long-slug', 'passed'],
    ['house/correction', 'passed'],
  ]);
  expect(report).toMatchObject({ passed: true, totals: { passed: 1, failed: 0 } });
});

test('one that fails them does not pass, and nothing is said of the standard', async () => {
  const report = await played(text => !text.includes('CORRECTION'));
  const failed = report.cases.filter(({ verdict }) => verdict === 'failed');
  expect(failed.map(({ case_id }) => case_id)).toEqual(['house/correction']);
  expect(report).toMatchObject({ passed: false, totals: { passed: 1, failed: 0 } });
});

test('only consumers are played some', async () => {
  const producer = await bus.connect('producer');
  const run = await bus.start({ kind: 'producer', producer: producer.id, ownCases: example() });
  expect(isDeclined(run) && run.reason).toContain('Own cases are played to consumers');
});

test('cases may have as many bytes as a run takes, and as many messages', () => {
  const sized = (bytes: number) => {
    const empty = Buffer.byteLength(JSON.stringify(playing({ text: '' })));
    return reasonOf(playing({ text: 'x'.repeat(bytes - empty) }));
  };
  expect([sized(12_288), sized(12_289)]).toEqual([
    '',
    'The cases have 12289 bytes as JSON: a run takes 12288.',
  ]);
  const bursts = (last: number) =>
    reasonOf(one({ steps: [400, 400, last].map(burst => ({ plays: { burst } })) }));
  expect([bursts(200), bursts(201)]).toEqual([
    '',
    'The cases play 1001 messages: a run takes 1000.',
  ]);
});
