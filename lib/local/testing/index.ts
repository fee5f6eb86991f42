import { noPermissions } from '../../access/registry/connection.ts';
import { FaultInjector, milliseconds } from '../faults.ts';
import type { BusOptions, TestBus } from './api.ts';
import { TurnableClock } from './clock.ts';
import { Inboxes } from './expectation.ts';
import { startTestService } from './test-service.ts';
import { applied, openWorkspace, wantedIn } from './workspace.ts';

// What `som-bus/testing` exports.
export type { Duration, Faults } from '../../contract/faults.ts';
export type {
  BusOptions,
  ConsumerOptions,
  Matcher,
  ProducerOptions,
  TestBus,
  TestConnection,
} from './api.ts';

/**
 * Starts a whole bus in this process, with a workspace of its own. Close it when the tests are
 * done.
 */
export const startBus = async (options: BusOptions = {}): Promise<TestBus> => {
  // The SDK's notice about future Node versions is for the project's maintainers, not for its
  // users.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { tier = 'high', print = () => undefined, limits: isLimited = false, folder } = options;
  // Before anything is started that would go on after an error.
  const wanted = options.connections === undefined ? [] : wantedIn(options.connections);
  const clock = new TurnableClock();
  const faults = new FaultInjector(clock);
  const place = folder === undefined ? {} : { folder };
  const service = await startTestService({ ...place, limits: isLimited, clock, faults, print });
  const workspace = await openWorkspace(service, clock, tier);
  const connection = await applied(workspace, wanted);
  const inboxes = new Inboxes(clock);
  return {
    baseUrl: service.baseUrl,
    portalUrl: service.portalUrl,
    workspace: workspace.id,
    producer({ systems, grants = ['*'], app = workspace.newApp() } = {}) {
      const systemIds = systems ?? [app];
      return workspace.connect({ ...noPermissions, kind: 'producer', app, systemIds, grants });
    },
    consumer({ receives = ['*'], sources = [], app = workspace.newApp() } = {}) {
      return workspace.connect({ ...noPermissions, kind: 'consumer', app, receives, sources });
    },
    connection,
    expect: (consumer, matcher, { within = '2s' } = {}) => inboxes.take(consumer, matcher, within),
    faults({ id }, given) {
      faults.set(id, given, workspace.kindOf(id));
    },
    clock: {
      now: () => new Date(clock.now()),
      async advance(duration) {
        clock.turn(milliseconds(duration));
        await service.runJobs();
      },
    },
    async reset() {
      faults.clear();
      inboxes.clear();
      await service.empty();
    },
    async close() {
      workspace.endClients();
      await service.close();
    },
  };
};
