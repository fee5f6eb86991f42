import type { PortalCallId, portalCalls } from './portal.ts';
import type { ResponseOf } from './portal-responses.ts';

type ListsIn<Response> = {
  [Name in keyof Response]-?: Response[Name] extends readonly (infer Entry)[] | undefined
    ? Entry extends object
      ? Name
      : never
    : never;
}[keyof Response];

type Rows = typeof portalCalls;

/** The calls that read and answer lists, but have no pages. */
type Unpaged = {
  [Id in PortalCallId]: Rows[Id] extends { readonly page: string } | { readonly method: 'POST' }
    ? never
    : ListsIn<ResponseOf<Id>> extends never
      ? never
      : Id;
}[PortalCallId];

/** What these lists are bounded by. A new list without a page is missing here, and does not compile. */
export const boundedLists = {
  'sign.session': 'the organisations of one person',
  'workspace.message': 'limits.attemptsTold, of each consumer',
  'workspace.overview': 'limits.portalPage, and counts of one item a connection and hour',
  'workspace.search': 'limits.portalPage of each kind; next goes on',
  'workspace.volume': '168 steps',
  'connection.show': 'the roles and clients of one connection',
  'queue.show': 'limits.portalPage',
  'check.show': 'limits.portalResponseBytes',
} as const satisfies Readonly<Record<Unpaged, string>>;
