import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Warning } from '../../../lib/kit/executor/skill.ts';
import { carried } from '../../../lib/skills/carried.ts';
import { currentLibrary } from '../../../lib/skills/library.ts';
import { instanceOf, type Members, stage } from './stage.ts';

interface SkillCase {
  readonly title: string;
  readonly values: Members;
  readonly steps: readonly Members[];
  readonly warnings: readonly number[];
  readonly is?: Partial<Warning>;
  readonly says?: readonly string[];
}

const { cases }: { readonly cases: Readonly<Record<string, readonly SkillCase[]>> } = parse(
  readFileSync('test/kit/executor/skills.yaml', 'utf8'),
  { merge: true },
);

test('every skill of the library has cases', () => {
  const ids = currentLibrary(carried).skills.map(({ name }) => name);
  expect(Object.keys(cases).sort()).toEqual(ids.sort());
});

describe.each(Object.keys(cases))('%s', skill => {
  test.each(cases[skill] ?? [])('$title', ({ values, steps, warnings, is = {}, says = [] }) => {
    const { snapshot, restart } = stage([instanceOf(skill, 'one', values)]);
    const told = steps.map(step => {
      restart();
      return snapshot(step);
    });
    expect(told.map(({ length }) => length)).toEqual(warnings);
    const last = told.flat().at(-1);
    expect(last ?? {}).toMatchObject(is);
    for (const text of says) expect(last?.detail).toContain(text);
  });
});
