import type { IssuedConnection } from '../app/registry/connections.ts';
import type { Declined } from '../app/registry/declined.ts';
import type { RegistryPorts } from '../app/registry/registry-ports.ts';
import type { CommandContext } from './command-context.ts';
import { Refused } from './exit-codes.ts';
import { printRecord } from './print.ts';
import { connectionRecord } from './records.ts';

/** A connection with its secret, which is never shown again. */
export const printIssued =
  ({ terminal }: CommandContext, ports: RegistryPorts, json: boolean) =>
  (result: IssuedConnection | Declined): void => {
    if (result.kind === 'declined') throw new Refused(result.reason);
    const { connection_id, ...rest } = {
      connection_id: result.connection.id,
      ...connectionRecord(result.connection, ports.queueAdmin.url),
    };
    printRecord(terminal, { connection_id, client_secret: result.clientSecret, ...rest }, json);
  };
