import type { Connection } from '../domain/registry/connection.ts';
import type { Queues, Received, ReceiveOptions } from '../ports.ts';

/** The next messages of a consumer's queue: each stays invisible for `visibilitySeconds`. */
export const pull =
  (ports: { readonly queues: Queues }) =>
  async (connection: Connection, options: ReceiveOptions): Promise<readonly Received[]> =>
    connection.queue === undefined ? [] : ports.queues.receive(connection.queue, options);
