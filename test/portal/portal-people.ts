import { createGuestConnection } from '../../lib/access/people/guests.ts';
import {
  acceptInvitation,
  inviteMember,
  inviteVendor,
} from '../../lib/access/people/invitations.ts';
import { addMember } from '../../lib/access/people/members.ts';
import { createOrganisation } from '../../lib/access/people/organisations.ts';
import { createConnection } from '../../lib/access/registry/connections.ts';
import {
  type PortalCall,
  type PortalCallId,
  portalCalls,
} from '../../lib/contract/portal/portal.ts';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import { signInLink } from '../../lib/local/sign-in.ts';
import { serveCalls } from '../../lib/portal/calls.http.ts';
import type { PortalPorts } from '../../lib/portal/ports.ts';
import type { Person } from '../../lib/portal/session.ts';
import { portalHandlers } from '../../lib/wiring/portal.ts';
import { sealsInMemory } from '../support/fakes/seals.ts';
import { type SharedService, serviceHere } from '../support/one-service.ts';
import { settled } from '../support/running-registry.ts';
import { Browser, portalOrigin } from './browser.ts';

type Bus = SharedService;

/** Not `owner`: that is the name of the local owner, who is the operator, too. */
export const subject = (name: string): string => `the-${name.replaceAll(' ', '-')}`;

const identity = (name: string) => ({ issuer: 'local', subject: subject(name), name });

/** The organisation of the demo workspace. */
const houseOf = async ({ registry, ready }: Bus): Promise<string> => {
  const seeded = await registry.directory.find('workspace', ready.workspace);
  return seeded?.kind === 'workspace' ? seeded.organisation : '';
};

/**
 * A viewer, an editor and an owner of the house and of a vendor that may connect producers and
 * consumers of links; somebody of another organisation; an operator. And a producer of the house's
 * and of the vendor's.
 */
const populate = async (bus: Bus) => {
  const { registry: ports, ready } = bus;
  const organisation = await houseOf(bus);
  for (const role of ['viewer', 'editor', 'owner'] as const)
    await addMember(ports, { ...identity(role), organisation, role });
  const terms = {
    kinds: ['producer', 'consumer'] as const,
    grants: ['link.*'],
    receives: ['link.*'],
  };
  const invitation = settled(await inviteVendor(ports, { workspace: ready.workspace, terms }));
  const guest = settled(
    await acceptInvitation(ports, invitation, {
      person: identity('invited owner'),
      newVendor: 'Vendor',
    }),
  );
  for (const role of ['viewer', 'editor'] as const)
    await addMember(ports, {
      ...identity(`invited ${role}`),
      organisation: guest.organisation,
      role,
    });
  const elsewhere = await createOrganisation(ports, { name: 'Elsewhere', tier: 'minimal' });
  await addMember(ports, {
    ...identity('owner elsewhere'),
    organisation: elsewhere.id,
    role: 'owner',
  });
  await ports.members.setOperator(identity('operator'), true);
  await inviteMember(ports, { organisation, role: 'viewer' });
  const nothing = { systemIds: [], grants: [], receives: [], sources: [] };
  const wanted = { ...nothing, kind: 'producer', workspace: ready.workspace } as const;
  const own = settled(await createConnection(ports, { ...wanted, app: 'Desk', grants: ['*'] }));
  const guestOwn = settled(
    await createGuestConnection(ports, {
      ...wanted,
      app: 'Prompter',
      grants: ['link.committed'],
      organisation: guest.organisation,
    }),
  );
  return {
    organisation,
    vendor: guest.organisation,
    own: own.connection.id,
    guest: guestOwn.connection.id,
  };
};

/** Signs a local person in; `signed out` and `in no organisation` are nobody in particular. */
const signIn = async ({ ready, data }: Bus, person: string): Promise<Browser> => {
  const browser = new Browser();
  if (person === 'signed out') return browser;
  const facts = { name: subject(person), now: Date.now() };
  await browser.go(signInLink(ready.portal_url, operatorKeyIn(data), facts));
  return browser;
};

interface PageCall {
  readonly subject?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

const pathOf = (path: string, names: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w)\}/g, (_, name: string) => names[name] ?? '');

const request = (
  bus: Bus,
  browser: Browser,
  id: PortalCallId,
  { subject: names = {}, body = {}, query = {} }: PageCall,
): Promise<Response> => {
  const { method, path }: PortalCall = portalCalls[id];
  const search = new URLSearchParams(query).toString();
  const isPost = method === 'POST';
  return browser.request(
    `${portalOrigin(bus)}/api/${pathOf(path, names)}${search === '' ? '' : `?${search}`}`,
    {
      method,
      headers: {
        'x-sombus-portal': '1',
        ...(isPost ? { origin: portalOrigin(bus), 'content-type': 'application/json' } : {}),
      },
      ...(isPost ? { body: JSON.stringify(body) } : {}),
    },
  );
};

/**
 * Makes calls as the portal's pages do. A session that has asked too often is left for a new one:
 * tests are faster than people.
 */
export const pageCalls = async (bus: Bus, person: string) => {
  let browser = await signIn(bus, person);
  return async (id: PortalCallId, call: PageCall): Promise<Response> => {
    const response = await request(bus, browser, id, call);
    if (response.status !== 429) return response;
    browser = await signIn(bus, person);
    return request(bus, browser, id, call);
  };
};

/**
 * What a person does in the portal: calls in the demo workspace, and what they answer. Who is named
 * signs in at the first call.
 */
const portalOf = (bus: Bus, person: string) => {
  let signedIn: ReturnType<typeof pageCalls> | undefined;
  return async (id: PortalCallId, { subject: names = {}, ...rest }: PageCall = {}) => {
    signedIn ??= pageCalls(bus, person);
    const response = await (await signedIn)(id, {
      subject: { w: bus.ready.workspace, ...names },
      ...rest,
    });
    // biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of it
    const body: any = await response.json();
    return { status: response.status, body };
  };
};

export type Portal = ReturnType<typeof portalOf>;

/** A refusal in one line. */
export const told = ({ status, body }: Awaited<ReturnType<Portal>>): string =>
  `${status} ${body.code}: ${body.message}`;

/**
 * The service in this process, with its people.
 *
 * @param first what happens before anybody is there
 */
export const portalHere = (first: (bus: Bus) => Promise<unknown> = async () => undefined) => {
  const bus = serviceHere();
  let made: Awaited<ReturnType<typeof populate>>;
  beforeAll(async () => {
    await first(bus);
    made = await populate(bus);
  });
  const as = (person: string) => portalOf(bus, person);
  return {
    bus,
    as,
    ...{
      viewer: as('viewer'),
      editor: as('editor'),
      owner: as('owner'),
      guest: as('invited editor'),
    },
    get made() {
      return made;
    },
    /** What was changed last in the house, the newest first. */
    async changes() {
      const { body } = await as('viewer')('organisation.changes', {
        subject: { o: made.organisation },
      });
      return body.changes;
    },
  };
};

/**
 * Makes calls in the demo workspace with other ports than its service has, as a person whom no
 * session needs to know.
 */
export const callsWith =
  ({ registry, ready }: Bus, ports: object, who: Person) =>
  async (
    id: PortalCallId,
    { subject: names = {}, body = {}, query = {}, headers = {} }: PageCall = {},
  ) => {
    const { method, path }: PortalCall = portalCalls[id];
    const sessions = { use: async () => ({ person: who, createdAt: 0, endsAt: 1 }) };
    const used = {
      ...registry,
      sessions,
      seals: sealsInMemory,
      accounts: { isOn: false },
      ...ports,
    } as unknown as PortalPorts;
    const settings = { origin: 'https://bus.example', portalPath: '/app', region: '' };
    const response = await serveCalls(
      used,
      portalHandlers,
      settings,
    )({
      requestId: 'r',
      method,
      pathParameters: { proxy: pathOf(path, { w: ready.workspace, ...names }) },
      query,
      headers: {
        host: 'portal.example',
        ...(method === 'POST'
          ? { origin: 'https://portal.example', 'content-type': 'application/json' }
          : {}),
        'x-sombus-portal': '1',
        cookie: `__Host-sombus-session=${'a'.repeat(43)}`,
        ...headers,
      },
      body: Buffer.from(JSON.stringify(body)),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of it
    return { ...response, body: response.body as any };
  };
