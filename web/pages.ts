import type { ComponentType } from 'preact';
import type { PageNames, PortalPage } from '../lib/contract/portal-pages.ts';
import { ActivityPage } from './activity/activity-page.tsx';
import { RunPage } from './checks/run-page.tsx';
import { AllRunsPage, RunsPage } from './checks/runs-page.tsx';
import { ConnectionPage } from './connections/connection-page.tsx';
import { ConnectionsPage } from './connections/connections-page.tsx';
import { MakePage } from './connections/make-page.tsx';
import { ExecutorPage } from './executor/executor-page.tsx';
import { HomePage } from './home/home-page.tsx';
import { SignInFailedPage } from './home/sign-in-failed-page.tsx';
import { SignedInPage } from './home/signed-in-page.tsx';
import { MessagePage } from './message/message-page.tsx';
import { JoinPage } from './organisation/join-page.tsx';
import { OperatorPage } from './organisation/operator-page.tsx';
import { OrganisationPage } from './organisation/organisation-page.tsx';
import { QueuePage } from './queue/queue-page.tsx';
import { StoryPage } from './story/story-page.tsx';
import { ValidatePage } from './validate/validate-page.tsx';

/** A page; `names` are those in its address. */
export type PageComponent<P extends PortalPage> = ComponentType<{ readonly names: PageNames<P> }>;

/**
 * What shows each page. They are small, and come together: a request for each part of a page takes longer than all of them in one.
 * Fetched when it is first needed: what has the skill library and reads YAML, and what shows the text of a message.
 */
export const pages: { readonly [P in PortalPage]: () => Promise<PageComponent<P>> } = {
  home: async () => HomePage,
  activity: async () => ActivityPage,
  message: async () => MessagePage,
  connections: async () => ConnectionsPage,
  makeConnection: async () => MakePage,
  connection: async () => ConnectionPage,
  queue: async () => QueuePage,
  executor: async () => ExecutorPage,
  validate: async () => ValidatePage,
  allRuns: async () => AllRunsPage,
  runs: async () => RunsPage,
  run: async () => RunPage,
  story: async () => StoryPage,
  organisation: async () => OrganisationPage,
  operator: async () => OperatorPage,
  join: async () => JoinPage,
  signedIn: async () => SignedInPage,
  signInFailed: async () => SignInFailedPage,
  skills: async () => (await import('./skills/skills-page.tsx')).SkillsPage,
  checkSkills: async () => (await import('./skills/check-page.tsx')).CheckPage,
  skill: async () => (await import('./skills/skill-page.tsx')).SkillPage,
};
