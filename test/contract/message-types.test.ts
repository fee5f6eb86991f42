import { readdirSync, readFileSync } from 'node:fs';
import { descriptionOf } from '../../lib/checks/judging/coverage.ts';
import {
  families,
  health,
  messageTypes,
  pendingSpecTypes,
  schemaNames,
  typesWithoutSchema,
  typeWords,
} from '../../lib/contract/message-types.ts';
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

describe('the tables of types', () => {
  const schemaOf = (name: string) =>
    JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8'));

  test('name the schema that allows a type in its payload', () => {
    for (const [type, family] of families) {
      // A snapshot does not name its type.
      const { message_type: allowed = { const: 'story.context' } } = schemaOf(family).properties;
      expect([type, allowed.enum ?? [allowed.const]]).toEqual([
        type,
        expect.arrayContaining([type]),
      ]);
    }
    const ofSchemas = schemaNames.flatMap(name => {
      const allowed = schemaOf(name).properties.message_type ?? {};
      return allowed.enum ?? (allowed.const ? [allowed.const] : []);
    });
    expect(messageTypes).toEqual([...ofSchemas, 'story.context'].sort());
  });

  test('let pass what the library recalls its skills on, and what SOM’s own examples have', () => {
    const folder = 'skills/0.2.2';
    const recalled = readdirSync(folder).flatMap(
      (name): readonly string[] =>
        JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')).recall_on ?? [],
    );
    const unknown = new Set(recalled.filter(type => !families.has(type)));
    expect([...pendingSpecTypes].sort()).toEqual([...unknown].sort());
    const others = [...typesWithoutSchema].filter(type => !pendingSpecTypes.has(type));
    expect(others).toEqual(['skill.run.completed', 'skill.suggestion.created']);
    expect(typesWithoutSchema.size).toBe(pendingSpecTypes.size + 2);
  });

  test('are what the health of a bus shows', () => {
    expect(health).toEqual({
      ok: true,
      som_version: '1.0.0',
      message_types: [
        ...['delivery.media_available', 'link.committed', 'link.gate_changed', 'link.withdrawn'],
        ...['skill.warning.raised', 'story.context', 'system.audit'],
        ...['telling.ended', 'telling.exposed', 'telling.started'],
      ],
    });
  });
});
