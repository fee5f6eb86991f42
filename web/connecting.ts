import { ConnectionPage } from './connections/connection-page.tsx';
import { ConnectionsPage } from './connections/connections-page.tsx';
import { MakePage } from './connections/make-page.tsx';
import { ExecutorPage } from './executor/executor-page.tsx';
import { QueuePage } from './queue/queue-page.tsx';

/** The pages about connections and their queues, which come together: few files are quicker than many. */
export const connecting = {
  connection: ConnectionPage,
  connections: ConnectionsPage,
  makeConnection: MakePage,
  executor: ExecutorPage,
  queue: QueuePage,
};
