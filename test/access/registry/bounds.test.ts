import { randomBytes } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  approveOrganisation,
  declineOrganisation,
  requestOrganisation,
} from '../../../lib/access/people/approval.ts';
import { createGuestConnection, endGuest } from '../../../lib/access/people/guests.ts';
import {
  acceptInvitation,
  inviteMember,
  inviteVendor,
} from '../../../lib/access/people/invitations.ts';
import { addMember, personKey, removeMember } from '../../../lib/access/people/members.ts';
import { createOrganisation, createWorkspace } from '../../../lib/access/people/organisations.ts';
import type {
  Connection,
  ConnectionKind,
  Pauser,
} from '../../../lib/access/registry/connection.ts';
import { awsConnections } from '../../../lib/access/registry/connections.dynamodb.ts';
import {
  changePermissions,
  createConnection,
  pauseConnection,
} from '../../../lib/access/registry/connections.ts';
import { isDeclined } from '../../../lib/access/registry/declined.ts';
import { raiseLimit } from '../../../lib/access/registry/quotas.ts';
import { revokeConnection } from '../../../lib/access/registry/revoking.ts';
import { addIdentityProvider, bindClient } from '../../../lib/access/trust/identity-providers.ts';
import {
  registerPrincipal,
  revokePrincipal,
} from '../../../lib/access/trust/register-principal.ts';
import { startReplay } from '../../../lib/bus/replay/start-replay.ts';
import { startRun } from '../../../lib/checks/start.ts';
import { bounds, limitSentence, type Slot } from '../../../lib/contract/bounds.ts';
import { writeWithin } from '../../../lib/platform/aws/bounded.ts';
import type { SendCommand } from '../../../lib/platform/aws/clients.ts';
import { batchPut } from '../../../lib/platform/aws/many-items.ts';
import { queryChildren, type Table } from '../../../lib/platform/aws/table.ts';
import { awsSessions } from '../../../lib/portal/session.dynamodb.ts';
import { sessionHash, startSession } from '../../../lib/portal/session.ts';
import { registerSkills } from '../../../lib/skills/registrations.ts';
import type { OperatorPorts } from '../../../lib/wiring/operator.ts';
import { newPerson, registryHere } from '../../support/registry-here.ts';
import { settled } from '../../support/running-registry.ts';

const here = registryHere();
const { clock } = here;
let ports: OperatorPorts;
let registry: Table;
beforeAll(() => {
  ports = here.ports();
  registry = here.table();
});

/**
 * As many at the same time.
 *
 * @returns what was not declined; the others ran into a limit, and were told which
 */
const attack = async <T>(
  count: number,
  make: (index: number) => Promise<T>,
): Promise<readonly T[]> => {
  const results = await Promise.all(Array.from({ length: count }, (_, index) => make(index)));
  const beyond = results.filter(isDeclined);
  expect(beyond).toEqual(beyond.map(() => expect.objectContaining({ isLimit: true })));
  return results.filter(one => !isDeclined(one));
};

/** Takes places of a count, as if there were so many things. */
const fill = (slot: Slot, count: number) =>
  writeWithin(registry, [], {
    slots: [slot],
    holders: Array.from({ length: count }, () => randomBytes(6).toString('hex')),
  });

const house = async () => {
  const organisation = (await createOrganisation(ports, { name: 'House', tier: 'high' })).id;
  const workspace = settled(await createWorkspace(ports, { name: 'Newsroom', organisation })).id;
  return { organisation, workspace };
};

const terms = { kinds: ['producer', 'consumer'], grants: ['*'], receives: ['*'] } as const;

/** A vendor that a workspace invited. */
const guestOf = async (workspace: string): Promise<string> => {
  const invitation = settled(await inviteVendor(ports, { workspace, terms }));
  const acceptor = { person: newPerson(), newVendor: 'Vendor' };
  return settled(await acceptInvitation(ports, invitation, acceptor)).organisation;
};

/** A file of so many skill instances of about this size. */
const skills = (count: number, kilobytes = 0) => {
  const paths = Array.from({ length: 16 * kilobytes + 1 }, (_, at) => [
    `path-${at}`,
    'x'.repeat(50),
  ]);
  const values = {
    scope: 'destination-path',
    gate_scope_kind: 'E',
    path_map: Object.fromEntries(paths),
  };
  const instance = () => ({
    skill_id: 'smart-stories/gate-by-scope',
    instance_label: randomBytes(6).toString('hex'),
    values,
  });
  return Buffer.from(JSON.stringify(Array.from({ length: count }, instance)));
};

let apps = 0;
const connect = (workspace: string, kind: ConnectionKind, organisation?: string) => {
  apps += 1;
  const permissions =
    kind === 'producer' ? { grants: ['*'], receives: [] } : { grants: [], receives: ['*'] };
  const wanted = {
    ...permissions,
    kind,
    workspace,
    app: `app-${apps}`,
    systemIds: [],
    sources: [],
  };
  return organisation === undefined
    ? createConnection(ports, wanted)
    : createGuestConnection(ports, { ...wanted, organisation });
};

const connected = async (...call: Parameters<typeof connect>): Promise<Connection> =>
  settled(await connect(...call)).connection;

describe('connections', () => {
  test('limit.reached: a guest makes 20 of 25 in one workspace, and another when it has revoked one', async () => {
    const { workspace } = await house();
    const guest = await guestOf(workspace);
    const made = await attack(25, () => connect(workspace, 'consumer', guest));
    expect(made).toHaveLength(20);
    expect(await connect(workspace, 'producer', guest)).toMatchObject({
      reason:
        'Your organisation has, as a guest of this workspace, 20 connections that are not revoked, and no further one is allowed: revoke one that nobody needs, or ask the operator for more.',
    });
    const [first] = made.map(settled);
    for (const _again of [1, 2]) await revokeConnection(ports, first?.connection.id ?? '');
    expect(await attack(3, () => connect(workspace, 'producer', guest))).toHaveLength(1);
    await connected(workspace, 'consumer');
  });

  test('limit.reached: of the organisation and the workspace', async () => {
    const { organisation, workspace } = await house();
    const consumers: Slot = { bound: 'consumers', scope: 'workspace', of: workspace };
    await fill(consumers, 299);
    expect(await attack(4, () => connect(workspace, 'consumer'))).toHaveLength(1);
    expect(await connect(workspace, 'consumer')).toMatchObject({
      reason: limitSentence(consumers, 300),
    });
    await raiseLimit(ports, { bound: 'consumers', organisation, workspace }, 310);
    const all: Slot = { bound: 'connections', scope: 'organisation', of: organisation };
    await fill(all, 498);
    await connected(workspace, 'consumer');
    expect(await connect(workspace, 'consumer')).toMatchObject({ reason: limitSentence(all, 500) });
  });

  test('that were revoked are not read by publishes any more', async () => {
    const { workspace } = await house();
    const read = async () => {
      const items = await queryChildren(registry, 'children', {
        parent: workspace,
        prefix: 'CONNECTION#',
      });
      return items.map(({ pk }) => pk);
    };
    const [revoked, kept] = [
      await connected(workspace, 'consumer'),
      await connected(workspace, 'consumer'),
    ];
    expect((await read()).sort()).toEqual(
      [`CONNECTION#${revoked.id}`, `CONNECTION#${kept.id}`].sort(),
    );
    await revokeConnection(ports, revoked.id);
    expect(await read()).toEqual([`CONNECTION#${kept.id}`]);
    await revokeConnection(ports, kept.id);
    expect(await read()).toEqual([]);
    const both = [
      { status: 'revoked', workspace },
      { status: 'revoked', workspace },
    ];
    expect(await ports.connections.ofWorkspace(workspace)).toMatchObject(both);
  });

  test('that the house paused are not resumed by their vendor, those that the vendor paused by both', async () => {
    const { workspace } = await house();
    const { id } = await connected(workspace, 'consumer', await guestOf(workspace));
    const resumed = async (paused: readonly Pauser[], by: Pauser) => {
      for (const one of paused)
        settled(await pauseConnection(ports, id, { paused: true, by: one }));
      return pauseConnection(ports, id, { paused: false, by });
    };
    expect(await resumed(['host', 'guest'], 'guest')).toMatchObject({
      reason: 'The house paused this connection, and has to resume it: ask there.',
    });
    expect(await resumed([], 'host')).toMatchObject({ status: 'active' });
    expect(await resumed(['guest'], 'host')).toMatchObject({ status: 'active' });
    expect(await resumed(['operator'], 'host')).toMatchObject({ kind: 'declined' });
    expect(await resumed([], 'operator')).toMatchObject({ status: 'active' });
    // Nobody has paused it now: whoever does has to resume it.
    expect((await ports.connections.find(id))?.connection).not.toHaveProperty('pausedBy');
    expect(await resumed(['guest'], 'guest')).toMatchObject({ status: 'active' });
  });

  test('cannot send as the system that the test messages come from', async () => {
    const { workspace } = await house();
    const wanted = {
      kind: 'producer',
      workspace,
      grants: ['*'],
      receives: [],
      sources: [],
    } as const;
    for (const names of [
      { app: 'Desk', systemIds: ['test-run'] },
      { app: 'test-run', systemIds: [] },
    ])
      expect(await createConnection(ports, { ...wanted, ...names })).toMatchObject({
        reason: expect.stringContaining('"test-run" is kept for the bus'),
      });
  });
});

describe('system_ids', () => {
  test('limit.reached: a guest cannot claim name after name by changing what one connection sends as', async () => {
    const { workspace } = await house();
    const guest = await guestOf(workspace);
    const { id } = await connected(workspace, 'producer', guest);
    const names = (at: number) => Array.from({ length: 50 }, (_, name) => `desk-${at}-${name}`);
    const sendAs = (systemIds: readonly string[]) => changePermissions(ports, id, { systemIds });
    // The app's own name is one.
    expect(await attack(8, at => sendAs(names(at)))).toHaveLength(3);
    const [mine, others] = [names(99).slice(0, 49), names(99)];
    settled(await sendAs(mine));
    settled(await sendAs(mine));
    expect(await sendAs(others)).toMatchObject({
      reason: limitSentence({ bound: 'systems', scope: 'guest', of: '' }, 200),
    });
    const [name = ''] = mine;
    const app = (await ports.connections.ownerOf(workspace, name)) ?? '';
    await ports.connections.release(workspace, name, app);
    settled(await sendAs([others[49] ?? '']));
    expect(await connect(workspace, 'producer', guest)).toMatchObject({ isLimit: true });
    await connected(workspace, 'producer');
  });
});

test('a system_id that is released while it is claimed again is not kept without being counted', async () => {
  const { workspace } = await house();
  const connection = await connected(workspace, 'producer', await guestOf(workspace));
  const [systemId = ''] = connection.systemIds;
  const released: SendCommand = async command => {
    const found = await registry.client.send(command as never);
    if (command.constructor.name === 'BatchGetItemCommand')
      await ports.connections.release(workspace, systemId, connection.app);
    return found;
  };
  const racing = awsConnections({ ...registry, client: { send: released } as DynamoDBClient });
  const change = { systemIds: connection.systemIds };
  expect(await racing.setPermissions(connection, change)).toEqual({ owned: systemId });
  expect(await ports.connections.setPermissions(connection, change)).toBe('set');
});

describe('people', () => {
  test('limit.reached: 50 of 60 invitations that are made at once are open; what has expired leaves room', async () => {
    const { organisation, workspace } = await house();
    const member = () => inviteMember(ports, { organisation, role: 'viewer' });
    expect(await attack(60, member)).toHaveLength(50);
    expect(await inviteVendor(ports, { workspace, terms })).toMatchObject({ isLimit: true });
    clock.advance(8 * 86_400_000);
    expect(await attack(60, member)).toHaveLength(50);
    const open = await ports.invitations.ofOrganisation(organisation);
    const [one] = open.filter(({ until }) => until > clock.now());
    await ports.invitations.withdraw(organisation, one?.id ?? '');
    expect(await attack(2, member)).toHaveLength(1);
  });

  test('limit.reached: the last place is taken by one of four who are invited; another may come later', async () => {
    const { organisation } = await house();
    await fill({ bound: 'people', scope: 'organisation', of: organisation }, 199);
    const viewer = { organisation, role: 'viewer' } as const;
    const secrets: string[] = [];
    for (let count = 0; count < 4; count += 1)
      secrets.push(settled(await inviteMember(ports, viewer)));
    const left: string[] = [];
    const join = async (secret = '') => {
      const result = await acceptInvitation(ports, secret, { person: newPerson() });
      if (isDeclined(result)) left.push(secret);
      return result;
    };
    expect(await attack(4, at => join(secrets[at]))).toHaveLength(1);
    expect(await addMember(ports, { ...newPerson(), ...viewer })).toMatchObject({ isLimit: true });
    const [joined] = await ports.members.ofOrganisation(organisation);
    settled(await removeMember(ports, { organisation, key: joined ? personKey(joined) : '' }));
    expect(await join(left[0])).toMatchObject({ role: 'viewer' });
  });

  test('limit.reached: somebody is in 50 organisations, and in another after leaving one', async () => {
    const who = newPerson();
    const join = async () => {
      const organisation = (await createOrganisation(ports, { name: 'O', tier: 'minimal' })).id;
      return addMember(ports, { ...who, organisation, role: 'viewer' });
    };
    expect(await attack(49, join)).toHaveLength(49);
    const wanted = { name: 'Mine', type: 'house', requestedBy: who } as const;
    const requested = settled(await requestOrganisation(ports, wanted)).id;
    const { workspace } = await house();
    const invitations: string[] = [];
    for (let count = 0; count < 5; count += 1)
      invitations.push(settled(await inviteVendor(ports, { workspace, terms })));
    const accept = (at: number) =>
      acceptInvitation(ports, invitations[at] ?? '', { person: who, newVendor: 'V' });
    expect(await attack(4, accept)).toHaveLength(1);
    // Without its owner, an organisation is not approved.
    expect(await approveOrganisation(ports, requested, 'minimal')).toMatchObject({ isLimit: true });
    expect(await ports.directory.find('organisation', requested)).toMatchObject({
      status: 'requested',
    });
    const { roles } = await ports.members.affiliationOf(who);
    const viewed = roles.find(({ role }) => role === 'viewer')?.organisation ?? '';
    settled(await removeMember(ports, { organisation: viewed, key: personKey(who) }));
    settled(await accept(4));
  });

  test('limit.reached: the hundredth vendor of a workspace is its last, until a place ends', async () => {
    const { workspace } = await house();
    const first = await guestOf(workspace);
    await fill({ bound: 'vendors', scope: 'workspace', of: workspace }, 98);
    await guestOf(workspace);
    const invitation = settled(await inviteVendor(ports, { workspace, terms }));
    const accept = () =>
      acceptInvitation(ports, invitation, { person: newPerson(), newVendor: 'Late' });
    expect(await accept()).toMatchObject({ isLimit: true });
    settled(await endGuest(ports, workspace, first));
    settled(await accept());
  });

  test('of 25 sessions of a person, the newest 20 go on', async () => {
    const who = newPerson();
    const store = awsSessions(here.table('sessions'));
    const ids: string[] = [];
    for (let count = 0; count < 25; count += 1) {
      clock.advance(1_000);
      ids.push(await startSession({ ...ports, sessions: store }, who, 3600));
    }
    const lives = await Promise.all(ids.map(id => store.use(sessionHash(id) ?? '', clock.now())));
    expect(lives.map(one => one !== undefined)).toEqual([
      ...Array(5).fill(false),
      ...Array(20).fill(true),
    ]);
  });
});

describe('what acts for connections', () => {
  const addProvider = (scope: string, issuer: string) => {
    const provider = { scope, issuer, jwksUri: `${issuer}/keys`, audience: 'bus' };
    const wanted = { ...provider, clientClaim: 'azp', insecureLocal: false } as const;
    return addIdentityProvider(ports, wanted, ports.busIssuer);
  };

  test('limit.reached: ten of twelve identity providers of an organisation, in all its workspaces', async () => {
    const { organisation, workspace } = await house();
    const other = settled(await createWorkspace(ports, { name: 'Second', organisation })).id;
    const add = (index: number) =>
      addProvider(index % 2 === 0 ? workspace : other, `https://idp-${index}.example`);
    expect(await attack(12, add)).toHaveLength(10);
    await ports.identityProviders.remove(workspace, 'https://idp-0.example');
    expect(await attack(3, index => add(20 + index))).toHaveLength(1);
  });

  test.each([
    ["a house's producer", 'producer', false, 20],
    ["a guest's producer", 'producer', true, 5],
    ['a consumer', 'consumer', false, 5],
  ] as const)('limit.reached: cloud roles of %s', async (_what, kind, isGuest, max) => {
    const { workspace } = await house();
    const { id } = await connected(workspace, kind, isGuest ? await guestOf(workspace) : undefined);
    const register = (index: number) => {
      const roleArn = `arn:aws:iam::123456789012:role/${id}-${index}`;
      return registerPrincipal(ports, workspace, { connection: id, roleArn });
    };
    expect(await attack(max + 3, register)).toHaveLength(max);
  });

  test('limit.reached: 300 clients of an issuer are bound in a workspace, and another after one was unbound', async () => {
    const { workspace } = await house();
    const { id } = await connected(workspace, 'producer');
    const issuer = 'https://idp.example';
    settled(await addProvider(workspace, issuer));
    const bind = (at: number) =>
      bindClient(ports, { scope: workspace, issuer, client: `client-${at}`, connection: id });
    settled(await bind(0));
    await fill({ bound: 'clients', scope: 'workspace', of: workspace }, 298);
    expect(await attack(4, at => bind(at + 1))).toHaveLength(1);
    settled(await bind(0));
    await ports.identityProviders.unbind(workspace, issuer, 'client-0');
    expect(await attack(2, at => bind(at + 10))).toHaveLength(1);
  });

  test('that were revoked, roles and connections of an app, are not read again', async () => {
    const { workspace } = await house();
    const { id, app } = await connected(workspace, 'producer');
    const roleArn = 'arn:aws:iam::123456789012:role/gone';
    const { principal } = settled(
      await registerPrincipal(ports, workspace, { connection: id, roleArn }),
    );
    await revokePrincipal(ports, workspace, principal.id);
    expect(await ports.principals.list(workspace)).toEqual([]);
    const edge = (name: string) => ({
      pk: `APP#${app}`,
      sk: `CONNECTION#${name}`,
      id: name,
      is_revoked: true,
    });
    await batchPut(
      registry,
      Array.from({ length: 300 }, (_, at) => edge(`gone${at}`)),
    );
    let reads = 0;
    const counting: SendCommand = command => {
      if (command.constructor.name === 'GetItemCommand') reads += 1;
      return registry.client.send(command as never);
    };
    const counted = awsConnections({ ...registry, client: { send: counting } as DynamoDBClient });
    expect((await counted.ofApp(app)).map(one => one.id)).toEqual([id]);
    expect(reads).toBeLessThanOrEqual(202);
  });

  test('limit.reached: a guest registers 100 skill instances, each file as a whole or not at all', async () => {
    const { workspace } = await house();
    const { id } = await connected(workspace, 'consumer', await guestOf(workspace));
    const files = await attack(4, () => registerSkills(ports, id, skills(40)));
    expect(files.map(file => 'kind' in file && file.kind)).toEqual(['registered', 'registered']);
    expect(await ports.skills.of(id)).toHaveLength(80);
    const [one] = await ports.skills.of(id);
    if (one) await ports.skills.remove(one);
    expect(await registerSkills(ports, id, skills(22))).toMatchObject({ isLimit: true });
    expect(await registerSkills(ports, id, skills(21))).toMatchObject({ kind: 'registered' });
  });

  test('registered skill instances come in pages of 256 KiB, and none is larger than 8', async () => {
    const { workspace } = await house();
    const { id } = await connected(workspace, 'consumer');
    for (let count = 0; count < 3; count += 1)
      expect(await registerSkills(ports, id, skills(15, 6))).toMatchObject({ kind: 'registered' });
    const first = await ports.skills.page(id, { max: 200 });
    expect(Buffer.byteLength(JSON.stringify(first.entries))).toBeLessThanOrEqual(256 * 1024);
    const rest = await ports.skills.page(id, { max: 200, after: first.next });
    expect([first.entries.length + rest.entries.length, rest.next]).toEqual([45, undefined]);
    expect(await registerSkills(ports, id, skills(1, 9))).toMatchObject({
      reason: expect.stringContaining('is too large to be stored.'),
    });
  });
});

describe('work that goes on', () => {
  const range = () => ({ from: clock.now() - 86_400_000, to: clock.now() });

  test('limit.reached: 20 of 25 replays of a house, one of a consumer of a guest', async () => {
    const { workspace } = await house();
    const own = await connected(workspace, 'consumer');
    const guest = await guestOf(workspace);
    clock.advance(60_000);
    const theirs = await connected(workspace, 'consumer', guest);
    expect(await attack(5, () => startReplay(ports, theirs.id, range()))).toHaveLength(1);
    const started = (await attack(25, () => startReplay(ports, own.id, range()))).map(settled);
    expect(started).toHaveLength(19);
    await ports.replays.end(started[0]?.id ?? '', { status: 'cancelled' });
    await ports.replays.end(started[0]?.id ?? '', { status: 'cancelled' });
    expect(await attack(3, () => startReplay(ports, own.id, range()))).toHaveLength(1);
  });

  const run = ({ id }: Connection) =>
    startRun(ports, { kind: 'consumer', consumer: id }, 'operator');
  const startIn = async (workspace: string, count: number, guest?: string) => {
    const own: Connection[] = [];
    for (let at = 0; at < count; at += 1) own.push(await connected(workspace, 'consumer', guest));
    return (await attack(count, at => run(own[at] as Connection))).length;
  };
  const endAllRuns = async () => {
    for (const id of await ports.checkRuns.running()) await ports.checkRuns.stop(id, 'Over.');
  };

  test.each([
    ['first', 0, [2, 1, 1, 1, 0]],
    ['between its guests', 2, [1, 1, 2, 1, 0]],
    ['last', 4, [1, 1, 1, 0, 2]],
  ] as const)(
    'limit.reached: guests run one test each and three together, and a house that starts %s two',
    async (_when, houseAt, expected) => {
      await endAllRuns();
      const { workspace } = await house();
      const started: number[] = [];
      for (let turn = 0; turn < expected.length; turn += 1) {
        const guest = turn === houseAt ? undefined : await guestOf(workspace);
        started.push(await startIn(workspace, 3, guest));
      }
      expect(started).toEqual(expected);
    },
  );

  test('limit.reached: the operator raises how many runs the guests of a workspace have together', async () => {
    await endAllRuns();
    const { workspace, organisation } = await house();
    await raiseLimit(ports, { bound: 'runs', organisation, workspace }, 4);
    const started: number[] = [];
    for (let guests = 0; guests < 5; guests += 1)
      started.push(await startIn(workspace, 1, await guestOf(workspace)));
    expect(started).toEqual([1, 1, 1, 1, 0]);
  });
});

describe('a limit', () => {
  test('is raised for one organisation, workspace or guest, and never lowered below the table', async () => {
    const { organisation, workspace } = await house();
    const guest = await guestOf(workspace);
    await raiseLimit(ports, { bound: 'connections', organisation: guest, workspace }, 22);
    expect(await attack(25, () => connect(workspace, 'consumer', guest))).toHaveLength(22);
    await raiseLimit(ports, { bound: 'workspaces', organisation }, 1);
    const add = () => createWorkspace(ports, { name: 'W', organisation });
    expect(await attack(55, add)).toHaveLength(bounds.workspaces.max.organisation - 1);
  });

  test('that is not there is not raised', async () => {
    const { organisation, workspace } = await house();
    expect(await raiseLimit(ports, { bound: 'people', organisation, workspace }, 5)).toMatchObject({
      reason: 'There is no limit on people of a workspace.',
    });
    expect(
      await raiseLimit(ports, { bound: 'people', organisation: 'o777777777777' }, 5),
    ).toMatchObject({
      kind: 'declined',
    });
  });
});

// The last one: it leaves no room for another request.
describe('requests for an organisation', () => {
  const ask = (requestedBy = newPerson()) =>
    requestOrganisation(ports, { name: 'X', type: 'house', requestedBy });

  test('limit.reached: three of ten by one person, and one more after each decision', async () => {
    const who = newPerson();
    const [first, second] = (await attack(10, () => ask(who))).map(settled);
    expect((await ports.members.requestsOf(who, { max: 50 })).entries).toHaveLength(3);
    settled(await declineOrganisation(ports, first?.id ?? ''));
    settled(await approveOrganisation(ports, second?.id ?? '', 'minimal'));
    expect(await attack(5, () => ask(who))).toHaveLength(2);
  });

  test('limit.reached: a thousand by everybody', async () => {
    const slot: Slot = { bound: 'requests', scope: 'environment', of: '' };
    await fill(slot, 990);
    expect((await attack(12, () => ask())).length).toBeLessThan(11);
    expect(await ask()).toMatchObject({ reason: limitSentence(slot, 1_000) });
  });
});
