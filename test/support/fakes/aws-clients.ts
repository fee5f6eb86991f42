import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Table } from '../../../lib/platform/aws/table.ts';

/** How a fake service answers a command of its SDK client. */
type Response = (
  command: { readonly input: object },
  options?: { readonly abortSignal?: AbortSignal },
) => unknown;

/** A new SDK client of a kind that asks nobody but `send`. */
export const answering = <Client extends object>(
  Kind: new (config: { readonly region: string }) => Client,
  send: Response,
): Client =>
  Object.assign(new Kind({ region: 'eu-west-1' }), {
    send: async (...call: Parameters<Response>) => send(...call),
  });

/** A table whose client asks nobody but `send`. */
export const tableAnswering = (send: Response): Table => ({
  name: 'registry',
  client: answering(DynamoDBClient, send),
});
