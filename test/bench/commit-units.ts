import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { awsLedger } from '../../lib/bus/delivery/ledger.dynamodb.ts';
import { awsLog } from '../../lib/bus/delivery/log.dynamodb.ts';
import { emptyHead, newLease } from '../../lib/bus/delivery/log.ts';
import { localEnv, localTables } from '../../lib/local/env.ts';
import { createTables } from '../../lib/local/provision.ts';
import { clientConfig } from '../../lib/platform/aws/clients.ts';
import { countingProxy } from '../../scripts/counting-proxy.ts';
import { startLocalAws } from '../support/local-aws.ts';

/** Write units of one commit with its closing update, as the engine counts them. */
export const writeUnits = async (
  bodies: readonly (readonly [string, Buffer])[],
): Promise<readonly string[]> => {
  const aws = await startLocalAws();
  const proxy = await countingProxy(aws.endpoints.dynamodb);
  const env = localEnv('http://127.0.0.1', {
    dynamodb: proxy.endpoint,
    sqs: '',
    kms: '',
    cloudwatch: '',
  });
  await createTables(env, localTables);
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  const table = { client, name: localTables.ledger };
  const clock = { now: () => Date.now(), sleep: async () => undefined };
  const [ledger, log] = [awsLedger(table, { clock, archiveDays: 30 }), awsLog(table)];
  const rows: string[] = [];
  for (const [name, body] of bodies) {
    const lease = newLease('bench', clock.now());
    const entry = {
      workspace: 'w222222222222',
      correlationId: randomUUID(),
      number: 1,
      messageId: randomUUID(),
      messageType: 'story.context',
      systemId: 'demo-ncs',
      producer: 'c222222222222',
      acceptedAt: clock.now(),
      targets: [{ connection: 'c333333333333', queue: 'sombus-c333333333333.fifo' }],
      body,
    };
    proxy.empty();
    await ledger.commit({
      entry,
      bodyHash: 'h'.repeat(43),
      attempt: 'bench',
      head: emptyHead,
      lease,
    });
    const commit = proxy.counts.writeUnits;
    await log.release(entry, lease, {
      published: 1,
      unsentSince: entry.acceptedAt,
      dueAt: entry.acceptedAt,
    });
    const raw = 2 * Math.ceil(body.length / 1024);
    const numbers = [commit, proxy.counts.writeUnits - commit, proxy.counts.writeUnits, raw];
    rows.push([name.padEnd(44), ...numbers.map(number => String(number).padStart(9))].join(' '));
  }
  client.destroy();
  proxy.close();
  await aws.close();
  return rows;
};
