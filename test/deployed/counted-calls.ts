import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../../lib/kit/client/index.ts';
import { linkCommitted } from '../support/messages.ts';
import { decisionsIn, sessionOf } from './rights.ts';
import { environment, root } from './tools.ts';
import type { Run, World } from './world.ts';

/** What IAM calls the calls that docs/cost.md counts. */
const actions = {
  BatchGetItem: 'dynamodb:BatchGetItem',
  BatchWriteItem: 'dynamodb:BatchWriteItem',
  UpdateItem: 'dynamodb:UpdateItem',
  ReceiveMessage: 'sqs:ReceiveMessage',
  DeleteMessageBatch: 'sqs:DeleteMessage',
} as const;

type Counted = Readonly<Record<string, number>>;

/** The table of a pull of one message and of its ack. */
const counted = (): { readonly pull: Counted; readonly ack: Counted } => {
  const page = readFileSync(join(root, 'docs/cost.md'), 'utf8');
  const [, table = ''] = /\| call \| pull \| ack \|\n.*\n((?:\|.*\n)+)/.exec(page) ?? [];
  const rows = table.split('\n').flatMap(line => {
    const [, name, pull, ack] = /^\| (\w+) \| (\d+) \| (\d+) \|$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, Number(pull), Number(ack)] as const];
  });
  assert.ok(rows.length > 0, 'docs/cost.md has no table of calls.');
  return {
    pull: Object.fromEntries(rows.map(([name, pull]) => [name, pull])),
    ack: Object.fromEntries(rows.map(([name, , ack]) => [name, ack])),
  };
};

/** The same calls ask AWS for as much as on the local engines, where the costs are counted. */
export const countedCalls = async ({ checks, decisions }: Run, world: World): Promise<void> => {
  const { baseUrl, workspace } = world;
  const clientOf = ({ client_id, client_secret }: World['producer']) =>
    connect({
      ...{ baseUrl, workspace, clientId: client_id, clientSecret: client_secret },
      deadline: 20_000,
    });
  const [producer, consumer] = [clientOf(world.producer), clientOf(world.consumer)];
  const pull = async (wait: number): Promise<readonly string[]> => {
    const pulled = await consumer.pull({ max: 10, wait });
    assert.equal(pulled.outcome, 'pulled', JSON.stringify(pulled));
    return 'messages' in pulled ? pulled.messages.map(one => one.receiptHandle) : [];
  };
  const settle = async (handles: readonly string[]) => {
    if (handles.length > 0) await consumer.ack(handles);
  };
  const askedBy = async (name: 'pull' | 'ack', work: () => Promise<unknown>) => {
    const before = decisionsIn(decisions).length;
    await work();
    const made = decisionsIn(decisions)
      .slice(before)
      .filter(one => sessionOf(one) === `sombus-${environment}-${name}`);
    const count = (action: string) => made.filter(one => one.action === action).length;
    return Object.fromEntries(
      Object.keys(counted()[name]).map(call => [
        call,
        count(actions[call as keyof typeof actions]),
      ]),
    );
  };
  await checks.check(
    'a pull of one message and its ack cost what docs/cost.md counts',
    async () => {
      for (let handles = await pull(0); handles.length > 0; handles = await pull(0))
        await settle(handles);
      const message = linkCommitted({ timestamp: new Date().toISOString() });
      const verdict = await producer.publish(JSON.stringify(message));
      assert.equal(verdict.outcome, 'accepted', JSON.stringify(verdict));
      let handles: readonly string[] = [];
      const asked = {
        pull: await askedBy('pull', async () => {
          handles = await pull(20);
        }),
        ack: await askedBy('ack', () => settle(handles)),
      };
      assert.deepEqual(asked, counted());
    },
  );
};
