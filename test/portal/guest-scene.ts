import { randomBytes } from 'node:crypto';
import { createGuestConnection } from '../../lib/access/people/guests.ts';
import { acceptInvitation, inviteVendor } from '../../lib/access/people/invitations.ts';
import { addMember } from '../../lib/access/people/members.ts';
import { createOrganisation, createWorkspace } from '../../lib/access/people/organisations.ts';
import { createConnection } from '../../lib/access/registry/connections.ts';
import { addIdentityProvider } from '../../lib/access/trust/identity-providers.ts';
import type { busRoutes } from '../../lib/contract/bus-routes.ts';
import type { PortalCallId, portalCalls } from '../../lib/contract/portal/portal.ts';
import type { LocalEnv } from '../../lib/local/env.ts';
import type { Person } from '../../lib/portal/session.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { settled } from '../support/running-registry.ts';

type Posts<Rows> = {
  [Id in keyof Rows]: Rows[Id] extends { readonly method: 'POST' } ? Id : never;
}[keyof Rows];

/**
 * Every call of the portal that may change something: a table of these that lacks a new call does
 * not compile.
 */
export type Changing = Posts<typeof portalCalls> & PortalCallId;

/** Those that a connection calls, or asks for a token. */
export type Called =
  | 'token'
  | {
      [Id in keyof typeof busRoutes]: (typeof busRoutes)[Id] extends { readonly auth: 'none' }
        ? never
        : Id;
    }[keyof typeof busRoutes];

export type Who = 'nobody' | 'editor' | 'owner' | 'guestEditor' | 'guestOwner';

export const terms = {
  kinds: ['producer', 'consumer'],
  grants: ['link.*'],
  receives: ['link.*'],
} as const;

export const issuer = 'https://idp.example';

export const instance = (label: string) =>
  `- {skill_id: smart-stories/gate-by-scope, instance_label: ${label}, values: {scope: destination-path, gate_scope_kind: E, path_map: {a: c}}}\n`;

export const range = () => {
  const now = Date.now();
  return { from: new Date(now - 60_000).toISOString(), to: new Date(now).toISOString() };
};

/** At the last free place, so many try at once. */
export const tries = 4;

/** A house with a guest: who they are, and a connection of each kind. */
export type Scene = Awaited<ReturnType<typeof sceneOf>>;

/** @param places how many invitations are open, and how many producers the guest has */
export const sceneOf = async (env: LocalEnv, places = 1) => {
  const ports = operatorPorts(env);
  const names = ['nobody', 'editor', 'owner', 'guestEditor', 'guestOwner'];
  const run = randomBytes(4).toString('hex');
  const people = Object.fromEntries(
    names.map(name => [name, { issuer: 'local', subject: `${name}-${run}`, name }]),
  ) as Record<Who, Person>;
  const house = (await createOrganisation(ports, { name: 'House', tier: 'high' })).id;
  const workspace = settled(
    await createWorkspace(ports, { name: 'Newsroom', organisation: house }),
  ).id;
  for (const role of ['editor', 'owner'] as const)
    settled(await addMember(ports, { ...people[role], organisation: house, role }));
  const invitations: string[] = [];
  for (let count = 0; count <= places; count += 1)
    invitations.push(settled(await inviteVendor(ports, { workspace, terms })));
  const first = invitations.pop() ?? '';
  const joined = await acceptInvitation(ports, first, {
    person: people.guestOwner,
    newVendor: 'Vendor',
  });
  const { organisation: guest } = settled(joined);
  settled(await addMember(ports, { ...people.guestEditor, organisation: guest, role: 'editor' }));
  const nothing = { systemIds: [], grants: [], receives: [], sources: [] };
  const wanted = { ...nothing, kind: 'producer', workspace, grants: ['link.*'] } as const;
  const own = settled(await createConnection(ports, { ...wanted, app: 'Own' })).connection.id;
  const secrets = new Map<string, string>();
  const ofVendor = async (app: string, kind: 'consumer' | 'producer') => {
    const lists = kind === 'producer' ? { grants: ['link.*'] } : { receives: ['link.*'] };
    const made = { ...nothing, ...lists, kind, workspace, app, organisation: guest };
    const { connection, clientSecret } = settled(await createGuestConnection(ports, made));
    secrets.set(connection.id, clientSecret);
    return connection.id;
  };
  const producers: string[] = [];
  for (let count = 0; count < places; count += 1)
    producers.push(await ofVendor(`P${count}`, 'producer'));
  const consumer = await ofVendor('C', 'consumer');
  const provider = { scope: workspace, issuer, jwksUri: `${issuer}/keys`, audience: 'bus' };
  const added = { ...provider, clientClaim: 'azp', insecureLocal: false } as const;
  settled(await addIdentityProvider(ports, added, ports.busIssuer));
  return { people, house, workspace, guest, invitations, own, consumer, producers, secrets };
};
