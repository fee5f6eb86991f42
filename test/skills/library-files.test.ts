import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { messageTypes, pendingSpecTypes } from '../../lib/contract/message-types.ts';
import { carried } from '../../lib/skills/carried.ts';
import { fieldKinds, libraryFrom } from '../../lib/skills/library.ts';
import { describeShared, readShared } from '../shared.ts';

const folder = join(__dirname, '../../skills');
const json = (path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8'));
const versions = readdirSync(folder).filter(name => /^\d/.test(name));
const skillFiles = (version: string): string[] =>
  readdirSync(join(folder, version)).filter(name => name !== 'library.json');

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
});
const errors = (schema: string, value: unknown): unknown => {
  const validate =
    ajv.getSchema(schema) ?? ajv.compile({ ...json(`schemas/${schema}`), $id: schema });
  return validate(value) ? [] : validate.errors;
};

describe('the files of the skill library', () => {
  test.each(versions)('library.json of %s follows our own schema', version => {
    expect(errors('library.schema.json', json(`${version}/library.json`))).toEqual([]);
    expect(json(`${version}/library.json`).version).toBe(version);
  });

  const files = versions.flatMap(version =>
    skillFiles(version).map(file => [version, file] as const),
  );

  test.each(files)('%s/%s follows our own schema and is named after its skill', (version, file) => {
    const skill = json(`${version}/${file}`);
    expect(errors('skill.schema.json', skill)).toEqual([]);
    expect(`${skill.name}.json`).toBe(file);
    expect(skill.skill_id.endsWith(`/${skill.name}`)).toBe(true);
    expect(skill.skill_version).toBe(version);
  });

  test('the schema refuses an enum without options', () => {
    const skill = json('0.2.2/gate-by-scope.json');
    delete skill.fields[0].options;
    expect(errors('skill.schema.json', skill)).not.toEqual([]);
  });

  test('every file on disk is carried, and nothing else', () => {
    expect(carried.map(library => library.version).sort()).toEqual(versions);
    for (const library of carried) {
      expect(library.skills.map(({ name }) => `${name}.json`)).toEqual(skillFiles(library.version));
    }
  });

  test('exactly one version is current', () => {
    expect(carried.filter(({ status }) => status === 'current')).toHaveLength(1);
  });

  test('the schema and the code know the same field kinds', () => {
    const kinds = json('schemas/skill.schema.json').$defs.field.properties.kind.enum;
    expect(Object.keys(fieldKinds).sort()).toEqual([...kinds].sort());
  });

  test('every message type that a skill recalls on has a schema or is known as pending', () => {
    const recalled = new Set(
      carried.flatMap(({ skills }) => skills.flatMap(({ recall_on }) => recall_on)),
    );
    const pending = [...recalled].filter(type => !messageTypes.includes(type));
    expect(pending.sort()).toEqual([...pendingSpecTypes].sort());
  });

  test('what a field has to be a member of is another field of its skill', () => {
    for (const { fields } of carried.flatMap(({ skills }) => skills)) {
      const lists = fields.flatMap(({ member_of }) => (member_of ? [member_of.field] : []));
      expect(fields.filter(({ kind }) => kind === 'text_list').map(({ name }) => name)).toEqual(
        expect.arrayContaining(lists),
      );
    }
  });

  test('a word that the code does not know is an error of the data, found immediately', () => {
    expect(() => libraryFrom({ ...json('0.2.2/library.json'), status: 'draft' }, [])).toThrow(
      'status of library 0.2.2: "draft" is none of current, supported, retired',
    );
  });
});

interface Facts {
  library: { version: string; som_version: string; source: string; source_commit: string };
  skills: (Record<string, unknown> & {
    name: string;
    in_library: boolean;
    recall_on: string[];
    fields: (Record<string, unknown> & { name: string; where?: string; constraint?: string })[];
    removed_fields?: unknown[];
  })[];
}

describeShared('som-1.0', 'the facts of library 0.2.2', () => {
  const facts = JSON.parse(readShared('som-1.0', 'skills/library-facts.json').toString()) as Facts;
  const [library] = carried;
  /** Contract section 11 wins over the facts for these: their runtime compares authorities. */
  const scaleByContract = [
    'enrich-on-condition',
    'flag-on-mismatch',
    'raise-flag-on-match',
    'surface-on-context-match',
  ];

  test('version, source and commit are those of the pinned library', () => {
    const { version, som_version, source, source_commit } = facts.library;
    expect(library).toMatchObject({ version, som_version, source, source_commit });
  });

  test('the ten skills of the library are carried, and not the proposed one', () => {
    const expected = facts.skills.filter(({ in_library }) => in_library).map(({ name }) => name);
    expect(library.skills.map(({ name }) => name)).toEqual(expected);
    expect(expected).toHaveLength(10);
  });

  test.each(library.skills.map(skill => [skill.name, skill] as const))(
    '%s states the facts',
    (name, skill) => {
      const fact = facts.skills.find(candidate => candidate.name === name);
      for (const member of [
        'skill_id',
        'skill_version',
        'category',
        'severity_range',
        'recall_on',
      ] as const) {
        expect(skill[member]).toEqual(fact?.[member]);
      }
      expect(skill.authority_scale).toBe(
        scaleByContract.includes(name) ? 'required' : fact?.['authority_scale'],
      );
      expect(skill.removed_fields).toEqual(fact?.removed_fields);
      const values = fact?.fields.filter(({ where }) => where !== 'instance') ?? [];
      expect(skill.fields.map(({ name, kind, required }) => ({ name, kind, required }))).toEqual(
        values.map(({ name, kind, required }) => ({ name, kind, required })),
      );
      for (const [index, field] of skill.fields.entries()) {
        expect(field.options).toEqual(values[index]?.['options']);
        expect(field.value_options).toEqual(values[index]?.['value_options']);
        expect(values[index]?.constraint ?? '').not.toContain(field.about);
      }
    },
  );
});
