import type { IdentityProvider } from '../../../lib/access/registry/registry.ts';
import {
  awsIdentityProviders,
  awsPrincipals,
} from '../../../lib/access/trust/identities.dynamodb.ts';
import type { Principal } from '../../../lib/access/trust/principals.ts';
import { tablesHere } from '../../support/local-aws.ts';

const here = tablesHere();
const createdAt = '2026-01-01T00:00:00.000Z';
const at = '2026-01-02T00:00:00.000Z';

describe('roles', () => {
  const principal: Principal = {
    id: 'p1',
    scope: 'wroles',
    connection: 'c1',
    roleArn: 'arn:aws:iam::123456789012:role/path/demo',
    status: 'pending',
    challenge: { hash: 'hash', until: 1_000 },
    createdAt,
  };
  const { challenge: _, ...withoutChallenge } = principal;
  const principals = () => awsPrincipals(here.table('registry'));

  test('are kept as they are, and verified by the challenge that was read', async () => {
    const { list, put, verify, admit, withdraw } = principals();
    expect(await put(principal, [])).toBeUndefined();
    await put({ ...principal, id: 'p2', connection: 'c2' }, []);
    await put({ ...principal, id: 'p3', scope: 'wother' }, []);
    const own = async () => (await list('wroles')).filter(({ id }) => id === 'p1');
    expect((await list('wroles')).map(({ id }) => id)).toEqual(['p1', 'p2']);
    expect(await own()).toEqual([principal]);

    const replaced = { ...principal, challenge: { hash: 'older', until: 1_000 } };
    expect([await admit(replaced, at), await verify(replaced, at)]).toEqual([false, false]);
    await withdraw(replaced);
    expect(await own()).toEqual([principal]);

    expect(await admit(principal, at)).toBe(true);
    expect(await own()).toEqual([{ ...principal, status: 'verified', verifiedAt: at }]);
    await withdraw(principal);
    expect(await own()).toEqual([principal]);

    expect(await verify(principal, at)).toBe(true);
    const verified = { ...withoutChallenge, status: 'verified', verifiedAt: at } as const;
    expect(await own()).toEqual([verified]);
    expect(await verify(principal, at)).toBe(false);

    await put({ ...verified, status: 'revoked' }, []);
    expect((await list('wroles')).map(({ id }) => id)).toEqual(['p2']);
  });

  test('leave room when they are revoked', async () => {
    const slots = [{ bound: 'issuers', scope: 'organisation', of: 'oroles' }] as const;
    for (let round = 0; round < 30; round += 1) {
      expect(await principals().put(principal, slots)).toBeUndefined();
      await principals().put({ ...principal, status: 'revoked' }, slots);
    }
  });

  test('have an ARN of a role', async () => {
    const user = { ...principal, roleArn: 'arn:aws:iam::123456789012:user/demo' };
    await expect(principals().put(user, [])).rejects.toThrow(`${user.roleArn} is not a role ARN.`);
  });
});

describe('identity providers', () => {
  const providers = () => awsIdentityProviders(here.table('registry'));
  const provider: IdentityProvider = {
    scope: 'wproviders',
    issuer: 'https://idp.example',
    jwksUri: 'https://idp.example/keys',
    audience: 'bus',
    clientClaim: 'client_id',
    insecureLocal: true,
    createdAt,
  };
  const other = { ...provider, issuer: 'https://other.example', insecureLocal: false };
  const { scope, issuer } = provider;
  const binding = { scope, issuer, client: 'vendor', connection: 'c1', createdAt };

  test('are kept as they are, once, and go with their clients', async () => {
    const { add, list, bind, bindings, remove, unbind } = providers();
    expect([await add(provider), await add(other), await add(provider)]).toEqual([
      true,
      true,
      false,
    ]);
    const sorted = async () =>
      (await list(scope)).toSorted((one, two) => one.issuer.localeCompare(two.issuer));
    expect(await sorted()).toEqual([provider, other]);
    expect(await list('wnone')).toEqual([]);

    expect(await bind(binding, 'if free')).toBe(true);
    expect(await bind(binding, 'if free')).toBe(true);
    expect(await bind({ ...binding, connection: 'c2' }, 'if free')).toBe(false);
    expect(await bindings(scope)).toEqual([binding]);
    expect(await bind({ ...binding, connection: 'c2' })).toBe(true);
    expect(await bindings(scope)).toEqual([{ ...binding, connection: 'c2' }]);

    const ofOther = { ...binding, issuer: other.issuer };
    await bind(ofOther);
    await bind({ ...binding, client: 'second' });
    expect([await unbind(scope, issuer, 'second'), await unbind(scope, issuer, 'second')]).toEqual([
      true,
      false,
    ]);
    expect([await remove(scope, issuer), await remove(scope, issuer)]).toEqual([true, false]);
    expect([await sorted(), await bindings(scope)]).toEqual([[other], [ofOther]]);
  });

  test('of an organisation are as many as it may have', async () => {
    const { add, remove } = providers();
    const numbered = (number: number) =>
      add({ ...provider, scope: 'wfull', issuer: `https://idp${number}.example` }, 'ofull');
    const added = [];
    for (let number = 0; number < 30; number += 1) added.push(await numbered(number));
    const first = added.findIndex(one => typeof one === 'object');
    expect(added.slice(0, first)).toEqual(Array(10).fill(true));
    expect(added[first]).toMatchObject({ kind: 'declined' });
    await remove('wfull', 'https://idp0.example');
    expect([await numbered(30), typeof (await numbered(31))]).toEqual([true, 'object']);
  });
});
