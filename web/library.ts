import { CheckPage } from './skills/check-page.tsx';
import { SkillPage } from './skills/skill-page.tsx';
import { SkillsPage } from './skills/skills-page.tsx';

/** The pages that have the skill library and read YAML. */
export const library = {
  checkSkills: CheckPage,
  skill: SkillPage,
  skills: SkillsPage,
};
