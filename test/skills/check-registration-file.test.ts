import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { skillRulebook } from '../../lib/skills/describe-library.ts';
import { checkRegistrationFile } from '../../lib/skills/registrations.ts';

const check = (text: string) => checkRegistrationFile(Buffer.from(text), skillRulebook);

const gate = (label: string, more = ''): string =>
  `- {skill_id: smart-stories/gate-by-scope, instance_label: ${label}, ${more} values: {scope: destination-path, gate_scope_kind: E, path_map: {a: b}}}`;

describe("a house's skills file", () => {
  test('that is valid gives its instances, each with the version it was checked against', () => {
    expect(
      check(`skills:\n${gate('one')}\n${gate('two', 'authority_scale: [a, b], consumer: any,')}`),
    ).toEqual({
      kind: 'valid',
      instances: [
        {
          skill_id: 'smart-stories/gate-by-scope',
          skill_version: '0.2.2',
          instance_label: 'one',
          values: { scope: 'destination-path', gate_scope_kind: 'E', path_map: { a: 'b' } },
        },
        expect.objectContaining({ instance_label: 'two', authority_scale: ['a', 'b'] }),
      ],
    });
  });

  test('gives values with digits that no number holds twice: as numbers, and as their text', () => {
    const propose = (threshold: string) => `- skill_id: smart-stories/match-and-propose
  instance_label: ferry
  skill_version: 0.2.2
  values:
    confidence_threshold: ${threshold}
    confidence_path: assertions[].confidence
    active_story_state: open
    confirming_role: anyone
`;
    const values = {
      confidence_threshold: 0.5,
      confidence_path: 'assertions[].confidence',
      active_story_state: 'open',
      confirming_role: 'anyone',
    };
    const instance = {
      skill_id: 'smart-stories/match-and-propose',
      skill_version: '0.2.2',
      instance_label: 'ferry',
      values,
    };
    expect(check(propose('0.5'))).toStrictEqual({ kind: 'valid', instances: [instance] });
    expect(check(propose('0.50000000000000000001'))).toEqual({
      kind: 'valid',
      instances: [
        {
          ...instance,
          exactValues:
            '{"confidence_threshold":0.50000000000000000001,' +
            '"confidence_path":"assertions[].confidence",' +
            '"active_story_state":"open","confirming_role":"anyone"}',
        },
      ],
    });
  });

  test('keeps every instance of our own corpus', () => {
    const file = checkRegistrationFile(
      readFileSync(join(__dirname, '../corpus/skills/valid.yaml')),
      skillRulebook,
    );
    expect(file.kind === 'valid' && file.instances).toHaveLength(11);
  });

  test('may be JSON', () => {
    expect(check('{"skills": []}').kind).toBe('invalid');
    expect(check(JSON.stringify({ yaml: gate('one') })).kind).toBe('valid');
  });

  test('is refused as a whole when one instance is wrong, with a line for each problem', () => {
    expect(check(`${gate('one')}\n${gate('one')}\n- 7`)).toEqual({
      kind: 'invalid',
      problems: [
        'Instance 2 ("one"): instance_label is "one", which an earlier instance of the list has already: every label has to be unique.',
        'Instance 3: An instance is a map with skill_id, instance_label and values; this one is 7.',
      ],
    });
  });

  test('is refused when it cannot be read', () => {
    expect(check('')).toEqual({
      kind: 'invalid',
      problems: ['There is nothing to read: the body is empty.'],
    });
  });
});
