import { isDeclined } from '../../../lib/access/registry/declined.ts';
import { rotateSecret } from '../../../lib/access/registry/secrets.ts';
import { producerPlan } from '../../../lib/checks/plans.ts';
import type { ReportResponse } from '../../../lib/contract/portal/checks.ts';
import type { connect, NoResponse } from '../../../lib/kit/client/index.ts';
import { openWorkspace } from '../../../lib/local/testing/workspace.ts';
import type { CheckedBus } from '../checked-bus.ts';
import { timeoutOn, whileTimePasses } from './passing-time.ts';
import type { referenceProducer } from './reference-producer.ts';

/** What is needed of a producer, which may have a fault. */
export interface ProducerModules {
  readonly connect: typeof connect;
  readonly NoResponse: typeof NoResponse;
  readonly referenceProducer: typeof referenceProducer;
}

export const producerFiles = [
  'lib/kit/client/index.ts',
  'test/checks/planted/reference-producer.ts',
];

const wantedTypes = [
  'delivery.media_available',
  'link.committed',
  'link.withdrawn',
  'story.context',
  'system.audit',
  'telling.ended',
  'telling.started',
];

/** Its operator needs some minutes to bring a new secret. */
const operatorMilliseconds = 600_000;

/**
 * A producer, which may have a fault, on a whole bus: whatever it waits for, the bus's clock turns
 * on.
 */
const producerOn = async (bus: CheckedBus, modules: ProducerModules) => {
  // Its story begins anew each time.
  const workspace = await openWorkspace(bus.service, bus.clock, 'high');
  const lists = { systemIds: ['desk'], grants: ['*'], receives: [], sources: [] };
  const connection = await workspace.connect({ kind: 'producer', app: 'desk', ...lists });
  let [secret, broughtAt] = [connection.secret, Number.POSITIVE_INFINITY];
  let next = secret;
  const now = () => bus.clock.now();
  const sleep = async (milliseconds: number) => bus.clock.turn(milliseconds);
  const producer = modules.referenceProducer({
    connect: modules.connect,
    NoResponse: modules.NoResponse,
    secret: () => {
      if (now() > broughtAt) secret = next;
      return secret;
    },
    options: {
      ...connection.options,
      system: { system_id: 'desk', system_type: 'ncs' },
      outside: { now, sleep, timeout: timeoutOn(bus), random: () => 0.5 },
    },
    now,
    sleep,
  });
  return {
    id: connection.id,
    day: () => whileTimePasses(bus, producer.work().then(producer.slip)),
    next: () => whileTimePasses(bus, producer.next()),
    /** Gives it a new secret; the old one ends at once. */
    async rotate(): Promise<void> {
      const issued = await rotateSecret(bus.registry, connection.id, { overlapSeconds: 0 });
      if (isDeclined(issued)) throw new Error(issued.reason);
      next = issued.clientSecret;
      broughtAt = now() + operatorMilliseconds;
    },
  };
};

export const rotated = 'retries/secret-rotated';
/** A case that waits for as long as nothing is published. */
const waiting = 'retries/lost-answer';

const allCases = producerPlan(wantedTypes)
  .map(({ id }) => id)
  .filter(id => id !== rotated);

/**
 * Runs cases on a producer, which may have a fault, on a whole bus. The one about a rotated secret
 * is run by itself.
 */
export const producerCheckedOnBus = async (
  bus: CheckedBus,
  modules: ProducerModules,
  cases: readonly string[] = allCases,
): Promise<ReportResponse> => {
  const producer = await producerOn(bus, modules);
  const isRotated = cases.includes(rotated);
  const id = await bus.begin({
    kind: 'producer',
    producer: producer.id,
    messageTypes: wantedTypes,
    cases: isRotated ? [rotated, waiting] : cases,
  });
  if (isRotated) await producer.rotate();
  let hasWorked = false;
  const report = await bus.finish(id, {
    async work() {
      await (hasWorked ? producer.next() : producer.day());
      hasWorked = true;
    },
  });
  return { ...report, cases: report.cases.filter(({ case_id }) => cases.includes(case_id)) };
};
