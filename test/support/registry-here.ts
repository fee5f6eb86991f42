import { randomBytes } from 'node:crypto';
import type { Connection, Credential } from '../../lib/access/registry/connection.ts';
import { connectionItem, credentialItem } from '../../lib/access/registry/items.dynamodb.ts';
import { awsRegistry } from '../../lib/access/registry/registry.dynamodb.ts';
import type { Registry } from '../../lib/access/registry/registry.ts';
import type { TableName } from '../../lib/contract/tables.ts';
import { putItem } from '../../lib/platform/aws/table.ts';
import { type OperatorPorts, operatorPorts } from '../../lib/wiring/operator.ts';
import { frozenClock } from './identity-fakes.ts';
import { tablesHere } from './local-aws.ts';

let people = 0;

/** Somebody whom nothing knows yet. */
export const newPerson = () => {
  people += 1;
  return { issuer: 'https://idp.example', subject: `sub-${people}`, name: `Person ${people}` };
};

/**
 * The registry of a file's tests on engines in this process, as commands and functions use it;
 * there in hooks and tests.
 */
export const registryHere = () => {
  const tables = tablesHere();
  const clock = frozenClock();
  let ports: OperatorPorts;
  beforeAll(() => {
    ports = { ...operatorPorts(tables.env()), clock, ids: { random: bytes => randomBytes(bytes) } };
  });
  return {
    clock,
    ports: () => ports,
    table: (name: TableName = 'registry') => tables.table(name),
    /** Stores a connection as it is, in the place of the one with its id. */
    async keep(connection: Connection, credential: Credential = { version: 1 }): Promise<void> {
      const items = [connectionItem(connection), credentialItem(connection.id, credential)];
      for (const Item of items) await putItem(tables.table('registry'), { Item });
    },
    /** The registry as functions read it, but remembering nothing. */
    registry: (): Registry => ({
      ...awsRegistry(tables.table('registry'), clock),
      connection: async id => (await ports.connections.find(id))?.connection,
    }),
  };
};
