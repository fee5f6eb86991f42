import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { awsConnections } from '../../lib/registry/connections.dynamodb.ts';
import { producer } from '../corpus/connections.ts';
import { tableAnswering } from '../support/fakes/aws-clients.ts';

const connection = producer({ id: 'c1', systemIds: ['first', 'second'] });
const credential = { version: 1 };

/** A table whose transactions fail by the condition of one of their writes. */
const failingAt = (failed: number) =>
  awsConnections(
    tableAnswering(() =>
      Promise.reject(
        new TransactionCanceledException({
          message: 'cancelled',
          $metadata: {},
          CancellationReasons: Array.from({ length: 5 }, (_, index) => ({
            Code: index === failed ? 'ConditionalCheckFailed' : 'None',
          })),
        }),
      ),
    ),
  );

describe('a new connection', () => {
  test.each([
    [0, 'first'],
    [1, 'second'],
  ])('whose claim %i fails is told that %s is owned', async (failed, owned) => {
    expect(await failingAt(failed).add(connection, credential)).toEqual({ owned });
  });

  test('whose own item is there already is an error', async () => {
    await expect(failingAt(2).add(connection, credential)).rejects.toThrow('cancelled');
  });
});

describe('a change of permissions', () => {
  const change = { systemIds: connection.systemIds };

  test.each([
    [0, { owned: 'first' }],
    [1, { owned: 'second' }],
    [2, 'gone'],
  ])('that fails at write %i', async (failed, outcome) => {
    expect(await failingAt(failed).setPermissions(connection, change)).toEqual(outcome);
  });

  test('of other lists fails only for a connection that is gone', async () => {
    expect(await failingAt(0).setPermissions(connection, { grants: ['*'] })).toBe('gone');
  });
});
