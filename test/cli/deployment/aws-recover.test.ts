import { DeleteQueueCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { createConnection } from '../../../lib/access/registry/connections.ts';
import { setConnectionQuota } from '../../../lib/access/registry/quotas.ts';
import type { RecoveryPorts } from '../../../lib/access/registry/recovering.ts';
import { revokeConnection } from '../../../lib/access/registry/revoking.ts';
import { recoverEnvironment } from '../../../lib/cli/deployment/aws-recover.ts';
import { examineUsageKeys } from '../../../lib/cli/deployment/doctor-aws.ts';
import { CommandRefused } from '../../../lib/cli/frame/failures.ts';
import type { Quota, Tier } from '../../../lib/contract/limits.ts';
import { localEnv } from '../../../lib/local/env.ts';
import { operatorKeyIn } from '../../../lib/local/roles.ts';
import { guardedQueueHome } from '../../../lib/wiring/registry.ts';
import { serviceHere } from '../../support/one-service.ts';

const bus = serviceHere();

/** The gateway of a region that has no keys yet. */
const emptyGateway = () => {
  const plans = new Map<string, Tier | Quota>();
  const broken = new Set<string>();
  const usageKeys = { connections: async () => new Set(plans.keys()) };
  const assign = async (connection: string, quota: Tier | Quota) => {
    if (broken.has(connection)) throw new Error('API Gateway is busy.');
    plans.set(connection, quota);
  };
  return { plans, broken, usageKeys, usagePlans: { assign } };
};

const recovering = (gateway: ReturnType<typeof emptyGateway>, tables: readonly string[] = []) => {
  const said: string[] = [];
  const noted: string[] = [];
  const ports = {
    ...bus.registry,
    ...gateway,
    isKeyHere: () => true,
  };
  const notes = {
    on: async ({ id }: { readonly id: string }, what: string) => void noted.push(`${id} ${what}`),
  };
  const run = () =>
    recoverEnvironment({
      ports,
      notes,
      secureTables: async () => tables,
      say: line => void said.push(line),
    });
  return { run, said, noted };
};

const queues = () =>
  guardedQueueHome(
    localEnv(new URL(bus.base).origin, bus.ready.endpoints, operatorKeyIn(bus.data)),
  );

const issue = async (app: string, kind: 'producer' | 'consumer') => {
  const made = await createConnection(bus.registry, {
    workspace: bus.ready.workspace,
    app,
    kind,
    tier: 'minimal',
    systemIds: [],
    grants: kind === 'producer' ? ['*'] : [],
    receives: kind === 'consumer' ? ['*'] : [],
    sources: [],
  });
  if (made.kind === 'declined') throw new Error(made.reason);
  return made.connection;
};

const isGuarded = async (queue = ''): Promise<boolean | undefined> =>
  (await bus.registry.guardedQueues.look(queue, []))?.isGuarded;

test('a region without queues and keys gets what the registry asks for, once', async () => {
  const producer = await issue('studio', 'producer');
  const fast = await issue('fast', 'producer');
  const quota = { perSecond: 7, burst: 9, perDay: 1_000 };
  await setConnectionQuota(bus.registry, fast.id, { tier: 'standard', quota });
  const lost = await issue('archive', 'consumer');
  const changed = await issue('wall', 'consumer');
  const revoked = await issue('former', 'consumer');
  await revokeConnection(bus.registry, revoked.id);
  const { client, baseUrl } = queues();
  await client.send(new DeleteQueueCommand({ QueueUrl: baseUrl + lost.queue }));
  await client.send(
    new SetQueueAttributesCommand({
      QueueUrl: baseUrl + changed.queue,
      Attributes: { Policy: '' },
    }),
  );
  expect([await isGuarded(lost.queue), await isGuarded(changed.queue)]).toEqual([undefined, false]);

  const gateway = emptyGateway();
  const { run, said, noted } = recovering(gateway, ['sombus-sandbox-ledger-a']);
  const records = await run();
  const workspace_id = bus.ready.workspace;
  const key = 'made';
  expect(records).toEqual(
    expect.arrayContaining([
      { connection_id: producer.id, kind: 'producer', workspace_id, key, queue: null },
      { connection_id: lost.id, kind: 'consumer', workspace_id, key, queue: 'made' },
      { connection_id: changed.id, kind: 'consumer', workspace_id, key, queue: 'policy set' },
    ]),
  );
  expect([await isGuarded(lost.queue), await isGuarded(changed.queue)]).toEqual([true, true]);
  expect(await isGuarded(revoked.queue)).toBeUndefined();
  expect(gateway.plans.has(revoked.id)).toBe(false);
  expect(gateway.plans.get(fast.id)).toEqual(quota);
  expect(gateway.plans.get(producer.id)).toBe('minimal');
  expect(noted).toContain(`${lost.id} connection.recover`);
  expect(said.slice(0, 2)).toEqual([
    'signing keys: unchanged',
    'tables: secured sombus-sandbox-ledger-a',
  ]);

  const again = recovering(gateway);
  expect(await again.run()).toEqual([]);
  expect(again.said[1]).toBe('tables: unchanged');
  expect(again.said.at(-1)).toBe(
    `${records.length} connections: ${records.length} lacked nothing.`,
  );
  expect(again.noted).toEqual([]);
});

test('what fails stops nothing else, is named, and is made when the command is repeated', async () => {
  const stuck = await issue('stuck', 'producer');
  const other = await issue('other', 'producer');
  const gateway = emptyGateway();
  gateway.broken.add(stuck.id);
  const failure: unknown = await recovering(gateway)
    .run()
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CommandRefused);
  expect(failure).toMatchObject({
    message: expect.stringMatching(/^1 of \d+ connections could not be recovered: repeat/),
    details: [`${stuck.id}: API Gateway is busy.`],
  });
  expect(gateway.plans.has(other.id)).toBe(true);
  gateway.broken.clear();
  const records = await recovering(gateway).run();
  expect(records).toMatchObject([{ connection_id: stuck.id, key: 'made' }]);
});

test('doctor --aws names the connections that the gateway refuses, and what makes their keys', async () => {
  const gateway = emptyGateway();
  const ports: Parameters<typeof examineUsageKeys>[0] = {
    ...(bus.registry as RecoveryPorts),
    usageKeys: gateway.usageKeys,
  };
  const before = await examineUsageKeys(ports, 'preview');
  expect(before).toMatchObject({ check: 'connections', state: 'fail' });
  expect(before.words).toMatch(
    /^(\d+) of \1 have no key .* and \d+ more\. npx --no sombus aws recover --environment preview/,
  );
  await recovering(gateway).run();
  expect(await examineUsageKeys(ports, 'preview')).toMatchObject({
    state: 'ok',
    words: `${gateway.plans.size}, each with its key at API Gateway`,
  });
});
