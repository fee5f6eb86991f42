import type { Party } from '../../../lib/access/people/organisations.ts';
import type { Connection, Credential } from '../../../lib/access/registry/connection.ts';
import { awsRegistry } from '../../../lib/access/registry/registry.dynamodb.ts';
import type { IdentityProvider } from '../../../lib/access/registry/registry.ts';
import {
  operatorScope,
  type Principal,
  roleOfArn,
  storedChallenge,
} from '../../../lib/access/trust/principals.ts';
import type { SkillRegistration } from '../../../lib/skills/registrations.ts';
import type { OperatorPorts } from '../../../lib/wiring/operator.ts';
import { provider as idp } from '../../bus/tokens/tokens.ts';
import { connectionOf, producer } from '../../corpus/connections.ts';
import { registryHere } from '../../support/registry-here.ts';

const here = registryHere();
let ports: OperatorPorts;
beforeAll(() => {
  ports = here.ports();
});
/** A registry that remembers nothing yet. */
const registry = () => awsRegistry(here.table(), here.clock);

const createdAt = '2026-05-04T08:00:00.000Z';
const at = '2026-05-04T09:00:00.000Z';
let tests = 0;
/** An identifier that no other test has. */
const fresh = (prefix: string): string => `${prefix}${String(tests).padStart(12, '2')}`;
const secret = (version: number): Credential => ({
  version,
  current: { hash: `hash-${version}`, issuedAt: createdAt },
});

const provider = (): IdentityProvider => ({ ...idp, scope: fresh('w'), createdAt });

beforeEach(() => {
  tests += 1;
});

describe('connections', () => {
  const added = async (changes: Partial<Connection> = {}): Promise<Connection> => {
    const connection = producer({
      id: fresh('c'),
      workspace: fresh('w'),
      app: fresh('a'),
      ...changes,
    });
    expect(await ports.connections.add(connection, secret(1))).toBeUndefined();
    return connection;
  };
  const stored = async (id: string) => (await ports.connections.find(id))?.connection;

  test('are found as they were added, by id, workspace and app', async () => {
    const quota = { perSecond: 7, burst: 9, perDay: 11 };
    const connection = await added({ quota, queue: 'q.fifo', sources: ['ncs'] });
    const { id, workspace, app } = connection;
    expect(await ports.connections.find(id)).toEqual({ connection, credential: secret(1) });
    expect(await ports.connections.ofWorkspace(workspace)).toEqual([connection]);
    expect(await ports.connections.ofApp(app)).toEqual([connection]);
    expect(await ports.connections.find('c777777777777')).toBeUndefined();
  });

  test('own their system_ids together with the connections of the same app', async () => {
    const first = await added();
    const { workspace, app } = first;
    const other = producer({
      id: fresh('d'),
      workspace,
      app: fresh('b'),
      systemIds: ['free', 'desk-1'],
    });
    for (const systemIds of [other.systemIds, other.systemIds.toReversed()])
      expect(await ports.connections.add({ ...other, systemIds }, secret(1))).toEqual({
        owned: 'desk-1',
      });
    expect(await ports.connections.find(other.id)).toBeUndefined();
    expect(await ports.connections.add({ ...other, app }, secret(1))).toBeUndefined();
    await expect(ports.connections.add(first, secret(1))).rejects.toThrow(first.id);
  });

  test('get other permissions, but not the system_id of another app', async () => {
    const connection = await added();
    const { id, workspace } = connection;
    await ports.connections.add(
      producer({ id: fresh('d'), workspace, app: fresh('b'), systemIds: ['taken'] }),
      secret(1),
    );
    const change = { grants: ['link.*'], systemIds: ['desk-1', 'desk-2'] };
    expect(await ports.connections.setPermissions(connection, change)).toBe('set');
    expect(await stored(id)).toEqual({ ...connection, ...change });
    for (const systemIds of [['taken'], ['desk-1', 'taken']])
      expect(await ports.connections.setPermissions(connection, { systemIds })).toEqual({
        owned: 'taken',
      });
    expect(await stored(id)).toEqual({ ...connection, ...change });
  });

  test('get other permissions only if they are as somebody saw them', async () => {
    const connection = await added();
    const { id } = connection;
    const first = { ...connection, grants: ['story.context'] };
    expect(
      await ports.connections.setPermissions(first, { grants: first.grants }, connection),
    ).toBe('set');
    const second = { ...connection, grants: ['link.*'] };
    const change = { grants: second.grants };
    expect(await ports.connections.setPermissions(second, change, connection)).toBe('gone');
    expect(await stored(id)).toMatchObject({ grants: ['story.context'] });
  });

  test('can be paused and resumed until they are revoked permanently', async () => {
    const connection = await added();
    const { id } = connection;
    expect(await ports.connections.setPaused(id, true, 'host')).toBe('set');
    expect(await stored(id)).toMatchObject({ status: 'paused' });
    expect(await ports.connections.setPaused(id, false, 'host')).toBe('set');
    expect(await ports.connections.revoke(id)).toBe(true);
    expect(await ports.connections.revoke(id)).toBe(true);
    expect(await ports.connections.setPaused(id, false, 'host')).toBe('gone');
    for (const change of [{ grants: [] }, { systemIds: ['desk-1'] }])
      expect(await ports.connections.setPermissions(connection, change)).toBe('gone');
    expect(await stored(id)).toMatchObject({ status: 'revoked', grants: ['*'] });
    expect(await ports.connections.revoke('c777777777777')).toBe(false);
  });

  test('remember which messages they skip, unless someone else changed that', async () => {
    const { id } = await added();
    const [first, second] = ['m1', 'm2'].map(messageId => ({ messageId, at }));
    if (!first || !second) throw new Error('Two messages are skipped.');
    expect(await ports.connections.setSkips(id, { skips: [first], before: [] })).toBe(true);
    expect(await stored(id)).toMatchObject({ skips: [first] });
    expect(await ports.connections.setSkips(id, { skips: [second], before: [] })).toBe(false);
    expect(await ports.connections.setSkips(id, { skips: [first, second], before: [first] })).toBe(
      true,
    );
    expect(await stored(id)).toMatchObject({ skips: [first, second] });
    const all = [first, second, { ...first, replay: 'y1' }];
    expect(await ports.connections.setSkips(id, { skips: all, before: [first, second] })).toBe(
      true,
    );
    expect(await stored(id)).toMatchObject({ skips: all });
    expect(await ports.connections.setSkips(id, { skips: [], before: all })).toBe(true);
    expect(await ports.connections.setSkips(id, { skips: [first], before: [] })).toBe(true);
    await ports.connections.revoke(id);
    expect(await ports.connections.setSkips(id, { skips: [], before: [first] })).toBe(false);
  });

  test('get the next version of their credential, once', async () => {
    const { id } = await added();
    const next = { ...secret(2), previous: { hash: 'hash-1', until: 5 } };
    expect(await ports.connections.replaceCredential(id, next)).toBe(true);
    expect(await ports.connections.replaceCredential(id, next)).toBe(false);
    expect(await ports.connections.find(id)).toMatchObject({
      connection: { credentialVersion: 2 },
      credential: next,
    });
  });

  test('remember when a secret was last used, to the minute', async () => {
    const { id } = await added();
    const used = async () => (await ports.connections.find(id))?.credential.current?.lastUsedAt;
    const use = { slot: 'current', hash: 'hash-1', at: Date.parse(at) } as const;
    await ports.connections.noteUse(id, { ...use, hash: 'gone' });
    expect(await used()).toBeUndefined();
    await ports.connections.noteUse(id, use);
    await ports.connections.noteUse(id, { ...use, at: use.at + 59_999 });
    expect(await used()).toBe(at);
    await ports.connections.noteUse(id, { ...use, at: use.at + 60_000 });
    expect(await used()).toBe('2026-05-04T09:01:00.000Z');
  });
});

describe('the directory', () => {
  const facts = { status: 'active', createdAt } as const;
  const organisation = (): Party => ({
    ...{
      ...facts,
      kind: 'organisation',
      id: fresh('o'),
      name: 'House',
      tier: 'standard',
      type: 'house',
    },
  });
  const app = (id: string, created: string): Party => ({
    ...{ ...facts, kind: 'app', id, name: id, organisation: fresh('o'), createdAt: created },
  });

  test('lists what an organisation has, the oldest first', async () => {
    const [house, late, early] = [organisation(), app(fresh('a'), at), app(fresh('b'), createdAt)];
    for (const party of [house, late, early]) await ports.directory.add(party);
    expect(await ports.directory.list('app', house.id)).toEqual([early, late]);
    expect(await ports.directory.list('workspace', house.id)).toEqual([]);
    expect(await ports.directory.list('organisation')).toContainEqual(house);
    expect(await ports.directory.list('app')).toEqual(expect.arrayContaining([early, late]));
  });

  test('finds a party by its kind and id, and keeps it when it is revoked', async () => {
    const house = organisation();
    await ports.directory.add(house);
    await expect(ports.directory.add(house)).rejects.toThrow();
    expect(await ports.directory.find('organisation', house.id)).toEqual(house);
    expect(await ports.directory.find('workspace', house.id)).toBeUndefined();
    expect(await ports.directory.revoke('organisation', house.id)).toBe(true);
    expect(await ports.directory.find('organisation', house.id)).toEqual({
      ...house,
      status: 'revoked',
    });
    expect(await ports.directory.revoke('app', 'a777777777777')).toBe(false);
  });

  test('keeps the quota of an organisation', async () => {
    const house = organisation();
    await ports.directory.add(house);
    const allotment = { tier: 'high', quota: { perSecond: 1, burst: 2, perDay: 3 } } as const;
    expect(await ports.directory.setQuota(house.id, allotment)).toBe(true);
    expect(await ports.directory.find('organisation', house.id)).toEqual({
      ...house,
      ...allotment,
    });
    await ports.directory.setQuota(house.id, { tier: 'minimal' });
    expect(await ports.directory.find('organisation', house.id)).toEqual({
      ...house,
      tier: 'minimal',
    });
    expect(await ports.directory.setQuota('o777777777777', { tier: 'high' })).toBe(false);
  });
});

describe('principals', () => {
  const pending = (changes: Partial<Principal> = {}): Principal => ({
    id: 'paaaaaaaaaaaa',
    scope: fresh('w'),
    connection: 'caaaaaaaaaaaa',
    roleArn: 'arn:aws:iam::123456789012:role/team/reader',
    status: 'pending',
    challenge: storedChallenge('sbc_first', 0),
    createdAt,
    ...changes,
  });
  const begun = async () => {
    const principal = pending();
    await ports.principals.put(principal, []);
    const now = async () => (await ports.principals.list(principal.scope))[0];
    return { port: ports.principals, principal, now };
  };

  test('are verified once', async () => {
    const { port, principal, now } = await begun();
    expect(await port.verify(principal, at)).toBe(true);
    const { challenge: _used, ...rest } = principal;
    expect(await now()).toEqual({ ...rest, status: 'verified', verifiedAt: at });
    expect(await port.verify(principal, at)).toBe(false);
    expect(await port.admit(principal, at)).toBe(false);
  });

  test('can be admitted again and again, and verified after that', async () => {
    const { port, principal, now } = await begun();
    for (const _time of [1, 2]) expect(await port.admit(principal, at)).toBe(true);
    expect(await now()).toEqual({ ...principal, status: 'verified', verifiedAt: at });
    expect(await port.verify(principal, at)).toBe(true);
  });

  test('go back to what they were when they are withdrawn', async () => {
    const { port, principal, now } = await begun();
    await port.admit(principal, at);
    await port.withdraw(principal);
    expect(await now()).toEqual(principal);
  });

  test('do not change once they are revoked, or have another challenge', async () => {
    const { port, principal, now } = await begun();
    for (const next of [
      pending({ challenge: storedChallenge('sbc_second', 0) }),
      pending({ status: 'revoked' }),
    ]) {
      await port.put(next, []);
      expect([await port.verify(principal, at), await port.admit(principal, at)]).toEqual([
        false,
        false,
      ]);
      await port.withdraw(principal);
      expect(await now()).toEqual(next.status === 'revoked' ? undefined : next);
    }
  });
});

describe('identity providers', () => {
  test('are added once for each scope, and removed with their bindings', async () => {
    const one = provider();
    const { scope, issuer } = one;
    expect(await ports.identityProviders.add(one)).toBe(true);
    expect(await ports.identityProviders.add(one)).toBe(false);
    expect(await ports.identityProviders.list(scope)).toEqual([one]);
    expect(await ports.identityProviders.list(operatorScope)).toEqual([]);
    const binding = { scope, issuer, client: 'desk', connection: 'c1', createdAt };
    await ports.identityProviders.bind(binding);
    await ports.identityProviders.bind({ ...binding, connection: 'c2' });
    expect(await ports.identityProviders.bindings(scope)).toEqual([
      { ...binding, connection: 'c2' },
    ]);
    expect(await ports.identityProviders.bind(binding, 'if free')).toBe(false);
    expect(await ports.identityProviders.bind({ ...binding, connection: 'c2' }, 'if free')).toBe(
      true,
    );
    expect(await ports.identityProviders.bindings(scope)).toEqual([
      { ...binding, connection: 'c2' },
    ]);
    expect(await ports.identityProviders.unbind(scope, issuer, 'nobody')).toBe(false);
    expect(await ports.identityProviders.unbind(fresh('x'), issuer, binding.client)).toBe(false);
    expect(await ports.identityProviders.unbind(scope, issuer, binding.client)).toBe(true);
    expect(await ports.identityProviders.bindings(scope)).toEqual([]);
    await ports.identityProviders.bind({ ...binding, connection: 'c2' });
    expect(await ports.identityProviders.remove(scope, issuer)).toBe(true);
    expect(await ports.identityProviders.remove(scope, issuer)).toBe(false);
    expect(await ports.identityProviders.bindings(scope)).toEqual([]);
  });
});

describe('the registry', () => {
  test('reads what the commands wrote', async () => {
    const [workspace, id] = [fresh('w'), fresh('c')];
    const consumer = connectionOf(id, 'consumer', workspace);
    await ports.connections.add({ ...consumer, systemIds: [] }, secret(1));
    const expected = { ...consumer, systemIds: [] };
    expect(await registry().connection(id)).toEqual(expected);
    expect(await registry().connection('c777777777777')).toBeUndefined();
    expect(await registry().consumersOf(workspace)).toEqual([expected]);
    expect(await registry().isRegistered(id)).toBe(true);
    await ports.connections.revoke(id);
    expect(await registry().consumersOf(workspace)).toEqual([]);
    expect(await registry().isRegistered(id)).toBe(false);
  });

  test('finds the principals of a role, and the connection of a bound client', async () => {
    const scope = fresh('w');
    const roleArn = 'arn:aws:iam::123456789012:role/a/reader';
    const facts = { id: 'p1', scope, connection: 'c1', roleArn, createdAt };
    const principal = { ...facts, status: 'verified' } as const;
    await ports.principals.put(principal, []);
    const role = roleOfArn('arn:aws:iam::123456789012:role/reader');
    if (!role) throw new Error('This is a role.');
    expect(await registry().principalsOf(scope, role)).toEqual([principal]);
    expect(await registry().principalsOf(operatorScope, role)).toEqual([]);
    const registered: IdentityProvider = { ...provider(), clientClaim: 'sub', insecureLocal: true };
    const { issuer } = registered;
    await ports.identityProviders.add(registered);
    await ports.identityProviders.bind({
      scope,
      issuer,
      client: 'desk',
      connection: 'c1',
      createdAt,
    });
    expect(await registry().provider(scope, issuer)).toEqual(registered);
    expect(await registry().provider(operatorScope, issuer)).toBeUndefined();
    expect(await registry().boundConnection(registered, 'desk')).toBe('c1');
    expect(await registry().boundConnection(registered, 'other')).toBeUndefined();
  });
});

describe('queues', () => {
  test('get readers while they exist, and can be removed twice', async () => {
    const queue = `sombus-${fresh('c')}.fifo`;
    const role = 'arn:aws:iam::123456789012:role/reader';
    expect(await ports.queueAdmin.letRead(queue, [role])).toBe('gone');
    await ports.queueAdmin.create(queue);
    expect(await ports.queueAdmin.letRead(queue, [role])).toBe('set');
    expect(ports.queueAdmin.url(queue).endsWith(`/${queue}`)).toBe(true);
    await ports.queueAdmin.remove(queue);
    await ports.queueAdmin.remove(queue);
    expect(await ports.queueAdmin.letRead(queue, [])).toBe('gone');
  });
});

describe('skill registrations', () => {
  const registration = (label: string, id: string, created = createdAt): SkillRegistration => ({
    id,
    connection: fresh('c'),
    skill_id: 'smart-stories/gate-by-scope',
    skill_version: '0.2.2',
    instance_label: label,
    values: { scopes: ['a'] },
    paused: false,
    createdAt: created,
  });

  test('are added all or none, the oldest first', async () => {
    const [late, early] = [registration('b', 'r1', at), registration('a', 'r2')];
    expect(await ports.skills.add([late, early], [])).toBeUndefined();
    expect(await ports.skills.of(late.connection)).toEqual([early, late]);
    expect(await ports.skills.add([registration('c', 'r3'), registration('a', 'r4')], [])).toEqual({
      taken: 'a',
    });
    expect(await ports.skills.of(late.connection)).toEqual([early, late]);
  });

  test('beyond what one transaction takes are removed again if a later label is taken', async () => {
    const many = Array.from({ length: 150 }, (_, at) => registration(`label-${at}`, `r${at}`));
    await ports.skills.add([registration('label-102', 'other')], []);
    expect(await ports.skills.add(many, [])).toEqual({ taken: 'label-102' });
    const left = await ports.skills.of(fresh('c'));
    expect(left.map(({ id }) => id)).toEqual(['other']);
  });

  test('are replaced by their id, under the same label or a free one', async () => {
    const [one, other] = [registration('a', 'r1'), registration('b', 'r2')];
    await ports.skills.add([one, { ...other, connection: one.connection }], []);
    const same = { ...one, id: 'r3', values: { scopes: ['b'] } };
    expect(await ports.skills.replace(one, same)).toBe('replaced');
    expect(await ports.skills.replace(one, { ...one, id: 'r4' })).toBe('changed');
    const renamed = { ...same, id: 'r5', instance_label: 'c' };
    expect(await ports.skills.replace(same, { ...renamed, instance_label: 'b' })).toBe('taken');
    expect(await ports.skills.replace(same, renamed)).toBe('replaced');
    expect(await ports.skills.replace(same, { ...renamed, instance_label: 'd' })).toBe('changed');
    const found = ['r1', 'r3', 'r5'].map(id => ports.skills.find(one.connection, id));
    expect(await Promise.all(found)).toEqual([undefined, undefined, renamed]);
    const labels = (await ports.skills.of(one.connection)).map(
      ({ instance_label }) => instance_label,
    );
    expect(labels).toEqual(['b', 'c']);
  });

  test('are replaced only as they were read: a pause that comes between stays', async () => {
    const one = registration('a', 'r1');
    await ports.skills.add([one], []);
    await ports.skills.setPaused(one, true);
    expect(await ports.skills.replace(one, { ...one, id: 'r2' })).toBe('changed');
    expect(await ports.skills.replace(one, { ...one, id: 'r2', instance_label: 'b' })).toBe(
      'changed',
    );
    expect(await ports.skills.of(one.connection)).toEqual([{ ...one, paused: true }]);
  });

  test('are paused and removed by their id', async () => {
    const one = registration('a', 'r1');
    await ports.skills.add([one], []);
    expect(await ports.skills.setPaused(one, true)).toBe(true);
    expect(await ports.skills.of(one.connection)).toEqual([{ ...one, paused: true }]);
    expect(await ports.skills.find(one.connection, 'r1')).toEqual({ ...one, paused: true });
    expect(await ports.skills.find(fresh('d'), 'r1')).toBeUndefined();
    expect(await ports.skills.setPaused({ ...one, id: 'other' }, false)).toBe(false);
    expect(await ports.skills.remove({ ...one, id: 'other' })).toBe(false);
    expect(await ports.skills.remove(one)).toBe(true);
    expect(await ports.skills.remove(one)).toBe(false);
    expect(await ports.skills.of(one.connection)).toEqual([]);
  });
});
