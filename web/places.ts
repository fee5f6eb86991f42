import type { PortalPage } from '../lib/contract/portal/portal-pages.ts';

/** What a page is called before it knows what it is about. */
export const pageTitles: Readonly<Record<PortalPage, string>> = {
  home: 'Overview',
  activity: 'Activity',
  message: 'Message',
  connections: 'Connections',
  makeConnection: 'Create a connection',
  connection: 'Connection',
  queue: 'Queue',
  executor: 'Skill instances',
  validate: 'Validate and publish',
  types: 'Message types',
  allRuns: 'Test runs',
  runs: 'Test runs',
  run: 'Test run',
  alerts: 'Alerts',
  story: 'Stories',
  organisation: 'Organisation',
  operator: 'Operator',
  join: 'Accept an invitation',
  signedIn: 'You are signed in',
  signInFailed: 'Sign-in failed',
  skills: 'Skills',
  checkSkills: 'Check a skills file',
  skill: 'Skill',
};

/** The places of a workspace that the navigation leads to, and the pages that belong to each. */
export const workspacePlaces = [
  { text: 'Activity', page: 'activity', pages: ['activity', 'message'] },
  { text: 'Stories', page: 'story', pages: ['story'] },
  {
    text: 'Connections',
    page: 'connections',
    pages: ['connections', 'connection', 'makeConnection', 'queue', 'executor'],
  },
  { text: 'Publish', page: 'validate', pages: ['validate'] },
  { text: 'Message types', page: 'types', pages: ['types'] },
  { text: 'Test runs', page: 'allRuns', pages: ['allRuns', 'runs', 'run'] },
  { text: 'Alerts', page: 'alerts', pages: ['alerts'] },
] as const satisfies readonly {
  readonly text: string;
  readonly page: PortalPage;
  readonly pages: readonly PortalPage[];
}[];
