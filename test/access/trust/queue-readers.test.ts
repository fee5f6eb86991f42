import { operatorScope, type Principal } from '../../../lib/access/trust/principals.ts';
import {
  closeQueueTo,
  openQueue,
  queuePolicy,
  repairQueue,
} from '../../../lib/access/trust/queue-access.ts';

const arn = (name: string) => `arn:aws:iam::123456789012:role/${name}`;
const consumer = { id: 'caaaaaaaaaaaa', workspace: operatorScope, queue: 'queue.fifo' };
const without = { id: consumer.id, workspace: consumer.workspace };
const verified = (name: string): Principal => ({
  id: `p${name}`,
  scope: consumer.workspace,
  connection: consumer.id,
  roleArn: arn(name),
  status: 'verified',
  createdAt: '2026-05-04T08:00:00.000Z',
});

/** Roles that differ at each of the first looks, and the readers that were set. */
const scene = (changes: number, results: readonly ('set' | 'refused' | 'gone')[] = []) => {
  let looks = 0;
  const set: unknown[] = [];
  const ports = {
    principals: {
      list: async () => {
        looks += 1;
        return [verified('one'), verified(`at-${Math.min(looks, changes)}`)];
      },
    },
    queueAdmin: {
      letRead: async (queue: string, roles: readonly string[]) => {
        set.push([queue, roles.map(role => role.split('/').at(-1))]);
        return results[set.length - 1] ?? 'set';
      },
    },
  };
  return { ports, set, looks: () => looks };
};
const opened = (...names: string[]) => names.map(name => ['queue.fifo', [name, 'one']]);

test('a queue is opened to what the registry says afterwards', async () => {
  const { ports, set } = scene(3);
  expect(await openQueue(ports, consumer)).toBe('set');
  expect(set).toEqual(opened('at-1', 'at-2', 'at-3'));
});

test('roles that change nine times are followed, and those that change ten times are not', async () => {
  const nine = scene(10);
  expect(await openQueue(nine.ports, consumer)).toBe('set');
  expect(nine.set).toHaveLength(10);
  const ten = scene(11);
  await expect(openQueue(ten.ports, consumer)).rejects.toThrow(
    "The roles of the connection caaaaaaaaaaaa change faster than its queue's policy.",
  );
  expect(ten.set).toHaveLength(10);
});

test.each(['refused', 'gone'] as const)('a queue whose readers are %s is left', async result => {
  const { ports, set, looks } = scene(3, [result]);
  expect(await openQueue(ports, consumer)).toBe(result);
  expect([set, looks()]).toEqual([opened('at-1'), 1]);
});

test('a connection without a queue has none to open, to close or to repair', async () => {
  const { ports, set, looks } = scene(1);
  expect(await openQueue(ports, without)).toBe('gone');
  expect(await repairQueue(ports, without)).toBe('gone');
  await closeQueueTo(ports, without, () => true);
  expect([set, looks()]).toEqual([[], 0]);
});

test('a queue is closed to one role, and to all if AWS does not know another', async () => {
  const isMeant = (roleArn: string) => roleArn === arn('one');
  const known = scene(1);
  await closeQueueTo(known.ports, consumer, isMeant);
  expect(known.set).toEqual([['queue.fifo', ['at-1']]]);
  const unknown = scene(1, ['refused']);
  await closeQueueTo(unknown.ports, consumer, isMeant);
  expect(unknown.set).toEqual([
    ['queue.fifo', ['at-1']],
    ['queue.fifo', []],
  ]);
});

test('a policy names the version of its language and each of its statements', () => {
  const facts = { queueArn: 'arn:aws:sqs:eu-west-1:1:q', busRoles: arn('bus/*') };
  const summary = (readers: readonly string[]) => {
    const { Version, Statement } = queuePolicy({ ...facts, readers });
    return [Version, ...Statement.map(({ Sid, Effect }) => `${Effect} ${Sid}`)];
  };
  const denied = [
    'Deny OnlyTheBusSends',
    'Deny OnlyTheBusAndVerifiedRolesRead',
    'Deny OnlyOverTls',
  ];
  expect(summary([])).toEqual(['2012-10-17', ...denied]);
  expect(summary([arn('one')])).toEqual(['2012-10-17', ...denied, 'Allow VerifiedRolesRead']);
});

test('a policy refuses whatever comes without TLS', () => {
  const facts = { queueArn: 'arn:aws:sqs:eu-west-1:1:q', busRoles: arn('bus/*'), readers: [] };
  expect(queuePolicy(facts).Statement[2]).toEqual({
    Sid: 'OnlyOverTls',
    Effect: 'Deny',
    Principal: '*',
    Resource: 'arn:aws:sqs:eu-west-1:1:q',
    Action: 'sqs:*',
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  });
});

test('a queue is repaired by opening it; one whose roles AWS does not know is closed to all', async () => {
  const known = scene(1);
  expect(await repairQueue(known.ports, consumer)).toBe('set');
  expect(known.set).toEqual(opened('at-1'));
  const unknown = scene(1, ['refused']);
  expect(await repairQueue(unknown.ports, consumer)).toBe('refused');
  expect(unknown.set).toEqual([...opened('at-1'), ['queue.fifo', []]]);
});

test('a queue that could not be closed to all is an error', async () => {
  const { ports } = scene(1);
  const queueAdmin = {
    letRead: async (_: string, roles: readonly string[]) => {
      if (roles.length > 0) return 'refused' as const;
      throw new Error('SQS is away.');
    },
  };
  await expect(repairQueue({ ...ports, queueAdmin }, consumer)).rejects.toThrow('SQS is away.');
  const isMeant = (roleArn: string) => roleArn === arn('one');
  await expect(closeQueueTo({ ...ports, queueAdmin }, consumer, isMeant)).rejects.toThrow(
    'SQS is away.',
  );
});
