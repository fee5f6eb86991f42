import {
  approveOrganisation,
  declineOrganisation,
  requestOrganisation,
  resumeOrganisation,
  suspendOrganisation,
} from '../../lib/registry/approval.ts';
import { isRegistered } from '../../lib/registry/connection.ts';
import { createConnection } from '../../lib/registry/connections.ts';
import { createGuestConnection, endGuest } from '../../lib/registry/guests.ts';
import {
  acceptInvitation,
  inviteMember,
  inviteVendor,
  openInvitations,
} from '../../lib/registry/invitations.ts';
import {
  addMember,
  type MemberChoice,
  personKey,
  removeMember,
  setMemberRole,
} from '../../lib/registry/members.ts';
import { isDeclined } from '../../lib/registry/operator.ts';
import { createOrganisation, createWorkspace } from '../../lib/registry/organisations.ts';
import type { Principal } from '../../lib/registry/principals.ts';
import type { OperatorPorts } from '../../lib/wiring/operator.ts';
import { newPerson, registryHere } from '../support/registry-here.ts';
import { settled } from '../support/running-registry.ts';

const here = registryHere();
let ports: OperatorPorts;

beforeAll(() => {
  ports = here.ports();
});

/** An approved house with its owner and a workspace. */
const house = async () => {
  const owner = newPerson();
  const requested = settled(
    await requestOrganisation(ports, { name: 'House', type: 'house', requestedBy: owner }),
  );
  const organisation = settled(await approveOrganisation(ports, requested.id, 'high'));
  const workspace = settled(
    await createWorkspace(ports, { name: 'Newsroom', organisation: organisation.id }),
  );
  return { owner, organisation: organisation.id, workspace: workspace.id };
};

const none = { systemIds: [], grants: [], receives: [], sources: [] };

test('an invitation for an e-mail address is for whoever has it verified, and for nobody else', async () => {
  const { organisation, workspace } = await house();
  const email = 'Anna@House.example';
  const terms = { kinds: ['producer'], grants: [], receives: [] } as const;
  const invitations = [
    settled(await inviteMember(ports, { organisation, role: 'viewer', email })),
    settled(await inviteVendor(ports, { workspace, terms, email })),
  ];
  const [open] = await openInvitations(ports, organisation);
  expect(open?.offer.email).toBe(email);
  for (const invitation of invitations) {
    for (const other of [newPerson(), { ...newPerson(), email: 'mallory@house.example' }])
      expect(await acceptInvitation(ports, invitation, { person: other, newVendor: 'V' })).toMatchObject({
        reason: expect.stringContaining('for another e-mail address'),
      });
    const anna = { ...newPerson(), email: 'anna@house.example' };
    settled(await acceptInvitation(ports, invitation, { person: anna, newVendor: 'V' }));
  }
  for (const wrong of ['anna', 'a@b@c', 'a @b', 'a@b\n'])
    expect(await inviteMember(ports, { organisation, role: 'viewer', email: wrong })).toMatchObject({
      reason: expect.stringContaining('is no e-mail address'),
    });
});

describe('an organisation', () => {
  test('can do nothing until it is approved; then who asked for it is its owner', async () => {
    const owner = newPerson();
    const wanted = { name: 'Desk Systems', type: 'vendor', requestedBy: owner } as const;
    const { id, status } = settled(await requestOrganisation(ports, wanted));
    expect(status).toBe('requested');
    expect(await createWorkspace(ports, { name: 'W', organisation: id })).toMatchObject({ kind: 'declined' });
    expect(await inviteMember(ports, { organisation: id, role: 'viewer' })).toMatchObject({
      kind: 'declined',
    });
    settled(await approveOrganisation(ports, id, 'standard'));
    expect(await ports.directory.find('organisation', id)).toMatchObject({
      status: 'active',
      tier: 'standard',
      type: 'vendor',
    });
    expect(await ports.members.affiliationOf(owner)).toEqual({
      roles: [{ organisation: id, role: 'owner' }],
      isOperator: false,
    });
  });

  test('is decided on once', async () => {
    const { id } = settled(
      await requestOrganisation(ports, { name: 'X', type: 'house', requestedBy: newPerson() }),
    );
    settled(await declineOrganisation(ports, id));
    expect(await approveOrganisation(ports, id, 'high')).toMatchObject({ kind: 'declined' });
    expect(await declineOrganisation(ports, id)).toMatchObject({ kind: 'declined' });
  });

  test.each([' ', 'a\nb', 'a\u001b[2J', 'a\u202eb', 'x'.repeat(257)])('cannot be called %j', async name => {
    const wanted = { name, type: 'house', requestedBy: newPerson() } as const;
    expect(await requestOrganisation(ports, wanted)).toMatchObject({ kind: 'declined' });
    const { organisation, workspace } = await house();
    expect(await createWorkspace(ports, { name, organisation })).toMatchObject({ kind: 'declined' });
    const invitation = settled(
      await inviteVendor(ports, { workspace, terms: { kinds: ['producer'], grants: [], receives: [] } }),
    );
    expect(await acceptInvitation(ports, invitation, { person: newPerson(), newVendor: name })).toMatchObject(
      {
        kind: 'declined',
      },
    );
  });

  test("that is suspended has connections that count as revoked, its vendors' in its workspaces too; resuming ends it", async () => {
    const { organisation, workspace } = await house();
    const own = settled(
      await createConnection(ports, { ...none, kind: 'consumer', workspace, app: 'own', receives: ['*'] }),
    ).connection;
    const vendor = await createOrganisation(ports, { name: 'V', tier: 'minimal', type: 'vendor' });
    const registered = async (id: string) => isRegistered((await ports.connections.find(id))?.connection);
    settled(await suspendOrganisation(ports, organisation));
    expect(await registered(own.id)).toBe(false);
    expect((await ports.connections.find(own.id))?.connection).toMatchObject({
      status: 'active',
      queue: own.queue,
    });
    expect(await createWorkspace(ports, { name: 'W', organisation })).toMatchObject({ kind: 'declined' });
    settled(await suspendOrganisation(ports, organisation));
    settled(await resumeOrganisation(ports, organisation));
    expect(await registered(own.id)).toBe(true);
    expect(await resumeOrganisation(ports, vendor.id)).toMatchObject({ kind: 'declined' });
  });

  test('that is suspended closes its queues to verified roles, which read again when it is resumed', async () => {
    const { organisation, workspace } = await house();
    const { connection } = settled(
      await createConnection(ports, { ...none, kind: 'consumer', workspace, app: 'reader', receives: ['*'] }),
    );
    const roleArn = 'arn:aws:iam::123456789012:role/reader';
    const reader: Principal = {
      id: 'p000000000001',
      scope: workspace,
      connection: connection.id,
      roleArn,
      status: 'verified',
      createdAt: connection.createdAt,
    };
    await ports.principals.put(reader, []);
    const opened: [queue: string, roles: readonly string[]][] = [];
    const queueAdmin = {
      ...ports.queueAdmin,
      letRead: async (queue: string, roles: readonly string[]) => {
        opened.push([queue, roles]);
        return 'set' as const;
      },
    };
    settled(await suspendOrganisation({ ...ports, queueAdmin }, organisation));
    settled(await resumeOrganisation({ ...ports, queueAdmin }, organisation));
    expect(opened).toEqual([
      [connection.queue, []],
      [connection.queue, [roleArn]],
    ]);
  });

  test('that shares a workspace with another suspended one stays out until both are resumed', async () => {
    const { organisation, workspace } = await house();
    const guest = await invited(workspace);
    const { connection } = settled(
      await createGuestConnection(ports, {
        ...none,
        kind: 'producer',
        workspace,
        organisation: guest,
        app: 'cms',
        grants: ['link.committed'],
      }),
    );
    const isIn = async () => isRegistered((await ports.connections.find(connection.id))?.connection);
    settled(await suspendOrganisation(ports, organisation));
    settled(await suspendOrganisation(ports, guest));
    settled(await resumeOrganisation(ports, organisation));
    expect(await isIn()).toBe(false);
    settled(await resumeOrganisation(ports, guest));
    expect(await isIn()).toBe(true);
  });
});

describe('members', () => {
  test('change roles and leave, but the last owner stays', async () => {
    const { owner, organisation } = await house();
    const other = newPerson();
    await addMember(ports, { ...other, organisation, role: 'viewer' });
    const [first, second] = [owner, other].map(one => ({ organisation, key: personKey(one) }));
    if (!first || !second) throw new Error('There are two.');
    expect(await setMemberRole(ports, first, 'editor')).toMatchObject({ kind: 'declined' });
    expect(await removeMember(ports, first)).toMatchObject({ kind: 'declined' });
    settled(await setMemberRole(ports, second, 'owner'));
    settled(await removeMember(ports, first));
    expect(await ports.members.affiliationOf(owner)).toEqual({ roles: [], isOperator: false });
    expect((await ports.members.ofOrganisation(organisation)).map(({ subject }) => subject)).toEqual([
      other.subject,
    ]);
  });

  test('the second of two who change the same member is told, and nothing is overwritten', async () => {
    const { organisation } = await house();
    const member = settled(await addMember(ports, { ...newPerson(), organisation, role: 'viewer' }));
    expect(await ports.members.setRole(member, 'editor')).toBe(true);
    expect(await ports.members.setRole(member, 'owner')).toBe(false);
    expect(await ports.members.remove(member)).toBe(false);
  });

  test('are told if the role that they decided on is no more what they saw', async () => {
    const { organisation } = await house();
    const member = settled(await addMember(ports, { ...newPerson(), organisation, role: 'viewer' }));
    const choice = { organisation, key: personKey(member), seen: 'viewer' } as const;
    settled(await setMemberRole(ports, choice, 'owner'));
    expect(await setMemberRole(ports, choice, 'editor')).toMatchObject({ isChanged: true });
    expect(await removeMember(ports, choice)).toMatchObject({ isChanged: true });
  });

  test('who are the last two owners cannot both lose that role at once', async () => {
    const { owner, organisation } = await house();
    const other = settled(await addMember(ports, { ...newPerson(), organisation, role: 'owner' }));
    const both = [owner, other].map(one => ({ organisation, key: personKey(one) }));
    const results = await Promise.all(both.map(one => setMemberRole(ports, one, 'viewer')));
    expect(results.filter(isDeclined)).toHaveLength(1);
  });

  test('hang on issuer and subject: the same subject elsewhere is somebody else', async () => {
    const { owner } = await house();
    const stranger = { ...owner, issuer: 'https://other.example' };
    expect((await ports.members.affiliationOf(stranger)).roles).toEqual([]);
  });
});

/** A new vendor that took up an invitation into a workspace. */
const invited = async (workspace: string): Promise<string> => {
  const terms = { kinds: ['producer'] as const, grants: ['link.*'], receives: [] };
  const secret = settled(await inviteVendor(ports, { workspace, terms }));
  const guest = settled(await acceptInvitation(ports, secret, { person: newPerson(), newVendor: 'Vendor' }));
  return guest.organisation;
};

describe('an invitation', () => {
  test('brings a person into an organisation once, with its role', async () => {
    const { organisation } = await house();
    const secret = settled(await inviteMember(ports, { organisation, role: 'editor' }));
    const [one, other] = [newPerson(), newPerson()];
    expect(await acceptInvitation(ports, secret, { person: one })).toMatchObject({ role: 'editor' });
    expect(await acceptInvitation(ports, secret, { person: other })).toMatchObject({
      reason: expect.stringContaining('used before'),
    });
    expect((await ports.members.affiliationOf(other)).roles).toEqual([]);
  });

  test('is taken up by one of two who try at once', async () => {
    const { organisation } = await house();
    const secret = settled(await inviteMember(ports, { organisation, role: 'viewer' }));
    const results = await Promise.all(
      [newPerson(), newPerson()].map(one => acceptInvitation(ports, secret, { person: one })),
    );
    expect(results.filter(isDeclined)).toHaveLength(1);
  });

  test('ends after seven days', async () => {
    const { organisation } = await house();
    const secret = settled(await inviteMember(ports, { organisation, role: 'viewer' }));
    here.clock.advance(7 * 86_400_000);
    expect(await acceptInvitation(ports, secret, { person: newPerson() })).toMatchObject({
      kind: 'declined',
    });
  });

  test('of somebody who is a member already, of an unknown secret and of a suspended organisation is declined', async () => {
    const { owner, organisation } = await house();
    const secret = settled(await inviteMember(ports, { organisation, role: 'viewer' }));
    const declinedFor = async (text: string, who: ReturnType<typeof newPerson>) =>
      isDeclined(await acceptInvitation(ports, text, { person: who }));
    expect(await declinedFor(secret, owner)).toBe(true);
    expect(await declinedFor(`sbi_${'A'.repeat(43)}`, newPerson())).toBe(true);
    expect(await declinedFor('sbi_', newPerson())).toBe(true);
    settled(await suspendOrganisation(ports, organisation));
    expect(await declinedFor(secret, newPerson())).toBe(true);
    settled(await resumeOrganisation(ports, organisation));
    expect(await declinedFor(secret, newPerson())).toBe(false);
  });

  test('is listed without its secret until it is used or withdrawn', async () => {
    const { owner, organisation, workspace } = await house();
    const member = settled(await inviteMember(ports, { organisation, role: 'viewer' }, owner));
    here.clock.advance(1);
    const terms = { kinds: ['producer'] as const, grants: ['link.*'], receives: [] };
    settled(await inviteVendor(ports, { workspace, terms }));
    const open = await openInvitations(ports, organisation);
    expect(open.map(({ offer, by }) => [offer.kind, by?.subject])).toEqual([
      ['member', owner.subject],
      ['vendor', undefined],
    ]);
    expect(JSON.stringify(open)).not.toContain(member);
    const [first] = open;
    expect(await ports.invitations.withdraw('o000000000000', first?.id ?? '')).toBe(false);
    expect(await ports.invitations.withdraw(organisation, first?.id ?? '')).toBe(true);
    expect(await acceptInvitation(ports, member, { person: newPerson() })).toMatchObject({
      reason: expect.stringContaining('withdrawn'),
    });
    expect(await openInvitations(ports, organisation)).toHaveLength(1);
  });

  test.each([
    ['is an owner no more', (choice: MemberChoice) => setMemberRole(ports, choice, 'editor')],
    ['has left', (choice: MemberChoice) => removeMember(ports, choice)],
  ])('ends when who made it %s, and stays so', async (_, lose) => {
    const { owner, organisation } = await house();
    settled(await addMember(ports, { ...newPerson(), organisation, role: 'owner' }));
    const secret = settled(await inviteMember(ports, { organisation, role: 'owner' }, owner));
    settled(await lose({ organisation, key: personKey(owner) }));
    expect(await acceptInvitation(ports, secret, { person: owner })).toMatchObject({ kind: 'declined' });
    await addMember(ports, { ...owner, organisation, role: 'owner' });
    expect(await acceptInvitation(ports, secret, { person: newPerson() })).toMatchObject({
      kind: 'declined',
    });
  });

  test('makes a vendor that has no workspaces of its own', async () => {
    const { workspace } = await house();
    const organisation = await invited(workspace);
    expect(await createWorkspace(ports, { name: 'Mine', organisation })).toMatchObject({
      reason: expect.stringContaining('came by an invitation'),
    });
  });

  test('lets a vendor in without approval, on minimal, and only for what it says', async () => {
    const { workspace } = await house();
    const organisation = await invited(workspace);
    expect(await ports.directory.find('organisation', organisation)).toMatchObject({
      type: 'vendor',
      status: 'active',
      tier: 'minimal',
    });
    const connect = (kind: 'producer' | 'consumer', patterns: readonly string[]) =>
      createGuestConnection(ports, {
        ...none,
        kind,
        workspace,
        organisation,
        app: `app-${kind}`,
        ...(kind === 'producer' ? { grants: patterns } : { receives: patterns }),
      });
    expect(await connect('consumer', ['link.committed'])).toMatchObject({ kind: 'declined' });
    expect(await connect('producer', ['link.committed', 'story.context'])).toMatchObject({
      kind: 'declined',
    });
    expect(await connect('producer', ['*'])).toMatchObject({ kind: 'declined' });
    const { connection } = settled(await connect('producer', ['link.committed']));
    expect(connection).toMatchObject({ organisation, workspace, tier: 'minimal' });
  });

  test('of a vendor lets nobody else in, and no connection after its end', async () => {
    const { workspace } = await house();
    const organisation = await invited(workspace);
    const request = {
      ...none,
      kind: 'producer',
      workspace,
      organisation,
      app: 'cms',
      grants: ['link.committed'],
    } as const;
    const { connection } = settled(await createGuestConnection(ports, request));
    const stranger = await createOrganisation(ports, { name: 'S', tier: 'minimal' });
    expect(await createGuestConnection(ports, { ...request, organisation: stranger.id })).toMatchObject({
      kind: 'declined',
    });
    expect(await endGuest(ports, workspace, organisation)).toEqual({ revoked: 1 });
    expect((await ports.connections.find(connection.id))?.connection.status).toBe('revoked');
    expect(await createGuestConnection(ports, { ...request, app: 'other' })).toMatchObject({
      kind: 'declined',
    });
    expect(await endGuest(ports, workspace, organisation)).toMatchObject({ kind: 'declined' });
  });
});

test('changes are listed the newest first, page by page', async () => {
  const by = newPerson();
  for (const [index, what] of ['a', 'b', 'c'].entries())
    await ports.changes.note({
      organisation: 'oaaaaaaaaaaaa',
      at: here.clock.now() + index,
      by,
      what,
      facts: { x: 'y' },
    });
  const first = await ports.changes.of('oaaaaaaaaaaaa', { max: 2 });
  expect(first.map(({ what }) => what)).toEqual(['c', 'b']);
  expect(first[0]).toMatchObject({ by, facts: { x: 'y' } });
  const before = first.at(-1)?.position ?? '';
  expect((await ports.changes.of('oaaaaaaaaaaaa', { max: 2, before })).map(({ what }) => what)).toEqual([
    'a',
  ]);
});
