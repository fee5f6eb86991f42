import { carried } from '../../lib/skills/carried.ts';
import { currentLibrary } from '../../lib/skills/library.ts';
import { skillWords } from '../../web/skills/about.ts';

test('each skill of the library, and no other, is told in two sentences', () => {
  const { skills } = currentLibrary(carried);
  expect(Object.keys(skillWords).sort()).toEqual(skills.map(({ name }) => name).sort());
  const sentences = Object.values(skillWords).map(words => words.match(/\.(?= |$)/g)?.length);
  expect(sentences).toEqual(skills.map(() => 2));
});
