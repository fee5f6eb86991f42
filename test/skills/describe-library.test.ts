import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { carried } from '../../lib/skills/carried.ts';
import { describeLibrary, skillLibrary } from '../../lib/skills/describe-library.ts';
import { type Catalogue, libraryFrom } from '../../lib/skills/library.ts';
import { nextLibrary } from './next-library.ts';

const read = (path: string) => JSON.parse(readFileSync(join(__dirname, '../..', path), 'utf8'));
const conforms = new Ajv2020({ strict: true, strictRequired: false }).compile(
  read('skills/schemas/library-answer.schema.json'),
);

const both: Catalogue = [nextLibrary, ...carried];

describe('the library response', () => {
  test('follows its published schema', () => {
    expect(conforms(describeLibrary(carried))).toBe(true);
  });

  test('describes the current version of the one carried library', () => {
    expect(describeLibrary(carried)?.library).toEqual({
      version: '0.2.2',
      status: 'current',
      suite: 'som-1.0.0+lib-0.2.2',
      som_version: '1.0.0',
      source:
        'https://github.com/storyobjectmodel/som/tree/7297fef9adc6d14a74bdd7550c78decaa099a1ad/skills',
      source_commit: '7297fef9adc6d14a74bdd7550c78decaa099a1ad',
    });
    expect(describeLibrary(carried)?.versions).toEqual([
      { version: '0.2.2', status: 'current', suite: 'som-1.0.0+lib-0.2.2' },
    ]);
  });

  test('names each of the fourteen recalled message types once', () => {
    const topics = describeLibrary(carried)?.topics ?? [];
    expect(topics).toHaveLength(14);
    expect(new Set(topics.map(topic => topic.message_type)).size).toBe(14);
    expect(topics.filter(({ spec }) => spec === 'schema')).toEqual([
      { message_type: 'skill.warning.raised', spec: 'schema' },
      { message_type: 'story.context', spec: 'schema' },
    ]);
  });

  test('explains every kind a field names, and no other', () => {
    const { skills = [], field_kinds = {} } = describeLibrary(carried) ?? {};
    const used = new Set(skills.flatMap(({ fields }) => fields.map(({ kind }) => kind)));
    expect(new Set(Object.keys(field_kinds))).toEqual(used);
  });
});

test('a description has its members in a fixed order, and nothing that a skill does not have', () => {
  const text = { name: 'x', kind: 'text', required: true, about: 'About x.', never: { a: 'b' } };
  const option = {
    options: ['b', 'a'],
    about: 'About y.',
    required: false,
    kind: 'enum',
    name: 'y',
  };
  const library = libraryFrom(
    {
      source_commit: 'abc',
      source: 'https://example.com',
      som_version: '1.0.0',
      status: 'current',
      version: '9.0.0',
    },
    [
      {
        fields: [text, option],
        recall_on: ['story.context', 'link.committed', 'house.own'],
        authority_scale: 'required',
        severity_range: ['note', 'hold'],
        category: 'gates',
        skill_version: '9.0.0',
        name: 'gate',
        skill_id: 'house/gate',
      },
    ],
  );
  const schema = { message_type: 'story.context', spec: 'schema', schema: 'story-context' };
  const version = { version: '9.0.0', status: 'current', suite: 'som-1.0.0+lib-9.0.0' };
  expect(JSON.stringify(describeLibrary([library]))).toBe(
    JSON.stringify({
      library: {
        ...version,
        som_version: '1.0.0',
        source: 'https://example.com',
        source_commit: 'abc',
      },
      versions: [version],
      skills: [
        {
          skill_id: 'house/gate',
          name: 'gate',
          skill_version: '9.0.0',
          category: 'gates',
          severity_range: ['note', 'hold'],
          authority_scale: 'required',
          recall_on: [
            schema,
            { message_type: 'link.committed', spec: 'schema', schema: 'link-event' },
            { message_type: 'house.own', spec: 'pending-spec' },
          ],
          fields: [
            { name: 'x', kind: 'text', required: true, about: 'About x.' },
            { name: 'y', kind: 'enum', required: false, options: ['b', 'a'], about: 'About y.' },
          ],
        },
      ],
      topics: [
        { message_type: 'house.own', spec: 'pending-spec' },
        { message_type: 'link.committed', spec: 'schema' },
        { message_type: 'story.context', spec: 'schema' },
      ],
      field_kinds: {
        enum: 'One of the options, in exactly that spelling.',
        text: 'Text that is not empty.',
      },
    }),
  );
});

describe('a second library version, added as data alone', () => {
  test('is listed first, as the newest, while the current version stays the default', () => {
    expect(describeLibrary(both)?.versions.map(({ version, status }) => [version, status])).toEqual(
      [
        ['0.3.0', 'supported'],
        ['0.2.2', 'current'],
      ],
    );
    expect(describeLibrary(both)?.library.version).toBe('0.2.2');
  });

  test('is described under its number, and follows the published schema', () => {
    const response = describeLibrary(both, '0.3.0');
    expect(conforms(response)).toBe(true);
    expect(response?.library.suite).toBe('som-1.0.0+lib-0.3.0');
    expect(Object.keys(response?.field_kinds ?? {})).toEqual([
      'path',
      'path_list',
      'text_list',
      'value',
      'boolean',
    ]);
    expect(response?.topics).toContainEqual({ message_type: 'link.committed', spec: 'schema' });
  });
});

const current = skillLibrary(carried);
const etagOf = (library: ReturnType<typeof current>): string =>
  library.kind === 'library' ? library.etag : '';

describe('reading the skill library', () => {
  test('gives the current version when none is named', () => {
    expect(current()).toMatchObject({
      kind: 'library',
      description: { library: { version: '0.2.2' } },
    });
    expect(current('0.2.2')).toEqual(current());
  });

  test('describes every version only once', () => {
    const reader = skillLibrary(both);
    for (const version of [undefined, '0.2.2', '0.3.0'])
      expect(reader(version)).toBe(reader(version));
  });

  test.each(['0.2.1', '', 'latest', '0.2.2 ', '__proto__'])('declines version "%s"', version => {
    expect(current(version)).toEqual({
      kind: 'refused',
      code: 'skills.version_unknown',
      message: `Library version ${JSON.stringify(version)} is not carried; the bus carries "0.2.2".`,
    });
  });

  test('tags the exact bytes of the response', () => {
    const library = current();
    const text = library.kind === 'library' ? JSON.stringify(library.description) : '';
    expect(etagOf(library)).toBe(`"${createHash('sha256').update(text).digest('base64url')}"`);
  });

  test('gives the same tag whenever it is made, and another when the library changes', () => {
    const [library] = carried;
    const copy = libraryFrom(library, library.skills);
    expect(etagOf(skillLibrary([copy])())).toBe(etagOf(current()));
    expect(etagOf(skillLibrary([{ ...copy, status: 'supported' }])())).not.toBe(etagOf(current()));
  });
});
