import { join } from 'node:path';
import { limits } from '../../../lib/contract/limits.ts';
import { producer } from '../../corpus/connections.ts';
import { costlyBodies } from '../../corpus/costly-bodies.ts';
import { hostileBodies, items, longTexts, raw, storyWith } from '../../corpus/hostile.ts';
import { envelope, story } from '../../corpus/messages.ts';
import { bundledOutput } from '../../support/bundled-output.ts';
import { type JudgementOf, judgementOf } from '../../support/judgement-of.ts';

const judge = (body: Uint8Array): JudgementOf => judgementOf(body, producer(), {});

const rulesOf = (given: JudgementOf): readonly string[] =>
  given.kind === 'refuse' ? given.violations.map(({ rule }) => rule) : [given.kind];

test.each(hostileBodies)('%s: the response is short and names the rule', (_what, body, rule) => {
  expect(body.byteLength).toBeLessThanOrEqual(240_000);
  const given = judge(body);
  expect(rulesOf(given)).toContain(rule);
  expect(rulesOf(given).length).toBeLessThanOrEqual(50);
  const answered =
    given.kind === 'refuse' ? given.violations : given.kind === 'accept' && given.tolerated;
  expect(Buffer.byteLength(JSON.stringify(answered))).toBeLessThan(100_000);
});

test('a long text in any member is answered', () => {
  for (const [, body] of longTexts) expect(rulesOf(judge(body)).length).toBeGreaterThan(0);
});

test('5,000 distinct tags are accepted; 12,000 are refused for what is missing beside them', () => {
  const tags = Array.from({ length: 5000 }, (_, i) => ({ scheme: 'newsroom', value: `${i}` }));
  expect(rulesOf(judge(storyWith({ tags })))).toEqual(['accept']);
  const short = items('tags', i => `{"value":"${i}"}`);
  expect((short.toString('utf8').match(/value/g) ?? []).length).toBeGreaterThan(12_000);
  expect(new Set(rulesOf(judge(short)))).toEqual(new Set(['story-context.required']));
});

test('names of Object.prototype inside free members are harmless', () => {
  const free =
    '{"com.example.x":{"__proto__":{"a":1},"constructor":null,"toString":null,"valueOf":null,"hasOwnProperty":null,"toJSON":null}}';
  const body = JSON.stringify(envelope('story.context', story({ extensions: '@' }))).replace(
    '"@"',
    free,
  );
  expect(rulesOf(judge(raw(body)))).toEqual(['accept']);
  const tag = '{"scheme":"newsroom","value":"v","valueOf":1,"toString":1,"constructor":1}';
  const tagged = JSON.stringify(envelope('story.context', story({ tags: '@' }))).replace(
    '"@"',
    `[${tag},${tag}]`,
  );
  expect(rulesOf(judge(raw(tagged)))).toContain('story-context.uniqueItems');
});

test('no hostile body takes more than ten steps a byte of the largest body', () => {
  const steps = bundledOutput(join(__dirname, 'hostile-steps.ts'), '--no-opt') as [
    string,
    number,
  ][];
  expect(steps.map(([what]) => what)).toEqual(costlyBodies.map(([what]) => what));
  expect(steps.filter(([, count]) => count === 0)).toEqual([]);
  expect(steps.filter(([, count]) => count > 10 * limits.messageBytes)).toEqual([]);
});
