import type { ComponentType } from 'react';
import type { PageNames, PortalPage } from '../lib/contract/portal/portal-pages.ts';
import { SignedInPage, SignInFailedPage } from './entry/notes.tsx';
import { HomePage } from './overview/overview-page.tsx';

/** A page; `names` are those in its URL. */
export type PageComponent<P extends PortalPage> = ComponentType<{ readonly names: PageNames<P> }>;

/** What shows each page: the overview comes first. */
export const pages: { readonly [P in PortalPage]: () => Promise<PageComponent<P>> } = {
  home: async () => HomePage,
  activity: async () => (await import('./activity/activity-page.tsx')).ActivityPage,
  message: async () => (await import('./message/message-page.tsx')).MessagePage,
  connections: async () => (await import('./connections/connections-page.tsx')).ConnectionsPage,
  makeConnection: async () => (await import('./connections/make-page.tsx')).MakePage,
  connection: async () => (await import('./connections/connection-page.tsx')).ConnectionPage,
  queue: async () => (await import('./queue/queue-page.tsx')).QueuePage,
  executor: async () => (await import('./executor/executor-page.tsx')).ExecutorPage,
  validate: async () => (await import('./validate/validate-page.tsx')).ValidatePage,
  types: async () => (await import('./types/types-page.tsx')).TypesPage,
  allRuns: async () => (await import('./checks/runs-page.tsx')).AllRunsPage,
  runs: async () => (await import('./checks/runs-page.tsx')).RunsPage,
  run: async () => (await import('./checks/run-page.tsx')).RunPage,
  alerts: async () => (await import('./alerts/alerts-page.tsx')).AlertsPage,
  story: async () => (await import('./story/story-page.tsx')).StoryPage,
  organisation: async () => (await import('./organisation/organisation-page.tsx')).OrganisationPage,
  operator: async () => (await import('./operator/operator-page.tsx')).OperatorPage,
  join: async () => (await import('./organisation/join-page.tsx')).JoinPage,
  signedIn: async () => SignedInPage,
  signInFailed: async () => SignInFailedPage,
  skills: async () => (await import('./skills/skills-page.tsx')).SkillsPage,
  checkSkills: async () => (await import('./skills/check-page.tsx')).CheckPage,
  skill: async () => (await import('./skills/skill-page.tsx')).SkillPage,
};
