import type { Connection } from '../../../lib/access/registry/connection.ts';
import type { Declined } from '../../../lib/access/registry/declined.ts';
import type { RegistryPorts } from '../../../lib/access/registry/ports.ts';
import { operatorScope, type Principal } from '../../../lib/access/trust/principals.ts';
import {
  registerPrincipal,
  revokePrincipal,
} from '../../../lib/access/trust/register-principal.ts';
import { connection, now } from '../../bus/tokens/tokens.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

const scope = connection.workspace;
const roleArn = 'arn:aws:iam::123456789012:role/newsroom/demo';
const createdAt = '2026-05-04T09:00:00.000Z';
const wanted = { connection: connection.id, roleArn };
const consumer: Connection = { ...connection, kind: 'consumer', queue: 'queue.fifo' };
const verified: Principal = {
  id: 'pverified',
  scope,
  connection: connection.id,
  roleArn,
  status: 'verified',
  createdAt,
};
const elsewhere: Principal = { ...verified, id: 'pelsewhere', connection: 'cbbbbbbbbbbbb' };
const second: Connection = { ...connection, id: elsewhere.connection };
const full: Declined = { kind: 'declined', reason: 'It is full.', isLimit: true };

interface Facts {
  readonly connections?: readonly Connection[];
  readonly roles?: readonly Principal[];
  readonly isFull?: boolean;
}

/** A registry whose random bytes are zeros, and what is written, as soon as it is. */
const scene = ({ connections = [connection], roles = [], isFull = false }: Facts = {}) => {
  const done: unknown[] = [];
  const ports = {
    clock: frozenClock(),
    ids: { random: (bytes: number) => new Uint8Array(bytes) },
    principals: {
      list: async () => roles,
      put: async (...call: readonly unknown[]) => {
        await undefined;
        done.push(['put', ...call]);
        return isFull ? full : undefined;
      },
    },
    connections: {
      find: async (id: string) => {
        const found = connections.find(one => one.id === id);
        return found && { connection: found };
      },
    },
    queueAdmin: {
      letRead: async (...call: readonly unknown[]) => {
        done.push(['read', ...call]);
        return 'set';
      },
    },
  } as unknown as RegistryPorts;
  return { ports, done };
};
const slot = { bound: 'roles', scope: 'ownConnection', of: connection.id };
const challenge = `sbc_${'A'.repeat(43)}`;
const pending = {
  ...wanted,
  id: 'paaaaaaaaaaaa',
  scope,
  createdAt,
  status: 'pending',
  challenge: { hash: expect.stringMatching(/^[\w-]{43}$/), until: now + 15 * 60_000 },
};

test('a role of a producer is registered, and waits for its challenge', async () => {
  const { ports, done } = scene();
  expect(await registerPrincipal(ports, scope, wanted)).toEqual({
    kind: 'registered',
    principal: pending,
    challenge,
  });
  expect(done).toEqual([['put', pending, [slot]]]);
});

test('a role of a consumer is kept from its queue before and after it is registered', async () => {
  const { ports, done } = scene({ connections: [consumer], roles: [verified] });
  expect(await registerPrincipal(ports, scope, wanted)).toEqual({
    kind: 'registered',
    principal: pending,
    challenge,
    queue: 'set',
  });
  expect(done).toEqual([
    ['read', 'queue.fifo', []],
    ['put', pending, [{ ...slot, max: 5 }]],
    ['read', 'queue.fifo', [roleArn]],
  ]);
});

test("a role of the operator's routes is verified at once, and counted nowhere", async () => {
  const { ports, done } = scene();
  const { challenge: _, ...common } = pending;
  const principal = { ...common, scope: operatorScope, status: 'verified', verifiedAt: createdAt };
  expect(await registerPrincipal(ports, operatorScope, wanted)).toEqual({
    kind: 'registered',
    principal,
  });
  expect(done).toEqual([['put', principal, []]]);
});

test("a role of the operator's routes that could not be written is not registered", async () => {
  const { ports } = scene();
  const away = new Error('The table is away.');
  const principals = { ...ports.principals, put: () => Promise.reject(away) };
  const result = registerPrincipal({ ...ports, principals }, operatorScope, wanted);
  await expect(result).rejects.toBe(away);
});

test('one role too many is declined', async () => {
  expect(await registerPrincipal(scene({ isFull: true }).ports, scope, wanted)).toBe(full);
});

const declinedFor = async (facts: Facts, change: object = {}, of = scope) => {
  const { ports, done } = scene(facts);
  const result = await registerPrincipal(ports, of, { ...wanted, ...change });
  expect(done).toEqual([]);
  return result.kind === 'declined' ? result.reason : result;
};

test('a text that is no ARN of a role is declined, and quoted as far as 80 characters', async () => {
  const hint = 'is not a role ARN: it looks like arn:aws:iam::123456789012:role/name.';
  expect(await declinedFor({}, { roleArn: 'demo' })).toBe(`"demo" ${hint}`);
  const long = await declinedFor({}, { roleArn: 'x'.repeat(200) });
  expect(String(long).match(/x+/)?.[0]).toHaveLength(80);
});

test('a connection that is missing, revoked or in another workspace is declined', async () => {
  const none = `There is no connection ${connection.id}, or it is revoked or suspended.`;
  expect(await declinedFor({ connections: [] })).toBe(none);
  expect(await declinedFor({ connections: [{ ...connection, status: 'revoked' }] })).toBe(none);
  expect(await declinedFor({}, {}, 'wother')).toBe(
    `The connection ${connection.id} is not in the workspace wother.`,
  );
});

test('a role that acts for another producer of its organisation is declined', async () => {
  const facts = { connections: [connection, second], roles: [elsewhere] };
  expect(await declinedFor(facts)).toBe(
    'The role is registered on the producer cbbbbbbbbbbbb already: revoke pelsewhere first.',
  );
});

test.each<[string, Partial<Connection>, Partial<Principal>]>([
  ['a producer of another organisation', { organisation: 'oother' }, {}],
  ['a consumer', { kind: 'consumer' }, {}],
  ['a producer, but waits', {}, { status: 'pending' }],
  ['a producer, by another name', {}, { roleArn: 'arn:aws:iam::123456789012:role/other' }],
])('a role may be on %s as well', async (_, of, role) => {
  const { ports } = scene({
    connections: [connection, { ...second, ...of }],
    roles: [{ ...elsewhere, ...role }],
  });
  expect(await registerPrincipal(ports, scope, wanted)).toMatchObject({ kind: 'registered' });
});

describe('a revocation', () => {
  const revoked = { ...verified, status: 'revoked' };

  test('forgets the challenge, and closes the queue before and after', async () => {
    const { ports, done } = scene({
      connections: [consumer],
      roles: [elsewhere, { ...verified, challenge: { hash: 'hash', until: 1 } }],
    });
    const result = await revokePrincipal(ports, scope, verified.id);
    expect(result).toStrictEqual({ principal: revoked, queue: 'set' });
    expect(done).toEqual([
      ['read', 'queue.fifo', []],
      ['put', revoked, [{ ...slot, max: 5 }]],
      ['read', 'queue.fifo', [roleArn]],
    ]);
  });

  test('on a connection that is revoked or gone touches no queue', async () => {
    for (const connections of [[{ ...consumer, status: 'revoked' as const }], []]) {
      const { ports, done } = scene({ connections, roles: [verified] });
      expect(await revokePrincipal(ports, scope, verified.id)).toEqual({ principal: revoked });
      expect(done).toEqual([['put', revoked, connections.length > 0 ? [{ ...slot, max: 5 }] : []]]);
    }
  });

  test('of a role that is not registered does nothing', async () => {
    const { ports, done } = scene({ roles: [elsewhere] });
    expect(await revokePrincipal(ports, scope, verified.id)).toBeUndefined();
    expect(done).toEqual([]);
  });
});
