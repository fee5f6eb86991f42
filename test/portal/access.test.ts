import { readFileSync } from 'node:fs';
import { type PortalCall, type PortalCallId, portalCalls } from '../../lib/contract/portal.ts';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import { signInLink } from '../../lib/local/sign-in.ts';
import { acceptInvitation, inviteMember, inviteVendor } from '../../lib/registry/invitations.ts';
import { addMember } from '../../lib/registry/members.ts';
import { createOrganisation } from '../../lib/registry/organisations.ts';
import { oneService } from '../support/one-service.ts';
import { Browser } from './browser.ts';

const bus = oneService('--no-limits');

/** The table of docs/portal-access.md: by call and person, whether the call is allowed. */
const [head = [], , ...rows] = readFileSync('docs/portal-access.md', 'utf8')
  .split('\n')
  .filter(line => line.startsWith('|'))
  .map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  );
const people = head.slice(1);
const table = new Map(
  rows.map(([call = '', ...cells]) => [
    call.replaceAll('`', ''),
    new Map(people.map((person, at) => [person, cells[at] === 'yes'])),
  ]),
);

/** Not `owner`: that is the name of the local owner, who is the operator, too. */
const subject = (name: string) => `the-${name.replaceAll(' ', '-')}`;
const identity = (name: string) => ({ issuer: 'local', subject: subject(name), name });

beforeAll(async () => {
  const { registry: ports, ready } = bus;
  const seeded = await ports.directory.find('workspace', ready.workspace);
  const organisation = seeded?.kind === 'workspace' ? seeded.organisation : '';
  for (const role of ['viewer', 'editor', 'owner'] as const)
    await addMember(ports, { ...identity(role), organisation, role });
  const terms = { kinds: ['producer'] as const, grants: ['*'], receives: [] };
  const invitation = await inviteVendor(ports, ready.workspace, terms);
  const guest = await acceptInvitation(ports, String(invitation), {
    person: identity('invited owner'),
    newVendor: 'Vendor',
  });
  if ('reason' in guest) throw new Error(guest.reason);
  for (const role of ['viewer', 'editor'] as const)
    await addMember(ports, { ...identity(`invited ${role}`), organisation: guest.organisation, role });
  const elsewhere = await createOrganisation(ports, { name: 'Elsewhere', tier: 'minimal' });
  await addMember(ports, { ...identity('owner elsewhere'), organisation: elsewhere.id, role: 'owner' });
  await ports.members.setOperator(identity('operator'), true);
  await inviteMember(ports, organisation, 'viewer');
});

const browserOf = async (person: string): Promise<Browser> => {
  const browser = new Browser();
  if (person === 'signed out') return browser;
  const facts = { name: subject(person), now: Date.now(), host: '127.0.0.1' };
  await browser.go(signInLink(bus.ready.portal_url, operatorKeyIn(bus.data), facts));
  return browser;
};

/** Every call as one person, signing out at the end. */
const statusesOf = async (person: string): Promise<ReadonlyMap<string, number>> => {
  const { registry: ports, ready } = bus;
  const seeded = await ports.directory.find('workspace', ready.workspace);
  const names: Readonly<Record<string, string>> = {
    o: seeded?.kind === 'workspace' ? seeded.organisation : '',
    w: ready.workspace,
    m: '00000000-0000-4000-8000-000000000000',
  };
  const browser = await browserOf(person);
  const found = new Map<string, number>();
  const calls = (Object.keys(portalCalls) as PortalCallId[]).filter(id => id !== 'sign.out');
  for (const id of [...calls, 'sign.out' as const]) {
    const { group, method, path }: PortalCall = portalCalls[id];
    const address = path.replace(/\{(\w)\}/g, (_, name: string) => names[name] ?? '');
    const answer = await browser.request(`${ready.portal_url}/api/${group}/${address}`, {
      method,
      headers: {
        'x-sombus-portal': '1',
        ...(method === 'POST' ? { origin: ready.portal_url, 'content-type': 'application/json' } : {}),
      },
      ...(method === 'POST' ? { body: '{}' } : {}),
    });
    const body: unknown = answer.status === 303 ? {} : await answer.json();
    const isAccess = ['session.required', 'access.denied', 'portal.not_found'].includes(
      String(Reflect.get(body as object, 'code')),
    );
    // A message that does not exist is none of the table's business.
    found.set(
      id,
      isAccess && !(id === 'workspace.message' && table.get(id)?.get(person)) ? answer.status : 200,
    );
  }
  return found;
};

/** How somebody is refused: he may know that the thing exists only if he has a standing there. */
const refusalOf = (person: string, id: PortalCallId): number => {
  if (person === 'signed out') return 401;
  const isStranger = ['in no organisation', 'owner elsewhere'].includes(person);
  // To an organisation, its vendors are strangers.
  const isUnknown = person.startsWith('invited') && portalCalls[id].group !== 'workspace';
  const isMember = ['viewer', 'editor', 'owner'].includes(person) && portalCalls[id].group === 'operator';
  return isStranger || isUnknown || isMember ? 404 : 403;
};

test('the table names every call once', () => {
  expect([...table.keys()]).toEqual(Object.keys(portalCalls));
});

test.each(people)('%s may make exactly the calls of the table', async person => {
  const statuses = await statusesOf(person);
  const expected = new Map(
    (Object.keys(portalCalls) as PortalCallId[]).map(id => [
      id,
      table.get(id)?.get(person) ? 200 : refusalOf(person, id),
    ]),
  );
  expect(Object.fromEntries(statuses)).toEqual(Object.fromEntries(expected));
});
