import { skillRulebook } from '../../lib/skills/describe-library.ts';
import { readSubmission, validateSkills } from '../../lib/skills/read-submission.ts';

const read = (body: string | Uint8Array, mediaType = '') =>
  readSubmission(typeof body === 'string' ? Buffer.from(body) : body, mediaType);

const one = { skill_id: 'x' };

describe('the five forms of a body', () => {
  test.each<[string, string, string, string, unknown[]]>([
    [
      'a YAML file with a skills section',
      'application/yaml',
      'skills:\n- skill_id: x',
      'yaml',
      [one],
    ],
    ['a bare list in YAML', 'application/yaml', '- skill_id: x', 'yaml', [one]],
    [
      'one instance in JSON',
      'application/json',
      JSON.stringify({ instance: one }),
      'instance',
      [one],
    ],
    [
      'a skills list in JSON',
      'application/json',
      JSON.stringify({ skills: [one, one] }),
      'list',
      [one, one],
    ],
    ['a bare list in JSON', 'application/json', JSON.stringify([one]), 'list', [one]],
    [
      'YAML text in JSON',
      'application/json',
      JSON.stringify({ yaml: '- skill_id: x' }),
      'yaml',
      [one],
    ],
  ])('%s', (_title, type, body, checked, instances) => {
    expect(read(body, type)).toEqual({ kind: 'submission', checked, instances });
  });

  test.each(['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'])(
    '%s is read as YAML, also where it is JSON',
    type => {
      for (const body of ['skills: [{skill_id: x}]', '{"skills": [{"skill_id": "x"}]}'])
        expect(read(body, type)).toEqual({ kind: 'submission', checked: 'yaml', instances: [one] });
    },
  );

  test.each(['', 'text/plain', 'application/octet-stream', 'application/json'])(
    'under the type "%s", JSON is tried and then YAML',
    type => {
      expect(read(JSON.stringify([one]), type)).toMatchObject({ checked: 'list' });
      expect(read('- skill_id: x', type)).toMatchObject({ checked: 'yaml' });
    },
  );

  test('a byte order mark is skipped', () => {
    expect(read(`\ufeff${JSON.stringify([one])}`)).toMatchObject({ checked: 'list' });
    expect(read('\ufeff- skill_id: x', 'text/yaml')).toMatchObject({ instances: [one] });
  });

  test('an empty skills section is an empty list, and one that is no list is a problem', () => {
    expect(read('skills:')).toEqual({ kind: 'submission', checked: 'yaml', instances: [] });
    expect(read('skills: later')).toEqual({
      kind: 'submission',
      checked: 'yaml',
      instances: [],
      problem: 'skills is "later", but has to be a list of instances.',
    });
  });

  test('an instance may be anything: the checks say what is wrong with it', () => {
    expect(read('{"instance": null}')).toEqual({
      kind: 'submission',
      checked: 'instance',
      instances: [null],
    });
  });
});

describe('a body that cannot be read', () => {
  const utf16 = Buffer.from('skills: []', 'utf16le');
  test.each<[string, string | Uint8Array, string, string]>([
    ['is empty', '', '', 'There is nothing to read: the body is empty.'],
    ['is blank', ' \n\t\n', '', 'There is nothing to read: the body is empty.'],
    [
      'is a comment',
      '# skills',
      'text/yaml',
      'The file is empty: it needs a skills: section or a list of instances.',
    ],
    [
      'is one byte too large',
      'x'.repeat(262_145),
      '',
      'There are 262145 bytes; at most 262144 (256 KB) are read.',
    ],
    ['is not UTF-8', Buffer.from([0x2d, 0x20, 0xff]), '', 'The bytes are not UTF-8.'],
    [
      'is UTF-16',
      utf16,
      'text/yaml',
      'The YAML cannot be read: it holds the control character U+0000.',
    ],
    [
      'is UTF-16 with a byte order mark',
      Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
      '',
      'The bytes are not UTF-8.',
    ],
    [
      'is neither JSON nor YAML',
      '{"instance": "a}',
      'application/json',
      'The body is not JSON. The YAML cannot be read: line 1, column 17: Missing closing "quote.',
    ],
    [
      'is YAML without a skills section',
      'house: x',
      'text/yaml',
      'The file has no skills: section and is not a list of instances; it is a map.',
    ],
    [
      'is only text',
      'hello',
      '',
      'The file has no skills: section and is not a list of instances; it is "hello".',
    ],
    [
      'is a JSON number',
      '7',
      '',
      'The JSON body is 7; it has to be {"instance": …}, {"skills": […]}, {"yaml": "…"} or a list of instances.',
    ],
    [
      'is a JSON object of another form',
      '{"skill_id": "x"}',
      'application/json',
      'The JSON body has none of instance, skills and yaml; it has to be {"instance": …}, {"skills": […]}, {"yaml": "…"} or a list of instances.',
    ],
    [
      'is a JSON object of two forms',
      '{"skills": [], "yaml": ""}',
      '',
      'The JSON body has skills and yaml; it has to be {"instance": …}, {"skills": […]}, {"yaml": "…"} or a list of instances.',
    ],
    [
      'has yaml that is no text',
      '{"yaml": []}',
      '',
      'yaml is an empty list, but has to be the text of a skills file.',
    ],
    [
      'has broken yaml',
      '{"yaml": "- ["}',
      '',
      'The YAML cannot be read: line 1, column 4: Flow sequence in block collection must be sufficiently indented and end with a ].',
    ],
  ])('%s', (_title, body, type, message) => {
    expect(read(body, type)).toEqual({ kind: 'unreadable', message });
  });

  test.each([
    ['{"skills": [], "skills": []}', 'the member /skills is there twice'],
    ['{"instance": {"a": {"b": 1, "c": 2, "b": 3}}}', 'the member /instance/a/b is there twice'],
    ['[{"a": 1}, {"b": [{"c": null, "c": null}]}]', 'the member /1/b/0/c is there twice'],
    ['[null, {}, [], {"a": 1, "a": {}}]', 'the member /3/a is there twice'],
  ])('names a member twice: %s', (body, reason) => {
    const message = `The JSON cannot be read: ${reason}.`;
    expect(read(body)).toEqual({ kind: 'unreadable', message });
  });

  test('does not name a member twice if it is in two objects', () => {
    const instances = [{ a: { a: [null, { a: 1 }] } }, { a: 1 }, null, [], 'a'];
    expect(read(JSON.stringify(instances))).toEqual({
      kind: 'submission',
      checked: 'list',
      instances,
    });
  });

  test('may have 256 KB exactly', () => {
    expect(read('- x #'.padEnd(262_144, 'x'))).toMatchObject({ kind: 'submission' });
  });
});

test('what can be read is checked, and what cannot is refused', () => {
  const validate = validateSkills(skillRulebook);
  expect(validate(Buffer.from(' '), '')).toEqual({
    kind: 'refused',
    code: 'skills.unreadable',
    message: 'There is nothing to read: the body is empty.',
  });
  expect(validate(Buffer.from('[]'), 'text/yaml')).toEqual({
    kind: 'checked',
    report: {
      valid: false,
      library_version: '0.2.2',
      checked: 'yaml',
      instances: [],
      problems: ['There is no instance to check: the list is empty.'],
    },
  });
});
