import { randomUUID } from 'node:crypto';
import { producerPlan } from '../../../lib/checks/plans.ts';
import type { ReportResponse } from '../../../lib/contract/portal/checks.ts';
import type { Bus, connect, PulledMessage } from '../../../lib/kit/client/index.ts';
import { type RoleName, roleTable, systemOf } from '../../../lib/kit/newsroom/roles.ts';
import type { TestConnection } from '../../../lib/local/testing/api.ts';
import { openWorkspace, type Workspace } from '../../../lib/local/testing/workspace.ts';
import type { CheckedBus } from '../checked-bus.ts';
import { newsroomFeed, ownDay } from './newsroom-feed.ts';
import { ruleOf } from './newsroom-rules.ts';
import { timeoutOn, whileTimePasses } from './passing-time.ts';
import { Disk, type referenceSystem } from './reference-system.ts';

/** What is needed of a system, which may have a fault. */
export interface SystemModules {
  readonly connect: typeof connect;
  readonly referenceSystem: typeof referenceSystem;
}

export const systemFiles = ['lib/kit/client/index.ts', 'test/checks/planted/reference-system.ts'];

/** What a run looks at: what the system receives and does because of it, or what it sends. */
export type Side = 'consumer' | 'producer';

interface SystemRun {
  readonly side: Side;
  /** None: all. */
  readonly cases?: readonly string[];
  /** Whether the run is told what the system is. */
  readonly hasRole?: boolean;
}

/** The process of the system is killed. */
class ProcessKilled extends Error {}

const isFatal = ({ message }: PulledMessage): boolean =>
  JSON.stringify(message).includes('Stop the consumer now');

/**
 * The two connections of a system, as its operator sees them: at the message of `delivery/crash`
 * the process is killed before its first reaction is out, and once more before it has acknowledged.
 */
const killable = (
  consumer: Pick<Bus, 'pull' | 'ack'>,
  producer: Pick<Bus, 'publish'>,
): Pick<Bus, 'pull' | 'ack' | 'publish'> => {
  let kills = 0;
  let inHand = new Set<string>();
  const kill = (): never => {
    kills += 1;
    throw new ProcessKilled();
  };
  return {
    pull: async asked => {
      const pulled = await consumer.pull(asked);
      const messages = pulled.outcome === 'pulled' ? pulled.messages : [];
      inHand = new Set(messages.filter(isFatal).map(({ receiptHandle }) => receiptHandle));
      return pulled;
    },
    publish: async (message, options) => {
      if (kills === 0 && inHand.size > 0) kill();
      return producer.publish(message, options);
    },
    ack: async (handles, options) => {
      if (kills === 1 && handles.some(handle => inHand.has(handle))) kill();
      return consumer.ack(handles, options);
    },
  };
};

/** How long a system works before the run has its turn. */
const turnMilliseconds = 3_000;

/** A system of the newsroom, which may have a fault, with connections of its own. */
const systemOn = async (
  bus: CheckedBus,
  workspace: Workspace,
  { modules, role }: { readonly modules: SystemModules; readonly role: RoleName },
) => {
  const { clock } = bus;
  const { system_id, system_type } = systemOf(role);
  const { grants, receives } = roleTable[role];
  const none = { systemIds: [], grants: [], receives: [], sources: [] };
  const consumer = await workspace.connect({ ...none, kind: 'consumer', app: system_id, receives });
  const producer = await workspace.connect({
    ...none,
    kind: 'producer',
    app: system_id,
    systemIds: [system_id],
    grants,
  });
  const now = () => clock.now();
  const sleep = async (milliseconds: number) => clock.turn(milliseconds);
  const client = modules.connect({
    ...producer.options,
    clientSecret: producer.secret,
    system: { system_id, system_type },
    outside: { now, sleep, timeout: timeoutOn(bus), random: () => 0.5 },
  });
  let taken = 0;
  const counted: Pick<Bus, 'pull' | 'ack'> = {
    ack: consumer.ack,
    pull: async asked => {
      const pulled = await consumer.pull(asked);
      if (pulled.outcome === 'pulled') taken += pulled.messages.length;
      return pulled;
    },
  };
  const connections = killable(counted, client);
  const disk = new Disk();
  const start = () =>
    modules.referenceSystem({
      consumer: connections,
      producer: connections,
      rule: ruleOf(role),
      disk,
      now,
      newId: randomUUID,
      sleep,
    });
  let system = start();
  const turn = async (): Promise<void> => {
    try {
      await system.turn();
    } catch (fault) {
      if (!(fault instanceof ProcessKilled)) throw fault;
      system = start();
    }
  };
  return {
    consumer: consumer.id,
    producer: producer.id,
    publish: (text: string) => whileTimePasses(bus, system.publish(text)),
    /** Takes what waits. */
    async work(): Promise<void> {
      const end = now() + turnMilliseconds;
      let before: number;
      do {
        before = taken;
        await whileTimePasses(bus, turn());
      } while (taken > before && now() < end);
    },
  };
};

/** What a producer is asked for in every run, but for what its operator would have to bring about. */
export const producedCases: readonly string[] = producerPlan()
  .map(({ id }) => id)
  .filter(id => !['retries/secret-rotated', 'refusals/no-blind-repeat'].includes(id));

/** What a system does with what it receives, in few messages and a few minutes. */
export const receivedCases: readonly string[] = [
  ...['messages', 'later-versions', 'delivery/duplicate', 'delivery/order'],
  ...['delivery/in-time', 'delivery/nothing-left', 'delivery/crash', 'reactions'],
];

const feedOf = (workspace: Workspace): Promise<TestConnection> =>
  workspace.connect({
    ...{ kind: 'producer', app: 'feed', systemIds: ['feed'], grants: ['*'] },
    ...{ receives: [], sources: [] },
  });

/** Runs cases on a system of the newsroom, which may have a fault, on a whole bus. */
export const systemCheckedOnBus = async (
  bus: CheckedBus,
  modules: SystemModules,
  { role, side, cases = [], hasRole = false }: SystemRun & { readonly role: RoleName },
): Promise<ReportResponse> => {
  // Its stories begin anew each time.
  const workspace = await openWorkspace(bus.service, bus.clock, 'high');
  const system = await systemOn(bus, workspace, { modules, role });
  const { consumer, producer } = system;
  const asked = { cases, ...(hasRole && { role }) };
  if (side === 'consumer') {
    const id = await bus.begin({ kind: 'consumer', consumer, producer, ...asked });
    return bus.finish(id, system);
  }
  const feeder = await feedOf(workspace);
  const feed = newsroomFeed(feeder, () => bus.clock.now(), roleTable[role].receives);
  const id = await bus.begin({ kind: 'producer', producer, ...asked });
  let day = ownDay(role);
  return bus.finish(id, {
    async work() {
      for (const message of day) await system.publish(JSON.stringify(message));
      day = [];
      await feed.publishStory();
      await system.work();
    },
  });
};
