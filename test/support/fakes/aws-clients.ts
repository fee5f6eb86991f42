import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import type { Table } from '../../../lib/aws/table.ts';

/** How a fake service answers a command of its SDK client. */
export type Response = (command: unknown) => Promise<unknown>;

const place = { region: 'eu-west-1' };

/** A table whose client asks nobody but `send`. */
export const tableAnswering = (send: Response): Table => ({
  name: 'registry',
  client: Object.assign(new DynamoDBClient(place), { send }),
});

/** A client of KMS that asks nobody but `send`. */
export const kmsAnswering = (send: Response): KMSClient => Object.assign(new KMSClient(place), { send });
