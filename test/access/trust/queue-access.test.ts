import type { Connection } from '../../../lib/access/registry/connection.ts';
import { revokeConnection } from '../../../lib/access/registry/revoking.ts';
import { roleSlots } from '../../../lib/access/registry/slots.ts';
import {
  operatorScope,
  type Principal,
  storedChallenge,
  verifiedRolesOf,
} from '../../../lib/access/trust/principals.ts';
import { openQueue, repairQueue } from '../../../lib/access/trust/queue-access.ts';
import {
  registerPrincipal,
  revokePrincipal,
} from '../../../lib/access/trust/register-principal.ts';
import { verifyPrincipal } from '../../../lib/access/trust/verify-principal.http.ts';
import type { OperatorPorts } from '../../../lib/wiring/operator.ts';
import { connection, now } from '../../bus/tokens/tokens.ts';
import { Crash, crashing } from '../../support/crashing.ts';
import { registryHere } from '../../support/registry-here.ts';

const here = registryHere();
const suspender = 'oaaaaaaaaaaaa';
const workspace = connection.workspace;
const consumer: Connection = {
  ...connection,
  kind: 'consumer',
  queue: 'sombus-caaaaaaaaaaaa.fifo',
};
const challenge = 'sbc_right';
const arn = (name: string) => `arn:aws:iam::123456789012:role/${name}`;

const principal = (name: string, changes: Partial<Principal> = {}): Principal => ({
  id: `p${name}`,
  scope: workspace,
  connection: consumer.id,
  roleArn: arn(name),
  status: 'verified',
  createdAt: '2026-05-04T08:00:00.000Z',
  ...changes,
});
const pending = principal('one', { status: 'pending', challenge: storedChallenge(challenge, now) });

interface Facts {
  readonly stored?: readonly Principal[];
  readonly unknown?: readonly string[];
  readonly of?: Connection;
  readonly wrap?: <P extends object>(port: P) => P;
}

/**
 * A consumer, its roles and its queue, as the operator's commands and the verifying route work on
 * them.
 */
const bus = async ({ stored = [], unknown = [], of = consumer }: Facts = {}) => {
  const { principals, connections } = here.ports();
  const slots = roleSlots(of);
  for (const left of await principals.list(workspace))
    await principals.put({ ...left, status: 'revoked' }, slots);
  for (const one of stored) await principals.put(one, slots);
  await here.keep(of);
  await connections.setSuspended(of.id, suspender, false);
  let reading: readonly string[] = [];
  const readers = () => reading;
  /** As SQS does, it refuses roles that AWS does not know. */
  const letRead: OperatorPorts['queueAdmin']['letRead'] = async (_queue, roles) => {
    if (roles.some(role => unknown.includes(role))) return 'refused';
    reading = roles;
    return 'set';
  };
  const done: string[] = [];
  const using = (wrap: <P extends object>(port: P) => P = port => port) => {
    const ports: OperatorPorts = {
      ...here.ports(),
      principals: wrap(principals),
      queueAdmin: wrap({
        ...here.ports().queueAdmin,
        letRead,
        remove: async () => void done.push('queue removed'),
      }),
      connections: wrap({
        ...connections,
        revoke: id => {
          done.push(`revoked while ${readers().length} read`);
          return connections.revoke(id);
        },
      }),
    };
    const { clock, queueAdmin: queueReaders } = ports;
    const verify = () =>
      verifyPrincipal({
        clock,
        registry: here.registry(),
        principals: ports.principals,
        queueReaders,
      })({
        callerArn: 'arn:aws:sts::123456789012:assumed-role/one/session',
        workspace,
        connection: consumer.id,
        challenge,
      });
    const register = (roleArn = arn('one')) =>
      registerPrincipal(ports, workspace, { connection: consumer.id, roleArn });
    /** Does something else, once, before the readers are set that a check of the roles gave. */
    const interfere = (other: () => Promise<unknown>) => {
      const { letRead } = ports.queueAdmin;
      let isDone = false;
      Object.assign(ports.queueAdmin, {
        letRead: async (...call: Parameters<typeof letRead>) => {
          if (!isDone) {
            isDone = true;
            await other();
          }
          return letRead(...call);
        },
      });
    };
    const revoke = (id = 'pone') => revokePrincipal(ports, workspace, id);
    return { ports, verify, register, revoke, interfere };
  };
  const registered = () => principals.list(workspace);
  const verified = async () => verifiedRolesOf(await registered(), of.id);
  return { using, registered, readers, verified, done, open: () => openQueue(using().ports, of) };
};

describe("a consumer's queue", () => {
  test('is open to a role once it is verified, along with the others, until it is registered again', async () => {
    const world = await bus({ stored: [pending, principal('two')] });
    expect(await world.using().verify()).toMatchObject({ kind: 'verified' });
    expect(world.readers()).toEqual([arn('one'), arn('two')]);
    await world.using().register(arn('moved/one'));
    expect(world.readers()).toEqual([arn('two')]);
  });

  test('is closed to a role that is revoked, and stays open to the others', async () => {
    const world = await bus({ stored: [principal('one'), principal('two')] });
    await world.open();
    expect(await world.using().revoke()).toMatchObject({
      principal: { status: 'revoked' },
      queue: 'set',
    });
    expect(world.readers()).toEqual([arn('two')]);
  });

  test('is closed to every role before its connection is revoked, and then removed', async () => {
    const world = await bus({ stored: [principal('one')] });
    await world.open();
    expect(world.readers()).toEqual([arn('one')]);
    await revokeConnection(world.using().ports, consumer.id);
    expect(world.done).toEqual(['revoked while 0 read', 'queue removed']);
  });

  test("of another connection's roles is not touched", async () => {
    const world = await bus({
      stored: [pending, principal('two', { connection: 'cbbbbbbbbbbbb' })],
    });
    await world.using().verify();
    expect(world.readers()).toEqual([arn('one')]);
  });

  test('follows the registry when another command changes it at the same time', async () => {
    const world = await bus({ stored: [pending] });
    const { verify, revoke, interfere } = world.using();
    interfere(revoke);
    expect(await verify()).toMatchObject({ kind: 'refused' });
    expect(world.readers()).toEqual([]);
  });
});

describe('a suspension', () => {
  test('keeps the queue closed to a role that proves itself before it, and whose proof ends after it', async () => {
    const world = await bus({ stored: [pending] });
    const { ports, verify, interfere } = world.using();
    const { letRead } = ports.queueAdmin;
    const suspend = async (isSuspended: boolean) => {
      await ports.connections.setSuspended(consumer.id, suspender, isSuspended);
      if (isSuspended) await letRead(consumer.queue ?? '', []);
    };
    interfere(() => suspend(true));
    expect(await verify()).toMatchObject({ kind: 'refused' });
    expect([world.readers(), await world.verified()]).toEqual([[], []]);
    expect(await verify()).toMatchObject({ kind: 'refused' });
    expect(world.readers()).toEqual([]);
    await suspend(false);
    expect(await verify()).toMatchObject({ kind: 'verified' });
    expect(world.readers()).toEqual([arn('one')]);
  });
});

describe('a role that AWS does not know', () => {
  test('principal.challenge_invalid says so, the role is not verified, and its challenge still works', async () => {
    const world = await bus({ stored: [pending, principal('two')], unknown: [arn('one')] });
    await world.using().ports.queueAdmin.letRead(consumer.queue ?? '', [arn('two')]);
    const refusal = await world.using().verify();
    expect(refusal).toMatchObject({
      violations: [
        { rule: 'principal.challenge_invalid', message: expect.stringContaining(arn('one')) },
      ],
    });
    expect(await world.verified()).toEqual([arn('two')]);
    expect(world.readers()).toEqual([arn('two')]);
    const later = await bus({ stored: await world.registered() });
    expect(await later.using().verify()).toMatchObject({ kind: 'verified' });
    expect(later.readers()).toEqual([arn('one'), arn('two')]);
  });

  test('closes the queue when another is revoked, and opens it again when it is revoked itself', async () => {
    const world = await bus({ stored: ['one', 'two', 'three'].map(name => principal(name)) });
    await world.open();
    const after = await bus({ stored: await world.registered(), unknown: [arn('two')] });
    expect(await after.using().revoke()).toMatchObject({ queue: 'refused' });
    expect(after.readers()).toEqual([]);
    expect(await after.using().revoke('ptwo')).toMatchObject({ queue: 'set' });
    expect(after.readers()).toEqual([arn('three')]);
  });
});

type Using = ReturnType<Awaited<ReturnType<typeof bus>>['using']>;
const operations: [string, Principal, (bus: Using) => Promise<unknown>, readonly string[]][] = [
  ['a verification', pending, ({ verify }) => verify(), [arn('one'), arn('two')]],
  ['a new registration', principal('one'), ({ register }) => register(), [arn('two')]],
  ['a revocation', principal('one'), ({ revoke }) => revoke(), [arn('two')]],
];

describe.each(operations)('%s that is interrupted', (_, first, act, expected) => {
  const started = async () => {
    const world = await bus({ stored: [first, principal('two')] });
    await world.open();
    return world;
  };

  test('at any call lets no role read that the registry does not call verified, and can be repeated to finish it', async () => {
    const whole = crashing(0, 'before');
    await act((await started()).using(whole.wrap));
    expect(whole.calls()).toBeGreaterThan(3);
    for (let at = 1; at <= whole.calls(); at += 1) {
      for (const when of ['before', 'after'] as const) {
        const world = await started();
        await expect(act(world.using(crashing(at, when).wrap))).rejects.toBeInstanceOf(Crash);
        expect(await world.verified()).toEqual(expect.arrayContaining([...world.readers()]));
        await act(world.using());
        expect([at, when, world.readers()]).toEqual([at, when, expected]);
        expect(await world.verified()).toEqual(expected);
      }
    }
  });
});

describe('a role cannot be registered', () => {
  test("on a consumer for the operator's routes", async () => {
    const { ports } = (await bus()).using();
    const wanted = { connection: consumer.id, roleArn: arn('one') };
    expect(await registerPrincipal(ports, operatorScope, wanted)).toMatchObject({
      reason: expect.stringMatching(/^c\w+ is a consumer, and the operator's routes publish/),
    });
  });

  test.each(['*', '?', '$'])('on a consumer with %s in its path', async character => {
    const { register } = (await bus()).using();
    expect(await register(`arn:aws:iam::123456789012:role/a${character}/one`)).toMatchObject({
      reason: 'A role whose path holds *, ? or $ cannot read a queue.',
    });
  });

  test('on a consumer that has five others; one of the five can be registered again', async () => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    const world = await bus({
      stored: [...names.map(name => principal(name)), principal('x', { status: 'revoked' })],
    });
    const { register } = world.using();
    expect(await register(arn('six'))).toMatchObject({
      isLimit: true,
      reason: 'This connection has 5 cloud roles, and no further one is allowed: revoke one.',
    });
    expect(await register(arn('five'))).toMatchObject({ kind: 'registered' });
  });
});

test('a producer has no queue to open', async () => {
  const world = await bus({ stored: [pending], of: connection });
  expect(await world.using().verify()).toMatchObject({ kind: 'verified' });
  expect(world.readers()).toEqual([]);
});

test.each([
  ['knows', [], 'set', [arn('one'), arn('two')]],
  ['does not know', [arn('two')], 'refused', []],
])(
  'if AWS %s one of its roles, a repaired queue is read by all of them or by none',
  async (_, lost, result, readers) => {
    const unknown: string[] = [];
    const world = await bus({ stored: [principal('one'), principal('two')], unknown });
    await world.open();
    unknown.push(...lost);
    expect(await repairQueue(world.using().ports, consumer)).toBe(result);
    expect(world.readers()).toEqual(readers);
  },
);
