import { randomUUID } from 'node:crypto';
import { isDeclined } from '../../lib/access/registry/declined.ts';
import { raiseLimit } from '../../lib/access/registry/quotas.ts';
import { reportOfRun } from '../../lib/checks/reports/report.ts';
import { type StartRequest, startRun } from '../../lib/checks/start.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { ReportResponse } from '../../lib/contract/portal/checks.ts';
import { makeReady, reactionTo } from '../../lib/kit/executor/evaluate.ts';
import { Memory } from '../../lib/kit/executor/memory.file.ts';
import { FaultInjector } from '../../lib/local/faults.ts';
import type { TestConnection } from '../../lib/local/testing/api.ts';
import { TurnableClock } from '../../lib/local/testing/clock.ts';
import { startTestService } from '../../lib/local/testing/test-service.ts';
import { openWorkspace } from '../../lib/local/testing/workspace.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { linkCommitted } from '../support/messages.ts';

/** An executor in a test's hands: it works when the test says so. */
export interface HandExecutor {
  /** Reads its registrations. */
  learn(): Promise<void>;
  /** Takes what is in its queue, reacts and acknowledges it. */
  work(): Promise<void>;
}

/**
 * What a test changes in the messages of the reference executor: the texts that it sends instead.
 */
export type Change = (texts: readonly string[]) => readonly string[];

/** The reference executor without its loop. */
export const handExecutor = (
  consumer: TestConnection,
  producer: TestConnection,
  change: Change = texts => texts,
): HandExecutor => {
  const memory = new Memory(consumer.id);
  let instances: readonly ReturnType<typeof makeReady>[] = [];
  return {
    async learn() {
      const read = await consumer.registrations();
      if (read.outcome !== 'registrations')
        throw new Error(`The registrations were ${read.outcome}.`);
      instances = read.registrations.map(({ skillId, skillVersion, instanceLabel, values }) =>
        makeReady({ skillId, skillVersion, label: instanceLabel, values }),
      );
    },
    async work() {
      for (;;) {
        const pulled = await consumer.pull({ wait: 0 });
        if (pulled.outcome !== 'pulled' || pulled.messages.length === 0) return;
        for (const { message, receiptHandle } of pulled.messages) {
          const { texts } = reactionTo(message, {
            memory,
            instances,
            compose: (cause, declared) =>
              producer.compose({
                message_type: 'skill.warning.raised',
                cause,
                payload: { warning_id: randomUUID(), ...declared },
              }),
          });
          for (const text of change(texts)) await producer.publish(text);
          await consumer.ack([receiptHandle]);
        }
      }
    },
  };
};

const nothing = { systemIds: [], grants: [], receives: [], sources: [] };
const executorReceives = ['story.context', 'telling.*', 'skill.warning.raised'];

/**
 * A bus in this process with the two connections of an executor, whose clock only the test turns.
 */
export const checkedBus = async () => {
  const clock = new TurnableClock();
  const faults = new FaultInjector(clock);
  const service = await startTestService({ limits: false, clock, faults, print: () => undefined });
  const workspace = await openWorkspace(service, clock, 'high');
  const ports = operatorPorts(service.env);
  const registry = ports;
  const place = await registry.directory.find('workspace', workspace.id);
  const organisation = place?.kind === 'workspace' ? place.organisation : '';
  // Tests start many runs side by side.
  await raiseLimit(registry, { bound: 'runs', organisation }, 100);
  await raiseLimit(registry, { bound: 'runs', organisation, workspace: workspace.id }, 100);
  const connect = (kind: 'consumer' | 'producer', more: Partial<typeof nothing> | object = {}) => {
    const app = workspace.newApp();
    const lists =
      kind === 'producer' ? { systemIds: [app], grants: ['*'] } : { receives: executorReceives };
    return workspace.connect({ ...nothing, ...lists, kind, app, ...more });
  };
  const report = async (id: string): Promise<ReportResponse> => {
    const run = await ports.checkRuns.find(id);
    if (!run) throw new Error(`There is no run ${id}.`);
    return reportOfRun(run, await ports.checkRuns.seen(id));
  };
  return {
    service,
    clock,
    ports,
    registry,
    organisation,
    workspace,
    connect,
    /** The connections of an executor, and the reference executor with them. */
    async pair(change?: Change) {
      const [consumer, producer] = [await connect('consumer'), await connect('producer')];
      return { consumer, producer, executor: handExecutor(consumer, producer, change) };
    },
    report,
    /** Publishes an ordinary message of a producer. Resolves with its message_id. */
    async publishLink(producer: TestConnection, correlation_id = ''): Promise<string> {
      const [system_id = ''] =
        (await ports.connections.find(producer.id))?.connection.systemIds ?? [];
      const message_id = randomUUID();
      const originating_system = { system_id, system_type: 'custom' };
      const message = { ...linkCommitted({ message_id, correlation_id }), originating_system };
      await producer.publish(JSON.stringify(message));
      return message_id;
    },
    start: (request: StartRequest) => startRun(ports, request, 'operator'),
    /** Starts a run and lets every process know of it. */
    async begin(request: StartRequest): Promise<string> {
      const run = await startRun(ports, request, 'operator');
      if (isDeclined(run)) throw new Error(run.reason);
      clock.turn((limits.registryCacheSeconds + 1) * 1000);
      await service.runJobs();
      return run.id;
    },
    /** Lets an executor work, and time pass, until the run is over. */
    async finish(id: string, executor: Pick<HandExecutor, 'work'>): Promise<ReportResponse> {
      for (let turns = 0; turns < 500; turns += 1) {
        await service.runJobs();
        await executor.work();
        const now = await report(id);
        if (now.status !== 'running') return now;
        clock.turn(3000);
      }
      throw new Error(`The run ${id} does not end.`);
    },
    close: () => service.close(),
  };
};

export type CheckedBus = Awaited<ReturnType<typeof checkedBus>>;

/** The bus that all tests of a file share; it is there in hooks and tests. */
export const checkedBusHere = (): CheckedBus => {
  let bus: CheckedBus;
  beforeAll(async () => {
    bus = await checkedBus();
  });
  afterAll(() => bus.close());
  return new Proxy({} as CheckedBus, { get: (_none, name) => Reflect.get(bus, name) });
};
