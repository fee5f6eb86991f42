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

/**
 * A table that gives these answers in turn, and throws those that are errors; and what it was asked:
 * the command and its input. After the last answer it knows nothing.
 */
export const tableInTurn = (...answers: readonly object[]) => {
  const asked: (readonly [command: string, input: object])[] = [];
  const left = [...answers];
  const table = tableAnswering(command => {
    asked.push([command.constructor.name, command.input]);
    const answer = left.shift() ?? {};
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return { table, asked };
};
