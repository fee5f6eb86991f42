import type { Connection } from '../../../lib/access/registry/connection.ts';
import type { Registry } from '../../../lib/access/registry/registry.ts';
import {
  asConsumer,
  asMember,
  operatorSigner,
  ownWorkspaceBearer,
  workspaceBearer,
  workspaceSigner,
} from '../../../lib/access/trust/admission.http.ts';
import { operatorScope, type Principal } from '../../../lib/access/trust/principals.ts';
import type { HttpRequest } from '../../../lib/platform/http/request.ts';
import { response } from '../../../lib/platform/http/response.ts';
import { connection } from '../../bus/tokens/tokens.ts';
import { registryOver } from '../../support/fakes/registry.ts';

const { id, workspace } = connection;
const caller = { connection: id, workspace };
const consumer: Connection = { ...connection, kind: 'consumer', queue: 'queue.fifo' };
const roleArn = 'arn:aws:iam::123456789012:role/demo';
const verifiedIn = (scope: string): Principal => ({
  ...{ id: 'paaaaaaaaaaaa', scope, connection: id, roleArn, status: 'verified' },
  createdAt: '2026-05-04T08:00:00.000Z',
});
const registryOf = (one: Connection, scope = workspace): Registry =>
  registryOver({ connections: () => [one], principals: () => [verifiedIn(scope)] });
const request = (change: Partial<HttpRequest> = {}): HttpRequest => ({
  requestId: 'r1',
  headers: {},
  pathParameters: { t: workspace },
  query: {},
  body: Buffer.of(),
  ...change,
});
const elsewhere = { pathParameters: { t: 'wother' } };
const admitted = { kind: 'admitted', connection };
const ruled = (rule: string) => ({ kind: 'refused', violations: [{ rule }] });

test('a producer is admitted by its token in its workspace', async () => {
  const [inPath, own] = [workspaceBearer, ownWorkspaceBearer].map(one =>
    one(registryOf(connection)),
  );
  expect(await inPath?.(request({ caller }))).toEqual(admitted);
  expect(await own?.(request({ caller, ...elsewhere }))).toEqual(admitted);
  for (const change of [elsewhere, { pathParameters: {} }])
    expect(await inPath?.(request({ caller, ...change }))).toMatchObject(ruled('tenant.mismatch'));
  for (const admit of [inPath, own])
    expect(await admit?.(request())).toMatchObject(ruled('producer.unauthenticated'));
});

test('a consumer does not publish', async () => {
  const admit = workspaceBearer(registryOf(consumer));
  expect(await admit(request({ caller }))).toMatchObject(ruled('producer.not_registered'));
});

test('a role is admitted by its signature, where it is verified', async () => {
  const inWorkspace = workspaceSigner(registryOf(connection));
  const operators = operatorSigner(registryOf(connection, operatorScope));
  const signed = request({ signer: roleArn });
  expect([await inWorkspace(signed), await operators(signed)]).toEqual([admitted, admitted]);
  const [refused, unsigned] = [ruled('producer.not_registered'), ruled('producer.unauthenticated')];
  for (const change of [elsewhere, { pathParameters: {} }, { pathParameters: { t: 'operator' } }])
    expect(await inWorkspace({ ...signed, ...change })).toMatchObject(refused);
  expect(await operatorSigner(registryOf(connection))(signed)).toMatchObject(refused);
  expect(await workspaceSigner(registryOf(connection, operatorScope))(signed)).toMatchObject(
    refused,
  );
  for (const admit of [inWorkspace, operators])
    expect(await admit(request())).toMatchObject(unsigned);
});

describe('a route', () => {
  /** What a route answers, and what it was given to serve. */
  const served = async (
    as: typeof asMember,
    registry: Registry,
    change: Partial<HttpRequest>,
  ): Promise<[object, unknown[]]> => {
    const given: unknown[] = [];
    const route = as(registry, async one => {
      given.push(one);
      return response(200, 'served');
    });
    return [await route(request(change)), given];
  };
  const own = { caller, pathParameters: { t: workspace, c: id } };

  test.each([
    ['members, a producer', asMember, connection],
    ['consumers, that consumer', asConsumer, consumer],
  ] as const)(
    'for %s is served with its connection and its names for the log',
    async (_, as, one) => {
      const [answer, given] = await served(as, registryOf(one), own);
      expect(answer).toMatchObject({ status: 200, body: 'served' });
      expect(given).toEqual([{ connection: one, log: caller }]);
    },
  );

  test.each([
    ['without a token', asMember, {}, { rule: 'producer.unauthenticated' }],
    [
      'in another workspace',
      asMember,
      { caller, ...elsewhere },
      { rule: 'tenant.mismatch', ...caller },
    ],
    [
      'without a workspace',
      asMember,
      { caller, pathParameters: {} },
      { rule: 'tenant.mismatch', ...caller },
    ],
    [
      'at the address of another consumer',
      asConsumer,
      { caller, pathParameters: { t: workspace, c: 'cother' } },
      { rule: 'producer.not_registered', ...caller },
    ],
  ] as const)('serves nobody %s', async (_, as, change, log) => {
    const [answer, given] = await served(as, registryOf(consumer), change);
    expect([answer, given]).toMatchObject([{ log }, []]);
  });

  test('for consumers serves no producer', async () => {
    const [answer, given] = await served(asConsumer, registryOf(connection), own);
    expect([answer, given]).toMatchObject([{ log: { rule: 'producer.not_registered' } }, []]);
  });

  test('reads parameters of 256 characters and an `after` of 1,024 bytes, and no longer ones', async () => {
    const asked = async (name: number, after: number) => {
      const change = {
        caller,
        pathParameters: { t: workspace, name: 'x'.repeat(name) },
        query: { after: 'x'.repeat(after) },
      };
      const [answer, given] = await served(asMember, registryOf(connection), change);
      expect(answer).toMatchObject(
        given.length > 0 ? { status: 200 } : { log: { rule: 'pull.invalid_parameter', ...caller } },
      );
      return given.length;
    };
    expect([await asked(256, 1_024), await asked(257, 0), await asked(1, 1_025)]).toEqual([
      1, 0, 0,
    ]);
  });
});

test('an error of a consumer that was revoked meanwhile says so; any other is thrown', async () => {
  const error = new Error('The queue is gone.');
  const failing = (isRegistered: () => Promise<boolean>) =>
    asConsumer({ ...registryOf(consumer), isRegistered }, async () => {
      throw error;
    })(request({ caller, pathParameters: { t: workspace, c: id } }));
  expect(await failing(async () => false)).toMatchObject({
    log: { rule: 'producer.not_registered', ...caller },
  });
  await expect(failing(async () => true)).rejects.toBe(error);
  const away = () => Promise.reject(new Error('The table is away.'));
  await expect(failing(away)).rejects.toBe(error);
});
