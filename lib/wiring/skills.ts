import { awsSkillRegistrations } from '../skills/registrations.dynamodb.ts';
import type { SkillRegistrations } from '../skills/registrations.ts';
import { registrationsEdge, skillLibraryEdge, skillValidateEdge } from '../skills/skills.http.ts';
import { testRuns } from './activity.ts';
import { clock, type Env, registry, registryTable } from './env.ts';
import type { RouteFunction } from './function.ts';

export const skillLibraryFunction: RouteFunction<'skill-library'> = {
  route: 'skill-library',
  edge: skillLibraryEdge,
  ports: {},
};

export const skillValidateFunction: RouteFunction<'skill-validate'> = {
  route: 'skill-validate',
  edge: skillValidateEdge,
  ports: {},
};

const skills = (env: Env): SkillRegistrations => awsSkillRegistrations(registryTable(env));

export const registrationsFunction: RouteFunction<'registrations'> = {
  route: 'registrations',
  edge: registrationsEdge,
  ports: { clock, registry, skills, testRuns },
};
