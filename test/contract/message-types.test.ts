import { descriptionOf } from '../../lib/checks/judging/coverage.ts';
import { families, messageTypes, typeWords } from '../../lib/contract/message-types.ts';
import { rules, rulesOfType } from '../../lib/contract/rules.ts';

test('no two types are told in the same words', () => {
  const words = messageTypes.map(descriptionOf);
  expect(words).not.toContain('');
  expect(new Set(words).size).toBe(messageTypes.length);
});

test('each type that shares its schema, and no other, has words of its own', () => {
  const sizes = new Map<string, number>();
  for (const family of families.values()) sizes.set(family, (sizes.get(family) ?? 0) + 1);
  const shared = messageTypes.filter(type => (sizes.get(families.get(type) ?? '') ?? 0) > 1);
  expect(Object.keys(typeWords).sort()).toEqual(shared);
});

test('only snapshots are compared with what was before them', () => {
  const sourcesOf = (type: string) => new Set(rulesOfType(type).map(id => rules[id].source));
  expect(sourcesOf('story.context')).toContain('sequence');
  const others = messageTypes.filter(type => type !== 'story.context');
  expect(others).toHaveLength(9);
  for (const type of others) expect(sourcesOf(type)).not.toContain('sequence');
});

test('a link is checked against what every message is checked against', () => {
  expect(rulesOfType('link.committed')).toEqual(
    expect.arrayContaining([
      'message.not_json',
      'som_version.pre_1_0',
      'producer.message_type_not_allowed',
      'message_id.reused',
    ]),
  );
});
