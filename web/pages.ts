import type { ComponentType } from 'react';
import type { PageNames, PortalPage } from '../lib/contract/portal-pages.ts';
import { SignedInPage, SignInFailedPage } from './entry/notes.tsx';
import { HomePage } from './overview/overview-page.tsx';

/** A page; `names` are those in its URL. */
export type PageComponent<P extends PortalPage> = ComponentType<{ readonly names: PageNames<P> }>;

/** What shows each page: the overview comes first, the others in a few parts. */
export const pages: { readonly [P in PortalPage]: () => Promise<PageComponent<P>> } = {
  home: async () => HomePage,
  activity: async () => (await import('./work.ts')).work.activity,
  message: async () => (await import('./work.ts')).work.message,
  connections: async () => (await import('./connecting.ts')).connecting.connections,
  makeConnection: async () => (await import('./connecting.ts')).connecting.makeConnection,
  connection: async () => (await import('./connecting.ts')).connecting.connection,
  queue: async () => (await import('./connecting.ts')).connecting.queue,
  executor: async () => (await import('./connecting.ts')).connecting.executor,
  validate: async () => (await import('./manage.ts')).manage.validate,
  allRuns: async () => (await import('./manage.ts')).manage.allRuns,
  runs: async () => (await import('./manage.ts')).manage.runs,
  run: async () => (await import('./manage.ts')).manage.run,
  alerts: async () => (await import('./manage.ts')).manage.alerts,
  story: async () => (await import('./work.ts')).work.story,
  organisation: async () => (await import('./manage.ts')).manage.organisation,
  operator: async () => (await import('./manage.ts')).manage.operator,
  join: async () => (await import('./manage.ts')).manage.join,
  signedIn: async () => SignedInPage,
  signInFailed: async () => SignInFailedPage,
  skills: async () => (await import('./library.ts')).library.skills,
  checkSkills: async () => (await import('./library.ts')).library.checkSkills,
  skill: async () => (await import('./library.ts')).library.skill,
};
