import type { Recorder } from '../../lib/activity/records.ts';
import type { WaitingPolls } from '../../lib/consuming/pull.ts';
import type { Inbox, Receipts } from '../../lib/consuming/receipts.ts';
import type { Clock, Ids } from '../../lib/contract/outside.ts';
import type { Ledger, Log } from '../../lib/delivery/log.ts';
import type { Queues } from '../../lib/delivery/queues.ts';
import type { Backlog, RelayMetrics } from '../../lib/delivery/relay.ts';
import type { Registry } from '../../lib/registry/registry.ts';
import type { Archive, Replays } from '../../lib/replay/replay.ts';
import { pollsInMemory } from '../support/fakes/polls.ts';
import { backlogPort, ledgerPort, logPort, registryPort } from './log-ports.ts';
import type { Process } from './process.ts';
import { archivePort, inboxPort, queuesPort, receiptsPort, replaysPort } from './queue-ports.ts';
import type { World } from './world.ts';

/** Every port there is, as one process sees them. */
export interface AllPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly registry: Registry;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly backlog: Backlog;
  readonly archive: Archive;
  readonly replays: Replays;
  readonly queues: Queues;
  readonly inbox: Inbox;
  readonly receipts: Receipts;
  readonly polls: WaitingPolls;
  readonly recorder: Recorder;
  readonly metrics: RelayMetrics;
}

/** The ports of one process. */
export const portsOf = (world: World, process: Process): AllPorts => ({
  clock: { now: () => process.now(), sleep: milliseconds => process.sleep(milliseconds) },
  ids: { random: bytes => world.scheduler.random.bytes(bytes) },
  metrics: { report: () => undefined },
  // A record is no part of what is simulated: it never fails a call.
  recorder: { record: async () => undefined },
  registry: registryPort(world, process),
  ledger: ledgerPort(world, process),
  log: logPort(world, process),
  backlog: backlogPort(world, process),
  archive: archivePort(world, process),
  replays: replaysPort(world, process),
  queues: queuesPort(world, process),
  inbox: inboxPort(world, process),
  receipts: receiptsPort(world, process),
  // Simulated pulls do not wait.
  polls: pollsInMemory(process),
});
