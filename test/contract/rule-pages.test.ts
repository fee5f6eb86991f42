import { readdirSync, readFileSync } from 'node:fs';
import { type RuleId, rulePage, rules } from '../../lib/contract/rules.ts';
import type { Message } from '../../lib/som/messages/read-message.ts';
import type { StoryState } from '../../lib/som/stories/sequence-rules.ts';
import { gatewayExamples } from '../../scripts/rule-pages/examples.ts';
import { type MessageCase, messageExamples } from '../../scripts/rule-pages/message-examples.ts';
import { rulePages } from '../../scripts/rule-pages/pages.ts';
import { producer } from '../corpus/connections.ts';
import { type JudgementOf, judgementOf } from '../support/judgement-of.ts';

const run = ({
  before = [],
  systemIds = ['desk-1'],
  grants = ['*'],
  body,
}: MessageCase): JudgementOf => {
  const connection = producer({ systemIds, grants });
  const ids = new Map<string, Message>();
  let story: StoryState | undefined;
  const send = (text: string): JudgementOf => {
    const id = /"message_id":"([^"]*)"/.exec(text)?.[1] ?? '';
    const accepted = ids.get(id);
    const given = judgementOf(Buffer.from(text), connection, { accepted, story });
    if (given.kind === 'accept' && given.message !== undefined) {
      ids.set(id, given.message);
      story = given.story ?? story;
    }
    return given;
  };
  for (const text of before) expect(send(text)).toMatchObject({ kind: 'accept' });
  return send(body);
};

const reported = (given: JudgementOf): readonly string[] => {
  if (given.kind === 'duplicate') return [];
  return (given.kind === 'accept' ? given.tolerated : given.violations).map(({ rule }) => rule);
};

test.each(messageExamples.map(example => [example.rule, example] as const))(
  '%s: the examples of its page get the verdicts the page gives',
  (rule, { refused, accepted }) => {
    const [wrong, right] = [run(refused), run(accepted)];
    expect([wrong.kind, reported(wrong)]).toEqual([
      rules[rule].status === 202 ? 'accept' : 'refuse',
      [rule],
    ]);
    expect([right.kind === 'refuse', reported(right).includes(rule)]).toEqual([false, false]);
  },
);

test('every rule has exactly one pair of examples', () => {
  const given = [...messageExamples.map(({ rule }) => rule), ...Object.keys(gatewayExamples)];
  expect(given.sort()).toEqual((Object.keys(rules) as RuleId[]).sort());
});

test('docs/rules holds exactly the pages that `npm run generate` makes', () => {
  const pages = rulePages();
  expect(readdirSync('docs/rules').sort()).toEqual([...pages.keys()].sort());
  for (const [name, text] of pages)
    expect([name, readFileSync(`docs/rules/${name}`, 'utf8')]).toEqual([name, text]);
});

test.each([
  ['tenant.mismatch', 'tenant.mismatch'],
  ['link-event.required', 'link-event'],
  ['link-event', 'link-event'],
  ['no-such-schema.required', undefined],
  ['', undefined],
])('the page of %j is %j', (id, page) => {
  expect(rulePage(id)).toBe(page);
});
