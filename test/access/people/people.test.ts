import {
  approveOrganisation,
  declineOrganisation,
  requestOrganisation,
  resumeOrganisation,
  suspendOrganisation,
} from '../../../lib/access/people/approval.ts';
import { createGuestConnection, endGuest } from '../../../lib/access/people/guests.ts';
import {
  acceptInvitation,
  inviteMember,
  inviteVendor,
  openInvitations,
} from '../../../lib/access/people/invitations.ts';
import {
  addMember,
  type MemberChoice,
  moveMemberships,
  type NamedPerson,
  personKey,
  removeMember,
  setMemberRole,
} from '../../../lib/access/people/members.ts';
import { createOrganisation, createWorkspace } from '../../../lib/access/people/organisations.ts';
import { isRegistered } from '../../../lib/access/registry/connection.ts';
import { createConnection } from '../../../lib/access/registry/connections.ts';
import { isDeclined } from '../../../lib/access/registry/declined.ts';
import type { OperatorPorts } from '../../../lib/wiring/operator.ts';
import { newPerson, registryHere } from '../../support/registry-here.ts';
import { settled } from '../../support/running-registry.ts';

const here = registryHere();
let ports: OperatorPorts;

beforeAll(() => {
  ports = here.ports();
});

const declined = { kind: 'declined' };
const saying = (part: string) => ({ kind: 'declined', reason: expect.stringContaining(part) });
const none = { systemIds: [], grants: [], receives: [], sources: [] };
const terms = { kinds: ['producer'], grants: ['link.*'], receives: [] } as const;

const request = async (
  name: string,
  requestedBy = newPerson(),
  type: 'house' | 'vendor' = 'house',
) => settled(await requestOrganisation(ports, { name, type, requestedBy })).id;

/** An approved house with its owner and a workspace. */
const house = async () => {
  const owner = newPerson();
  const organisation = await request('House', owner);
  settled(await approveOrganisation(ports, organisation, 'high'));
  const workspace = settled(await createWorkspace(ports, { name: 'Newsroom', organisation })).id;
  return { owner, organisation, workspace };
};

const invite = async (
  organisation: string,
  role: 'viewer' | 'editor' | 'owner' = 'viewer',
  by?: NamedPerson,
) => settled(await inviteMember(ports, { organisation, role }, by));

const accept = (secret: string, person: NamedPerson = newPerson(), newVendor = 'Vendor') =>
  acceptInvitation(ports, secret, { person, newVendor });

/** A new vendor that took up an invitation into a workspace. */
const invited = async (workspace: string): Promise<string> =>
  settled(await accept(settled(await inviteVendor(ports, { workspace, terms })))).organisation;

const guestProducer = (workspace: string, organisation: string, grants: readonly string[]) =>
  createGuestConnection(ports, {
    ...none,
    kind: 'producer',
    workspace,
    organisation,
    app: 'cms',
    grants,
  });

const consumerIn = async (workspace: string) =>
  settled(
    await createConnection(ports, {
      ...none,
      kind: 'consumer',
      workspace,
      app: 'own',
      receives: ['*'],
    }),
  ).connection;

const stored = async (id: string) => (await ports.connections.find(id))?.connection;

const statusOf = async (id: string) => (await ports.directory.find('organisation', id))?.status;

describe('an organisation', () => {
  test('can do nothing until it is approved; then who asked for it is its owner', async () => {
    const owner = newPerson();
    const organisation = await request('Desk Systems', owner, 'vendor');
    expect(await createWorkspace(ports, { name: 'W', organisation })).toMatchObject(declined);
    expect(await inviteMember(ports, { organisation, role: 'viewer' })).toMatchObject(declined);
    const approved = { status: 'active', tier: 'standard', type: 'vendor' };
    expect(await approveOrganisation(ports, organisation, 'standard')).toMatchObject(approved);
    expect(await ports.directory.find('organisation', organisation)).toMatchObject(approved);
    const roles = [{ organisation, role: 'owner' }];
    expect(await ports.members.affiliationOf(owner)).toEqual({ roles, isOperator: false });
  });

  test('is decided on once', async () => {
    const id = await request('X');
    expect(await declineOrganisation(ports, id)).toMatchObject({ status: 'declined' });
    expect(await approveOrganisation(ports, id, 'high')).toMatchObject(
      saying('no requested organisation'),
    );
    expect(await declineOrganisation(ports, id)).toMatchObject(declined);
    expect(await suspendOrganisation(ports, id)).toMatchObject(saying('no active organisation'));
    expect(await statusOf(id)).toBe('declined');
  });

  test.each([' ', 'a\nb', 'a\u001b[2J', 'a\u202eb', 'x'.repeat(257)])(
    'cannot be called %j',
    async name => {
      const wanted = { name, type: 'house', requestedBy: newPerson() } as const;
      expect(await requestOrganisation(ports, wanted)).toMatchObject(declined);
      const { organisation, workspace } = await house();
      expect(await createWorkspace(ports, { name, organisation })).toMatchObject(declined);
      const invitation = settled(await inviteVendor(ports, { workspace, terms }));
      expect(await accept(invitation, newPerson(), name)).toMatchObject(declined);
    },
  );

  test('is asked for with a reason, which may have lines and has an end', async () => {
    const wanted = { name: 'House', type: 'house', requestedBy: newPerson() } as const;
    const asking = (reason: string) => requestOrganisation(ports, { ...wanted, reason });
    const { id } = settled(await asking(' Trial in May.\nTwo systems. '));
    expect(await ports.directory.find('organisation', id)).toMatchObject({
      reason: 'Trial in May.\nTwo systems.',
    });
    const silent = settled(await asking(' '));
    expect(silent).not.toHaveProperty('reason');
    expect(await asking('x'.repeat(501))).toMatchObject(saying('at most 500 characters'));
    expect(await asking('a\u001b[2J')).toMatchObject(saying('no control characters'));
  });

  test('that is suspended has connections that count as revoked, and queues that verified roles cannot read, until it is resumed', async () => {
    const { organisation, workspace } = await house();
    const { id, queue, createdAt } = await consumerIn(workspace);
    const roleArn = 'arn:aws:iam::123456789012:role/reader';
    const reader = {
      id: 'p000000000001',
      scope: workspace,
      connection: id,
      roleArn,
      createdAt,
    } as const;
    await ports.principals.put({ ...reader, status: 'verified' }, []);
    const opened: [queue: string, roles: readonly string[]][] = [];
    const letRead = async (...call: (typeof opened)[number]) => {
      opened.push(call);
      return 'set' as const;
    };
    const watched = { ...ports, queueAdmin: { ...ports.queueAdmin, letRead } };
    for (const _again of [1, 2]) {
      settled(await suspendOrganisation(watched, organisation));
      expect(isRegistered(await stored(id))).toBe(false);
    }
    expect(await stored(id)).toMatchObject({ status: 'active', queue });
    expect(await createWorkspace(ports, { name: 'W', organisation })).toMatchObject(declined);
    settled(await resumeOrganisation(watched, organisation));
    expect(isRegistered(await stored(id))).toBe(true);
    expect(opened).toEqual([
      [queue, []],
      [queue, []],
      [queue, [roleArn]],
    ]);
    expect(await resumeOrganisation(ports, organisation)).toMatchObject(
      saying('no suspended organisation'),
    );
  });

  test('that shares a workspace with another suspended one stays out until both are resumed', async () => {
    const { organisation, workspace } = await house();
    const guest = await invited(workspace);
    const { id } = settled(await guestProducer(workspace, guest, ['link.committed'])).connection;
    settled(await suspendOrganisation(ports, organisation));
    settled(await suspendOrganisation(ports, guest));
    settled(await resumeOrganisation(ports, organisation));
    expect(isRegistered(await stored(id))).toBe(false);
    settled(await resumeOrganisation(ports, guest));
    expect(isRegistered(await stored(id))).toBe(true);
  });
});

describe('members', () => {
  const join = async (organisation: string, role: 'viewer' | 'owner' = 'viewer') =>
    settled(await addMember(ports, { ...newPerson(), organisation, role }));

  test('change roles and leave, but the last owner stays', async () => {
    const { owner, organisation } = await house();
    const other = await join(organisation);
    const choice = (one: typeof owner) => ({ organisation, key: personKey(one) });
    expect(await setMemberRole(ports, choice(owner), 'editor')).toMatchObject(declined);
    expect(await removeMember(ports, choice(owner))).toMatchObject(declined);
    settled(await setMemberRole(ports, choice(other), 'owner'));
    settled(await removeMember(ports, choice(owner)));
    expect((await ports.members.affiliationOf(owner)).roles).toEqual([]);
    const left = await ports.members.ofOrganisation(organisation);
    expect(left.map(({ subject }) => subject)).toEqual([other.subject]);
  });

  test('the second of two who change the same member is told, and nothing is overwritten', async () => {
    const { organisation } = await house();
    const member = await join(organisation);
    expect(await ports.members.setRole(member, 'editor')).toBe(true);
    expect(await ports.members.setRole(member, 'owner')).toBe(false);
    expect(await ports.members.remove(member)).toBe(false);
  });

  test('are told if the role that they decided on is no more what they saw', async () => {
    const { organisation } = await house();
    const choice = {
      organisation,
      key: personKey(await join(organisation)),
      seen: 'viewer',
    } as const;
    settled(await setMemberRole(ports, choice, 'owner'));
    expect(await setMemberRole(ports, choice, 'editor')).toMatchObject({ isChanged: true });
    expect(await removeMember(ports, choice)).toMatchObject({ isChanged: true });
  });

  test('who are the last two owners cannot both lose that role at once', async () => {
    const { owner, organisation } = await house();
    const both = [owner, await join(organisation, 'owner')];
    const lose = (one: typeof owner) =>
      setMemberRole(ports, { organisation, key: personKey(one) }, 'viewer');
    expect((await Promise.all(both.map(lose))).filter(isDeclined)).toHaveLength(1);
  });

  test('hang on issuer and subject: the same subject elsewhere is somebody else', async () => {
    const stranger = { ...(await house()).owner, issuer: 'https://other.example' };
    expect((await ports.members.affiliationOf(stranger)).roles).toEqual([]);
  });
});

describe('an invitation', () => {
  test('for an e-mail address is for whoever has it verified, and for nobody else', async () => {
    const { organisation, workspace } = await house();
    const email = 'Anna@House.example';
    const invitations = [
      settled(await inviteMember(ports, { organisation, role: 'viewer', email })),
      settled(await inviteVendor(ports, { workspace, terms, email })),
    ];
    expect((await openInvitations(ports, organisation))[0]?.offer.email).toBe(email);
    for (const invitation of invitations) {
      for (const other of [newPerson(), { ...newPerson(), email: 'mallory@house.example' }])
        expect(await accept(invitation, other)).toMatchObject(saying('for another e-mail address'));
      settled(await accept(invitation, { ...newPerson(), email: 'anna@house.example' }));
    }
    for (const wrong of ['anna', 'a@b@c', 'a @b', 'a@b\n']) {
      const wanted = { organisation, role: 'viewer', email: wrong } as const;
      expect(await inviteMember(ports, wanted)).toMatchObject(saying('is no e-mail address'));
    }
  });

  test('brings a person into an organisation once, with its role', async () => {
    const secret = await invite((await house()).organisation, 'editor');
    const late = newPerson();
    expect(await accept(secret)).toMatchObject({ role: 'editor' });
    expect(await accept(secret, late)).toMatchObject(saying('used before'));
    expect((await ports.members.affiliationOf(late)).roles).toEqual([]);
  });

  test('is taken up by one of two who try at once', async () => {
    const secret = await invite((await house()).organisation);
    const results = await Promise.all([accept(secret), accept(secret)]);
    expect(results.filter(isDeclined)).toHaveLength(1);
  });

  test('ends after seven days', async () => {
    const { organisation } = await house();
    const [first, second] = [await invite(organisation), await invite(organisation)];
    here.clock.advance(7 * 86_400_000 - 1);
    settled(await accept(first));
    const [invitation, ...others] = await openInvitations(ports, organisation);
    expect([invitation?.offer.kind, others]).toEqual(['member', []]);
    here.clock.advance(1);
    expect(await accept(second)).toMatchObject(declined);
    const late = invitation && { invitation, now: here.clock.now() };
    expect(late && (await ports.invitations.accept(late))).toBe('used');
    expect(await openInvitations(ports, organisation)).toEqual([]);
  });

  test('of somebody who is a member already, of an unknown secret and of a suspended organisation is declined', async () => {
    const { owner, organisation } = await house();
    const secret = await invite(organisation);
    expect(await accept(secret, owner)).toMatchObject(
      saying('a member of this organisation already'),
    );
    for (const unknown of [`sbi_${'A'.repeat(43)}`, 'sbi_'])
      expect(await accept(unknown)).toMatchObject(declined);
    settled(await suspendOrganisation(ports, organisation));
    expect(await accept(secret)).toMatchObject(saying('is not active'));
    settled(await resumeOrganisation(ports, organisation));
    settled(await accept(secret));
  });

  test('is listed without its secret until it is used or withdrawn', async () => {
    const { owner, organisation, workspace } = await house();
    const member = await invite(organisation, 'viewer', owner);
    here.clock.advance(1);
    settled(await inviteVendor(ports, { workspace, terms }));
    const open = await openInvitations(ports, organisation);
    const listed = open.map(({ offer, by }) => [offer.kind, by?.subject]);
    expect(listed).toEqual([
      ['member', owner.subject],
      ['vendor', undefined],
    ]);
    expect(JSON.stringify(open)).not.toContain(member);
    const { id = '' } = open[0] ?? {};
    expect(await ports.invitations.withdraw('o000000000000', id)).toBe(false);
    expect(await ports.invitations.withdraw(organisation, id)).toBe(true);
    expect(await accept(member)).toMatchObject(saying('withdrawn'));
    expect(await openInvitations(ports, organisation)).toHaveLength(1);
  });

  test.each([
    ['is an owner no more', (choice: MemberChoice) => setMemberRole(ports, choice, 'editor')],
    ['has left', (choice: MemberChoice) => removeMember(ports, choice)],
  ])('ends when who made it %s, and stays so', async (_, lose) => {
    const { owner, organisation } = await house();
    settled(await addMember(ports, { ...newPerson(), organisation, role: 'owner' }));
    const secret = await invite(organisation, 'owner', owner);
    settled(await lose({ organisation, key: personKey(owner) }));
    expect(await accept(secret, owner)).toMatchObject(declined);
    await addMember(ports, { ...owner, organisation, role: 'owner' });
    expect(await accept(secret)).toMatchObject(declined);
  });

  test.each(['viewer', 'editor'] as const)(
    'is not taken up for an organisation by its %s: an owner decides where it has a place',
    async role => {
      const { workspace } = await house();
      const [member, owner] = [newPerson(), newPerson()];
      const organisation = await request('Desk Systems', owner, 'vendor');
      settled(await approveOrganisation(ports, organisation, 'minimal'));
      settled(await addMember(ports, { ...member, organisation, role }));
      const secret = settled(await inviteVendor(ports, { workspace, terms }));
      const acceptBy = (person: NamedPerson) =>
        acceptInvitation(ports, secret, { person, organisation });
      expect(await acceptBy(member)).toMatchObject(saying('an organisation that you own'));
      expect(await guestProducer(workspace, organisation, ['link.committed'])).toMatchObject(
        declined,
      );
      expect(settled(await acceptBy(owner))).toMatchObject({ organisation });
    },
  );

  test('lets a vendor in without approval or workspaces of its own, on minimal, and only for what it says', async () => {
    const { workspace } = await house();
    const organisation = await invited(workspace);
    const vendor = { type: 'vendor', status: 'active', tier: 'minimal' };
    expect(await ports.directory.find('organisation', organisation)).toMatchObject(vendor);
    const own = await createWorkspace(ports, { name: 'Mine', organisation });
    expect(own).toMatchObject(saying('came by an invitation'));
    const consumer = { ...none, kind: 'consumer', workspace, organisation, app: 'c' } as const;
    const reading = { ...consumer, receives: ['link.committed'] };
    expect(await createGuestConnection(ports, reading)).toMatchObject(saying('producers only'));
    for (const grants of [['link.committed', 'story.context'], ['*']])
      expect(await guestProducer(workspace, organisation, grants)).toMatchObject(
        saying('it allows link.*'),
      );
    const { connection } = settled(
      await guestProducer(workspace, organisation, ['link.committed']),
    );
    expect(connection).toMatchObject({ organisation, workspace, tier: 'minimal' });
  });

  test('of a vendor lets nobody else in, and no connection after its end', async () => {
    const { workspace } = await house();
    const organisation = await invited(workspace);
    const connect = (who: string) => guestProducer(workspace, who, ['link.committed']);
    const { connection } = settled(await connect(organisation));
    const stranger = await createOrganisation(ports, { name: 'S', tier: 'minimal' });
    expect(await connect(stranger.id)).toMatchObject(saying('has no place'));
    expect(await endGuest(ports, workspace, organisation)).toEqual({ revoked: 1 });
    expect(await stored(connection.id)).toMatchObject({ status: 'revoked' });
    expect(await connect(organisation)).toMatchObject(saying('has no place'));
    expect(await endGuest(ports, workspace, organisation)).toMatchObject(declined);
  });
});

test('changes are listed the newest first, page by page', async () => {
  const [organisation, by, facts] = ['oaaaaaaaaaaaa', newPerson(), { x: 'y' }];
  for (const [index, what] of ['a', 'b', 'c'].entries())
    await ports.changes.note({ organisation, at: here.clock.now() + index, by, what, facts });
  const first = await ports.changes.of(organisation, { max: 2 });
  expect(first).toMatchObject([{ what: 'c', by, facts }, { what: 'b' }]);
  const before = first.at(-1)?.position ?? '';
  const rest = await ports.changes.of(organisation, { max: 2, before });
  expect(rest.map(({ what }) => what)).toEqual(['a']);
});

describe('the places of somebody whose account was made anew', () => {
  test('move to the new identity, which keeps the better role of the two', async () => {
    const first = await house();
    const second = await house();
    const { owner } = first;
    const fresh = newPerson();
    settled(
      await addMember(ports, { ...owner, organisation: second.organisation, role: 'viewer' }),
    );
    settled(
      await addMember(ports, { ...fresh, organisation: second.organisation, role: 'editor' }),
    );
    expect(await moveMemberships(ports, owner, fresh)).toEqual({
      organisations: expect.arrayContaining([first.organisation, second.organisation]),
      isOperator: false,
    });
    const { roles } = await ports.members.affiliationOf(fresh);
    expect(new Map(roles.map(({ organisation, role }) => [organisation, role]))).toEqual(
      new Map([
        [first.organisation, 'owner'],
        [second.organisation, 'editor'],
      ]),
    );
    expect((await ports.members.affiliationOf(owner)).roles).toEqual([]);
    expect((await ports.members.ofOrganisation(first.organisation)).map(personKey)).toEqual([
      personKey(fresh),
    ]);
  });

  test('take nothing along that only counts for an owner: open invitations end', async () => {
    const { owner, organisation } = await house();
    await invite(organisation, 'viewer', owner);
    await moveMemberships(ports, owner, newPerson());
    expect(await openInvitations(ports, organisation)).toEqual([]);
  });

  test('do not move to the same identity', async () => {
    const { owner } = await house();
    expect(await moveMemberships(ports, owner, owner)).toMatchObject(declined);
  });
});
