import { existsSync } from 'node:fs';
import { readYaml } from '../../lib/platform/json/yaml.ts';
import { carried } from '../../lib/skills/carried.ts';
import { checkInstances } from '../../lib/skills/check-instances.ts';
import { libraryFrom, type Rulebook } from '../../lib/skills/library.ts';
import { readSkillsFile } from '../../lib/skills/skills-file.ts';
import { storyPaths } from '../../lib/skills/story-paths.ts';
import storyContext from '../../schemas/story-context.schema.json';
import eleventh from '../corpus/skills/eleventh-skill.json';
import { describeShared, readShared, sharedPath } from '../shared.ts';

const paths = storyPaths(storyContext);
const referencePresent = existsSync(sharedPath('som-1.0'));
const rulebook: Rulebook = { catalogue: carried, paths };

/**
 * Contract section 11: the library lists the ten skills of 0.2.2, so the proposed eleventh is
 * unknown to it.
 */
const proposed = 'smart-stories/declare-context-on-commit';

/** The same library with the proposed skill in it, as a later version could have it: data alone. */
const withProposed: Rulebook = {
  catalogue: [
    libraryFrom(
      {
        version: '0.2.2',
        status: 'current',
        som_version: '1.0.0',
        source: 'https://example.com',
        source_commit: 'e'.repeat(40),
      },
      [...carried[0].skills, { ...eleventh, skill_version: '0.2.2' }],
    ),
  ],
  paths,
};

interface Case {
  readonly case: string;
  readonly at: string;
  readonly skills: readonly { readonly skill_id?: string }[];
}

const yaml = <Value>(path: string): Value => {
  const read = readYaml(readShared('som-1.0', path).toString());
  if (read.kind === 'error') throw new Error(read.reason);
  return read.value as Value;
};

const report = (instances: readonly unknown[], rules: Rulebook) =>
  checkInstances({ kind: 'submission', checked: 'list', instances }, rules);

const problemsOf = (instances: readonly unknown[], rules: Rulebook): string[] => {
  const { problems, instances: checked } = report(instances, rules);
  return [...problems, ...checked.flatMap(instance => instance.problems)];
};

describeShared('som-1.0', 'the valid reference instances', () => {
  const text = referencePresent
    ? readShared('som-1.0', 'skills/instances-valid.yaml').toString()
    : '';
  const file = readSkillsFile(text);
  const instances = file.kind === 'submission' ? file.instances : [];
  const named = (instances as readonly { skill_id: string; instance_label: string }[]).map(
    instance => [instance.instance_label, instance.skill_id, instance] as const,
  );

  test('are twenty of the library and two of the proposed skill', () => {
    expect(named).toHaveLength(22);
    expect(named.filter(([, skill]) => skill === proposed)).toHaveLength(2);
  });

  test.each(named.filter(([, skill]) => skill !== proposed))(
    '%s is valid',
    (_label, _skill, instance) => {
      expect(problemsOf([instance], rulebook)).toEqual([]);
    },
  );

  test.each(named.filter(([, skill]) => skill === proposed))(
    '%s is refused for its skill (contract section 11), and valid where the skill is carried',
    (_label, _skill, instance) => {
      expect(problemsOf([instance], rulebook)).toEqual([
        expect.stringContaining(`skill_id is "${proposed}"`),
      ]);
      expect(problemsOf([instance], withProposed)).toEqual([]);
    },
  );

  test('all are valid as one list where the proposed skill is carried', () => {
    expect(report(instances, withProposed).valid).toBe(true);
  });
});

describeShared('som-1.0', 'the invalid reference instances', () => {
  const { cases } = referencePresent
    ? yaml<{ cases: readonly Case[] }>('skills/instances-invalid.yaml')
    : { cases: [] };
  const ofProposed = (one: Case): boolean =>
    one.skills.some(({ skill_id }) => skill_id === proposed);

  /**
   * The last name of the pointer that a good error would point at, and the index of the instance.
   */
  const aim = ({ at }: Case) => {
    const [, , index = '', ...members] = at.split('/');
    const name = members.findLast(member => !/^\d+$/.test(member)) ?? '';
    return { index: Number(index), name };
  };

  test('one of them is of the proposed skill and so decided otherwise by contract section 11', () => {
    expect(cases.filter(ofProposed).map(one => one.case)).toEqual(['path-list-bad-member']);
    expect(problemsOf(cases.find(ofProposed)?.skills ?? [], rulebook)).toEqual([
      expect.stringContaining(`skill_id is "${proposed}"`),
    ]);
  });

  test.each(cases.map(one => [one.case, one] as const))(
    '%s is refused with one problem that names the error',
    (_name, one) => {
      const { problems, instances } = report(one.skills, ofProposed(one) ? withProposed : rulebook);
      const { index, name } = aim(one);
      expect(problems).toEqual([]);
      expect(instances.map(instance => instance.problems.length)).toEqual(
        one.skills.map((_, at) => (at === index ? 1 : 0)),
      );
      expect(instances[index]?.problems[0]).toContain(name);
    },
  );
});
