import type { Connection } from '../../../lib/access/registry/connection.ts';
import { admitRole, type Registry } from '../../../lib/access/registry/registry.ts';
import {
  challengeText,
  operatorScope,
  type Principal,
  storedChallenge,
} from '../../../lib/access/trust/principals.ts';
import { verifyPrincipal } from '../../../lib/access/trust/verify-principal.http.ts';
import { connection, now } from '../../bus/tokens/tokens.ts';
import { registryOver } from '../../support/fakes/registry.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

const session = 'arn:aws:sts::123456789012:assumed-role/demo/session-1';
const principal: Principal = {
  id: 'paaaaaaaaaaaa',
  scope: connection.workspace,
  connection: connection.id,
  roleArn: 'arn:aws:iam::123456789012:role/newsroom/demo',
  status: 'verified',
  createdAt: '2026-05-04T09:00:00.000Z',
};
const second: Connection = { ...connection, id: 'cbbbbbbbbbbbb' };

const registryWith = (principals: readonly Principal[], ...connections: Connection[]): Registry =>
  registryOver({ connections: () => [connection, ...connections], principals: () => principals });

const onSecond = (change: Partial<Connection>): Registry =>
  registryWith([{ ...principal, connection: second.id }], { ...second, ...change });

const admitted = async (
  registry: Registry,
  arn = session,
  scope: string | undefined = connection.workspace,
) => {
  const result = await admitRole(registry, arn, scope);
  return result.kind === 'refused' ? result.violations[0].rule : result.connection.id;
};

describe('a signed request is admitted', () => {
  test('as the connection on which its role is verified, path or not', async () => {
    expect(await admitted(registryWith([principal]))).toBe(connection.id);
  });

  test('when the role is verified on a second connection that is revoked or a consumer', async () => {
    const both = [principal, { ...principal, connection: second.id }];
    expect(await admitted(registryWith(both, { ...second, status: 'revoked' }))).toBe(
      connection.id,
    );
    expect(await admitted(registryWith(both, { ...second, kind: 'consumer' }))).toBe(connection.id);
  });
});

describe('a signed request is refused as not registered', () => {
  const refused = 'producer.not_registered';

  test.each<[string, Registry, string?, string?]>([
    ['without a registration', registryWith([])],
    ['while its role is pending', registryWith([{ ...principal, status: 'pending' }])],
    ['once its role is revoked', registryWith([{ ...principal, status: 'revoked' }])],
    [
      'of another role',
      registryWith([principal]),
      'arn:aws:sts::123456789012:assumed-role/other/session-1',
    ],
    ['of a user', registryWith([principal]), 'arn:aws:iam::123456789012:user/demo'],
    ['in another workspace', registryWith([principal]), session, 'wbbbbbbbbbbbb'],
    ["on the operator's route", registryWith([principal]), session, operatorScope],
    ['for a connection that moved away', onSecond({ workspace: 'wbbbbbbbbbbbb' })],
    ['for a revoked connection', onSecond({ status: 'revoked' })],
    ['for a paused connection', onSecond({ status: 'paused' })],
    ['for a consumer', onSecond({ kind: 'consumer' })],
    [
      'where its role is verified on two active producers',
      registryWith([principal, { ...principal, connection: second.id }], second),
    ],
  ])('%s', async (_, registry, arn = session, scope = connection.workspace) => {
    expect(await admitted(registry, arn, scope)).toBe(refused);
  });

  test('where the address names no workspace', async () => {
    const result = await admitRole(
      registryWith([{ ...principal, scope: operatorScope }]),
      session,
      undefined,
    );
    expect(result).toMatchObject({ kind: 'refused', violations: [{ rule: refused }] });
  });
});

describe('a challenge', () => {
  const challenge = challengeText(new Uint8Array(32).fill(1));
  const pending: Principal = {
    ...principal,
    status: 'pending',
    challenge: storedChallenge(challenge, now),
  };
  const right = {
    callerArn: session,
    workspace: connection.workspace as string | undefined,
    connection: connection.id,
    challenge,
  };

  const verifying = (
    given: Partial<typeof right> = {},
    at = now,
    stored: readonly Principal[] = [pending],
    ...others: readonly (typeof second)[]
  ) => {
    const used = new Set<string>();
    const never = () => Promise.reject(new Error('Only for consumers.'));
    const principals = {
      list: never,
      admit: never,
      withdraw: never,
      verify: async ({ id }: Principal) => {
        const first = !used.has(id);
        used.add(id);
        return first;
      },
    };
    const verify = verifyPrincipal({
      clock: frozenClock(at),
      registry: registryWith(stored, ...others),
      principals,
      queueReaders: { letRead: never },
    });
    return () => verify({ ...right, ...given });
  };
  const invalid = { kind: 'refused', violations: [{ rule: 'principal.challenge_invalid' }] };

  test('is sbc_ and 43 characters of base64url, and only its hash is kept', () => {
    expect(challenge).toMatch(/^sbc_[A-Za-z0-9_-]{43}$/);
    expect(JSON.stringify(pending)).not.toContain(challenge);
  });

  test('is answered for fifteen minutes, to the millisecond, and again where a verification was interrupted', async () => {
    expect(await verifying({}, now + 899_999)()).toMatchObject({ kind: 'verified' });
    expect(await verifying({}, now, [{ ...pending, status: 'verified' }])()).toMatchObject({
      kind: 'verified',
    });
  });

  test('verifies the role that it was made for, once, even when it is sent twice at the same time', async () => {
    const verify = verifying();
    const results = await Promise.all([verify(), verify()]);
    expect(results).toMatchObject([
      { kind: 'verified', verifiedAt: '2026-05-04T09:00:00.000Z' },
      invalid,
    ]);
  });

  test.each<[string, Partial<typeof right>, number?]>([
    ['when it expired', {}, now + 900_000],
    ['of another text', { challenge: `${challenge}x` }],
    ['of its hash', { challenge: storedChallenge(challenge, now).hash }],
    ['from another role', { callerArn: 'arn:aws:sts::123456789012:assumed-role/other/session-1' }],
    [
      'from the same name in another account',
      { callerArn: 'arn:aws:sts::999999999999:assumed-role/demo/session-1' },
    ],
    ['from a user', { callerArn: 'arn:aws:iam::123456789012:user/demo' }],
    ['where the address names no workspace', { workspace: undefined }],
    ['for another connection', { connection: second.id }],
  ])('principal.challenge_invalid answers a challenge %s', async (_, given, at = now) => {
    expect(await verifying(given, at)()).toMatchObject(invalid);
  });

  test('principal.challenge_invalid answers a role that acts for another producer already; one that only claims it is no obstacle', async () => {
    const elsewhere = { ...principal, id: 'p999999999999', connection: second.id };
    const among = (...others: readonly Principal[]) =>
      verifying({}, now, [pending, ...others], second)();
    expect(await among(elsewhere)).toMatchObject({
      ...invalid,
      violations: [{ message: expect.stringContaining(`the producer ${second.id} already`) }],
    });
    expect(await among({ ...elsewhere, status: 'pending' })).toMatchObject({ kind: 'verified' });
    expect(await verifying({}, now, [pending, elsewhere])()).toMatchObject({ kind: 'verified' });
  });

  test('principal.challenge_invalid answers once the role is verified or revoked or the connection is gone', async () => {
    for (const one of [principal, { ...pending, status: 'revoked' } as const])
      expect(await verifying({}, now, [one])()).toMatchObject(invalid);
    const elsewhere = { ...pending, connection: second.id };
    expect(await verifying({ connection: second.id }, now, [elsewhere])()).toMatchObject(invalid);
  });
});
