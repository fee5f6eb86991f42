/**
 * The URLs of the portal's pages. `{w}` is a workspace, `{c}` a connection, `{o}` an organisation,
 * `{m}` a message_id, `{t}` a run of checks, `{name}` a skill's name.
 */
export const portalPages = {
  home: '/',
  activity: '/workspaces/{w}/activity',
  message: '/workspaces/{w}/messages/{m}',
  connections: '/workspaces/{w}/connections',
  makeConnection: '/workspaces/{w}/connections/new',
  connection: '/workspaces/{w}/connections/{c}',
  queue: '/workspaces/{w}/queues/{c}',
  executor: '/workspaces/{w}/executors/{c}',
  validate: '/workspaces/{w}/validate',
  types: '/workspaces/{w}/types',
  allRuns: '/workspaces/{w}/runs',
  runs: '/workspaces/{w}/runs/{c}',
  run: '/workspaces/{w}/runs/{c}/{t}',
  alerts: '/workspaces/{w}/alerts',
  story: '/workspaces/{w}/story',
  organisation: '/organisations/{o}',
  operator: '/operator',
  join: '/join',
  signedIn: '/signed-in',
  signInFailed: '/sign-in-failed',
  skills: '/skills',
  checkSkills: '/skills/check',
  skill: '/skills/{name}',
} as const satisfies Record<string, `/${string}`>;

export type PortalPage = keyof typeof portalPages;

type NameIn<Address extends string> = Address extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NameIn<Rest>
  : never;

export type PageNames<P extends PortalPage> = Readonly<
  Record<NameIn<(typeof portalPages)[P]>, string>
>;

export const pathOfPage = <P extends PortalPage>(page: P, names: PageNames<P>): string =>
  portalPages[page].replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(Reflect.get(names, name))),
  );

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

const namesIn = (pattern: string, path: string): Readonly<Record<string, string>> | undefined => {
  const parts = pattern.split('/');
  const segments = path.split('/');
  if (parts.length !== segments.length) return undefined;
  const names: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = decoded(segments[index] ?? '');
    if (segment === undefined || (part !== '' && segment === '')) return undefined;
    if (part.startsWith('{')) names[part.slice(1, -1)] = segment;
    else if (part !== segment) return undefined;
  }
  return names;
};

/**
 * Which page is at a path, with the names in it. Where two fit, the table has the plainer one
 * first.
 */
export const pageAt = (
  path: string,
): { readonly page: PortalPage; readonly names: Readonly<Record<string, string>> } | undefined => {
  for (const page of Object.keys(portalPages) as PortalPage[]) {
    const names = namesIn(portalPages[page], path);
    if (names) return { page, names };
  }
  return undefined;
};
