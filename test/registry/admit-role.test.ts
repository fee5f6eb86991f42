import type { Connection } from '../../lib/registry/connection.ts';
import { operatorScope, type Principal, storedChallenge } from '../../lib/registry/principals.ts';
import { admitRole, type Registry } from '../../lib/registry/registry.ts';
import { verifyPrincipal } from '../../lib/registry/verify-principal.http.ts';
import { registryOver } from '../support/fakes/registry.ts';
import { frozenClock } from '../support/identity-fakes.ts';
import { connection, now } from '../tokens/tokens.ts';

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
    expect(await admitted(registryWith(both, { ...second, status: 'revoked' }))).toBe(connection.id);
    expect(await admitted(registryWith(both, { ...second, kind: 'consumer' }))).toBe(connection.id);
  });
});

describe('a signed request is refused as not registered', () => {
  const refused = 'producer.not_registered';

  test.each<[string, Registry, string?, string?]>([
    ['without a registration', registryWith([])],
    ['while its role is pending', registryWith([{ ...principal, status: 'pending' }])],
    ['once its role is revoked', registryWith([{ ...principal, status: 'revoked' }])],
    ['of another role', registryWith([principal]), 'arn:aws:sts::123456789012:assumed-role/other/session-1'],
    [
      'of the same name in another account',
      registryWith([principal]),
      'arn:aws:sts::999999999999:assumed-role/demo/session-1',
    ],
    ['of a user', registryWith([principal]), 'arn:aws:iam::123456789012:user/demo'],
    ['in another workspace', registryWith([principal]), session, 'wbbbbbbbbbbbb'],
    ["on the operator's route", registryWith([principal]), session, operatorScope],
    [
      'for a connection that moved away',
      registryWith([{ ...principal, connection: second.id }], { ...second, workspace: 'wbbbbbbbbbbbb' }),
    ],
    [
      'for a revoked connection',
      registryWith([{ ...principal, connection: second.id }], { ...second, status: 'revoked' }),
    ],
    [
      'for a paused connection',
      registryWith([{ ...principal, connection: second.id }], { ...second, status: 'paused' }),
    ],
    [
      'for a consumer',
      registryWith([{ ...principal, connection: second.id }], { ...second, kind: 'consumer' }),
    ],
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
  const challenge = 'sbc_right';
  const pending: Principal = { ...principal, status: 'pending', challenge: storedChallenge(challenge, now) };
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

  test('verifies the role that it was made for, once, even when it is sent twice at the same time', async () => {
    const verify = verifying();
    const results = await Promise.all([verify(), verify()]);
    expect(results).toMatchObject([{ kind: 'verified', verifiedAt: '2026-05-04T09:00:00.000Z' }, invalid]);
  });

  test.each<[string, Partial<typeof right>, number?]>([
    ['when it expired', {}, now + 900_000],
    ['of another text', { challenge: 'sbc_wrong' }],
    ['from another role', { callerArn: 'arn:aws:sts::123456789012:assumed-role/other/session-1' }],
    [
      'from the same name in another account',
      { callerArn: 'arn:aws:sts::999999999999:assumed-role/demo/session-1' },
    ],
    ['from a user', { callerArn: 'arn:aws:iam::123456789012:user/demo' }],
    ['in another workspace', { workspace: 'wbbbbbbbbbbbb' }],
    ['where the address names no workspace', { workspace: undefined }],
    ['for another connection', { connection: second.id }],
  ])('principal.challenge_invalid answers a challenge %s', async (_, given, at = now) => {
    expect(await verifying(given, at)()).toMatchObject(invalid);
  });

  test('principal.challenge_invalid answers a role that acts for another producer already; one that only claims it is no obstacle', async () => {
    const elsewhere = { ...principal, id: 'p999999999999', connection: second.id };
    const among = (...others: readonly Principal[]) => verifying({}, now, [pending, ...others], second)();
    expect(await among(elsewhere)).toMatchObject({
      ...invalid,
      violations: [{ message: expect.stringContaining(`the producer ${second.id} already`) }],
    });
    expect(await among({ ...elsewhere, status: 'pending' })).toMatchObject({ kind: 'verified' });
    expect(await verifying({}, now, [pending, elsewhere])()).toMatchObject({ kind: 'verified' });
  });

  test('principal.challenge_invalid answers once the role is verified or the connection is gone', async () => {
    expect(await verifying({}, now, [principal])()).toMatchObject(invalid);
    const elsewhere = { ...pending, connection: second.id };
    expect(await verifying({ connection: second.id }, now, [elsewhere])()).toMatchObject(invalid);
  });
});
