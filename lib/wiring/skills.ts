import { registrationsEdge, skillLibraryEdge, skillValidateEdge } from '../skills/skills.http.ts';
import { testRuns } from './activity.ts';
import { seals } from './consuming.ts';
import { clock, registry } from './env.ts';
import type { RouteFunction } from './function.ts';
import { skills } from './registry.ts';

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

export const registrationsFunction: RouteFunction<'registrations'> = {
  route: 'registrations',
  edge: registrationsEdge,
  ports: { clock, registry, seals, skills, testRuns },
};
