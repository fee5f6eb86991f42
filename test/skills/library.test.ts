import {
  type Catalogue,
  currentLibrary,
  findSkill,
  libraryFrom,
  libraryOf,
} from '../../lib/skills/library.ts';

const field = { name: 'x', kind: 'text', required: true, about: 'About x.' };

const skillFile = (name: string, changes: object = {}) => ({
  skill_id: `house/${name}`,
  name,
  skill_version: '1.0.0',
  category: 'test',
  severity_range: ['note'],
  authority_scale: 'optional',
  recall_on: ['story.context'],
  fields: [field],
  ...changes,
});

const libraryFile = (version: string, status = 'supported') => ({
  version,
  status,
  som_version: '1.0.0',
  source: 'https://example.com',
  source_commit: 'abc',
});

const gate = skillFile('gate');
const newer = libraryFrom(libraryFile('2.0.0'), [gate, skillFile('hold')]);
const current = libraryFrom(libraryFile('1.0.0', 'current'), [gate, skillFile('raise-flag')]);
const catalogue: Catalogue = [newer, current];

describe('a library from its files', () => {
  test('is what they say', () => {
    expect(current).toEqual({
      ...libraryFile('1.0.0', 'current'),
      skills: [gate, skillFile('raise-flag')],
    });
  });

  test('with a word that the code does not know is an error', () => {
    const load = (changes: object) =>
      libraryFrom(libraryFile('1.0.0'), [gate, skillFile('odd', changes)]);
    expect(() => load({ fields: [field, { ...field, name: 'y', kind: 'txt' }] })).toThrow(
      'house/odd, field y: unknown kind "txt"',
    );
    expect(() => load({ fields: [{ ...field, kind: 'toString' }] })).toThrow(
      'house/odd, field x: unknown kind "toString"',
    );
    expect(() => load({ authority_scale: 'maybe' })).toThrow(
      'authority_scale of house/odd: "maybe" is none of required, optional',
    );
  });
});

test('the current library is the one with that status, or else the newest', () => {
  expect(currentLibrary(catalogue)).toBe(current);
  expect(currentLibrary([newer])).toBe(newer);
  expect(libraryOf(catalogue, '2.0.0')).toBe(newer);
  expect(libraryOf(catalogue, '3.0.0')).toBeUndefined();
});

describe('the skill of an instance', () => {
  const found = (instance: Record<string, unknown>) => findSkill(instance, catalogue);

  test('is of the version that it names, or of the current one', () => {
    const [newerGate] = newer.skills;
    const [currentGate] = current.skills;
    const named = found({ skill_id: 'house/gate', skill_version: '2.0.0' });
    expect(named).toEqual({ skill: gate, problems: [] });
    expect(named.skill).toBe(newerGate);
    expect(found({ skill_id: 'house/gate' }).skill).toBe(currentGate);
    expect(found({ skill_id: 'house/hold', skill_version: '2.0.0' }).problems).toEqual([]);
  });

  test('is none where the version is not carried, or no text', () => {
    expect(found({ skill_id: 'house/gate', skill_version: '3.0.0' })).toEqual({
      problems: [
        'skill_version is "3.0.0", which the bus does not carry; it carries "2.0.0", "1.0.0".',
      ],
    });
    expect(found({ skill_id: 'house/gate', skill_version: 2 })).toEqual({
      problems: ['skill_version is 2, but has to be text: write it in quotes.'],
    });
  });

  test('that is wrong gets the nearest one as a hint, or else a list of all', () => {
    expect(found({})).toEqual({
      problems: ['skill_id is missing: it says which skill is configured, as <namespace>/<name>.'],
    });
    expect(found({ skill_id: '' })).toEqual({
      problems: ['skill_id is empty text; it has to say something.'],
    });
    for (const id of ['gat', 'home/gate', 'a/b/gate'])
      expect(found({ skill_id: id })).toEqual({
        problems: [
          `skill_id is "${id}", which is not a skill of library 1.0.0. Did you mean "house/gate"?`,
        ],
      });
    expect(found({ skill_id: 'house/hold' })).toEqual({
      problems: [
        'skill_id is "house/hold", which is not a skill of library 1.0.0; ' +
          'it has "house/gate", "house/raise-flag".',
      ],
    });
    expect(found({ skill_id: 'house/x', skill_version: '9' })).toEqual({
      problems: [
        'skill_id is "house/x", which is not a skill of library 1.0.0; ' +
          'it has "house/gate", "house/raise-flag".',
        'skill_version is "9", which the bus does not carry; it carries "2.0.0", "1.0.0".',
      ],
    });
  });
});
