import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { resourceNames, tableVars } from '../../lib/contract/environments.ts';
import { tableNames } from '../../lib/contract/tables.ts';
import { localEnv } from '../../lib/local/env.ts';
import { createTables } from '../../lib/local/provision.ts';
import { clientConfig } from '../../lib/platform/aws/clients.ts';
import type { Table } from '../../lib/platform/aws/table.ts';
import { startLocalAws } from './local-aws.ts';

/**
 * The environment `preview` on local engines, as the variables of the shell name it while the tests
 * of a file run.
 */
export const previewHere = () => {
  const outer = { ...process.env };
  const { table } = resourceNames('preview');
  const names = {
    registry: table('registry'),
    ledger: table('ledger'),
    activity: table('activity'),
    sessions: table('sessions'),
  };
  let aws: Awaited<ReturnType<typeof startLocalAws>>;
  let registry: Table;
  beforeAll(async () => {
    aws = await startLocalAws();
    const env = localEnv('http://127.0.0.1', aws.endpoints);
    await createTables(env, names);
    registry = { client: new DynamoDBClient(clientConfig(env, 'DYNAMODB')), name: names.registry };
    Object.assign(process.env, {
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 's',
      AWS_ENDPOINT_URL_DYNAMODB: aws.endpoints.dynamodb,
      SOMBUS_ORIGIN: 'https://bus.example',
      // Named here: a deployed environment would be asked for them.
      ...Object.fromEntries(tableNames.map(name => [tableVars[name], names[name]])),
    });
  });
  afterAll(async () => {
    process.env = outer;
    await aws.close();
  });
  return { registry: () => registry, endpoints: () => aws.endpoints };
};
