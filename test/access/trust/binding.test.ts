import type { Connection } from '../../../lib/access/registry/connection.ts';
import type { Declined } from '../../../lib/access/registry/declined.ts';
import type { RegistryPorts } from '../../../lib/access/registry/ports.ts';
import { addIdentityProvider, bindClient } from '../../../lib/access/trust/identity-providers.ts';
import { operatorScope } from '../../../lib/access/trust/principals.ts';
import { connection } from '../../bus/tokens/tokens.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

const issuer = 'https://login.example.com';
const createdAt = '2026-05-04T09:00:00.000Z';
const full: Declined = { kind: 'declined', reason: 'It is full.', isLimit: true };
const wanted = {
  scope: connection.workspace,
  issuer,
  client: 'app',
  connection: connection.id,
};

interface Facts {
  readonly of?: Connection;
  readonly issuers?: readonly string[];
  readonly written?: boolean | Declined;
  readonly organisation?: 'active' | 'suspended';
}

/** A registry with one issuer and one connection, and what was written to it. */
const scene = ({ of = connection, issuers = [issuer], written = true, ...facts }: Facts = {}) => {
  const done: unknown[] = [];
  const write = async (...call: readonly unknown[]) => {
    await undefined;
    done.push(call);
    return written;
  };
  const ports = {
    clock: frozenClock(),
    identityProviders: {
      list: async () => issuers.map(one => ({ issuer: one })),
      bind: write,
      add: write,
    },
    connections: {
      find: async (id: string) => (id === of.id ? { connection: of } : undefined),
    },
    directory: {
      find: async (kind: string, id: string) => ({
        kind,
        id,
        organisation: 'oaaaaaaaaaaaa',
        status: kind === 'workspace' ? 'active' : (facts.organisation ?? 'active'),
      }),
    },
  } as unknown as RegistryPorts;
  return { ports, done };
};
const reasonOf = async (facts: Facts, change: object = {}) => {
  const { ports, done } = scene(facts);
  const result = await bindClient(ports, { ...wanted, ...change });
  return [result.kind === 'declined' ? result.reason : result, done.length];
};

test('a client is bound to a producer of the workspace, now', async () => {
  const { ports, done } = scene();
  const binding = { ...wanted, createdAt };
  expect(await bindClient(ports, wanted)).toEqual({ kind: 'bound', binding });
  expect(await bindClient(ports, wanted, 'if free')).toEqual({ kind: 'bound', binding });
  expect(done).toEqual([
    [binding, undefined],
    [binding, 'if free'],
  ]);
});

test("on the operator's routes, a client acts for a producer of any workspace", async () => {
  const { ports } = scene();
  const operators = { ...wanted, scope: operatorScope };
  expect(await bindClient(ports, operators)).toEqual({
    kind: 'bound',
    binding: { ...operators, createdAt },
  });
});

test('a client is not bound where something is missing, and nothing is written', async () => {
  const unknown = `There is no producer ${connection.id}, or it is revoked or suspended.`;
  const notThere = `The issuer ${issuer} is not registered there: add it first.`;
  expect(await reasonOf({ issuers: [] })).toEqual([notThere, 0]);
  expect(await reasonOf({ issuers: ['https://other.example'] })).toEqual([notThere, 0]);
  expect(await reasonOf({ of: { ...connection, id: 'other' } })).toEqual([unknown, 0]);
  expect(await reasonOf({ of: { ...connection, kind: 'consumer' } })).toEqual([unknown, 0]);
  expect(await reasonOf({ of: { ...connection, status: 'revoked' } })).toEqual([unknown, 0]);
  expect(await reasonOf({}, { scope: 'wother' })).toEqual([
    `The connection ${connection.id} is not in the workspace wother.`,
    0,
  ]);
});

test('a client that acts for another connection, or one too many, is declined', async () => {
  expect(await bindClient(scene({ written: false }).ports, wanted)).toEqual({
    kind: 'declined',
    reason: 'The client app acts for another connection already: unbind it there first.',
  });
  expect(await bindClient(scene({ written: full }).ports, wanted)).toBe(full);
});

describe('an issuer', () => {
  const provider = {
    ...{ scope: connection.workspace, issuer, audience: 'bus', insecureLocal: false },
    jwksUri: 'https://login.example.com/keys',
    clientClaim: 'azp',
  } as const;
  const add = (ports: RegistryPorts, change: object = {}) =>
    addIdentityProvider(ports, { ...provider, ...change }, 'https://bus.example/v1/oauth');

  test('is added now, and counted in the organisation of its workspace', async () => {
    const { ports, done } = scene();
    const added = { ...provider, createdAt };
    expect(await add(ports)).toEqual({ kind: 'added', provider: added });
    expect(done).toEqual([[added, 'oaaaaaaaaaaaa']]);
  });

  test("of the operator's routes is counted nowhere", async () => {
    const { ports, done } = scene({ organisation: 'suspended' });
    const operators = { ...provider, scope: operatorScope, createdAt };
    expect(await add(ports, { scope: operatorScope })).toEqual({
      kind: 'added',
      provider: operators,
    });
    expect(done).toEqual([[operators, undefined]]);
  });

  test('is not added in an organisation that is suspended', async () => {
    const { ports, done } = scene({ organisation: 'suspended' });
    expect(await add(ports)).toMatchObject({
      reason: 'The organisation oaaaaaaaaaaaa is suspended: nothing can be made or changed in it.',
    });
    expect(done).toEqual([]);
  });

  test('that is there already, or one too many, is declined', async () => {
    expect(await add(scene({ written: false }).ports)).toEqual({
      kind: 'declined',
      reason: `The issuer ${issuer} is registered already: remove it first to change it.`,
    });
    expect(await add(scene({ written: full }).ports)).toBe(full);
  });
});
