import { match } from '../page/address.ts';
import { CheckPage } from './check-page.tsx';
import { skillNamed } from './rulebook.ts';
import { SkillPage } from './skill-page.tsx';
import { SkillsPage } from './skills-page.tsx';

/** The pages below `/skills`. */
export const skillsPart = (path: string) => {
  if (path === '/' || path === '/skills') return <SkillsPage />;
  if (path === '/skills/check') return <CheckPage />;
  const skill = skillNamed(match('/skills/:name', path)?.['name'] ?? '');
  return skill && <SkillPage key={skill.name} skill={skill} />;
};
