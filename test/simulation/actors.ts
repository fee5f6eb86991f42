import type { Received } from '../../lib/consuming/receipts.ts';
import type { Settled } from '../../lib/consuming/settle.ts';
import type { Verdict } from '../../lib/publishing/verdict.ts';
import type { Connection } from '../../lib/registry/connection.ts';
import { type Draft, draftOf } from './messages.ts';
import type { NackWatch } from './nack-watch.ts';
import type { Observer } from './observer.ts';
import type { Plan } from './plan.ts';
import { type AllPorts, portsOf } from './ports-of.ts';
import { Crashed, type Process } from './process.ts';
import { useCases, type Variant } from './variant.ts';
import type { World } from './world.ts';

/** One run: the world, the service in it, and its observers. */
export interface Run {
  readonly world: World;
  readonly plan: Plan;
  readonly variant: Variant;
  readonly observer: Observer;
  readonly nacks: NackWatch;
}

/** One invocation of the service, in its own process. */
export const invoke = async <T>(
  { world, variant }: Run,
  kind: string,
  work: (ports: AllPorts, process: Process) => Promise<T>,
): Promise<T | 'no response'> => {
  const process = world.process(kind);
  const ports = portsOf(world, process);
  const served = work(variant.ports?.(ports, process, world) ?? ports, process);
  served.catch(() => undefined);
  const patience = world.scheduler.sleep(29_000).then(() => 'no response' as const);
  try {
    return await Promise.race([served, process.crashed, patience]);
  } catch (fault) {
    if (fault instanceof Crashed) return 'no response';
    throw fault;
  }
};

const use = ({ variant }: Run) => ({ ...useCases, ...variant.useCases });

/** One publish as a client sees it: a verdict, a fault (503, nothing was accepted) or nothing. */
const publishOnce = async (
  run: Run,
  producer: Connection,
  draft: Draft,
): Promise<Verdict | 'fault' | 'no response'> => {
  let name = '';
  const response = await invoke(run, 'publish', (ports, process) => {
    name = process.name;
    return use(run).publish(ports)(draft.body, producer);
  }).catch(() => 'fault' as const);
  run.world.trace(
    `${name} answers ${draft.messageId}: ${typeof response === 'string' ? response : response.kind === 'refused' ? response.violations[0].rule : response.kind}`,
  );
  run.observer.answered(draft, response, name);
  return response;
};

const isFinal = (response: Verdict | 'fault' | 'no response'): boolean => {
  if (typeof response === 'string') return false;
  if (response.kind !== 'refused') return true;
  const { rule } = response.violations[0];
  return rule !== 'bus.publish_failed' && rule !== 'registry.unavailable';
};

const maxTries = 40;

/** Sends a message until the service gives a verdict; sometimes twice at once, as impatient clients do. */
export const publishUntilDecided = async (run: Run, producer: Connection, draft: Draft): Promise<void> => {
  const { scheduler } = run.world;
  run.observer.submitted(draft);
  for (let tries = 1; tries <= maxTries; tries += 1) {
    if (scheduler.random.chance(0.15)) void publishOnce(run, producer, draft);
    const response = await publishOnce(run, producer, draft);
    if (isFinal(response)) return;
    await scheduler.sleep(200 + scheduler.random.below(3_000));
  }
  run.world.fail('liveness', `${draft.messageId} got no verdict in ${maxTries} tries`);
};

/** A producer sends its messages one by one; some are dry runs, and some are invalid. */
export const produce = async (run: Run, producer: Connection): Promise<void> => {
  const { world, plan, observer } = run;
  const { random } = world.scheduler;
  for (let count = 0; count < plan.messagesPerProducer; count += 1) {
    await world.scheduler.sleep(random.below(3_000));
    const draft = draftOf(world, random.below(plan.correlations));
    if (random.chance(0.1)) {
      observer.onlyValidated(draft);
      await invoke(run, 'validate', ports => use(run).validate(ports)(draft.body, producer)).catch(
        () => undefined,
      );
      continue;
    }
    await publishUntilDecided(run, producer, draft);
  }
};

const maxNacks = 6;

/** Nacks messages until there is a response; 'no response' when there never was one. */
const giveBack = async (
  run: Run,
  consumer: Connection,
  nack: { readonly handles: readonly string[]; readonly delaySeconds: number },
): Promise<Settled | 'no response'> => {
  const { scheduler } = run.world;
  for (let tries = 1; tries <= maxNacks; tries += 1) {
    const result = await invoke(run, 'nack', ports =>
      use(run).release(ports)(consumer, nack.handles, nack.delaySeconds),
    ).catch(() => 'no response' as const);
    if (result !== 'no response') return result;
    await scheduler.sleep(100 + scheduler.random.below(1_000));
  }
  return 'no response';
};

const settle = async (run: Run, consumer: Connection, received: readonly Received[]): Promise<void> => {
  const { world, nacks } = run;
  const { random } = world.scheduler;
  const handles = received.map(({ receiptHandle }) => receiptHandle);
  const act = random.next();
  if (act < 0.1) return; // forgotten: visible again later
  const nacked = act < 0.3 ? handles.filter(() => random.chance(0.3)) : [];
  if (nacked.length > 0) {
    const nack = { handles: nacked, delaySeconds: random.pick([0, 0, 5]) };
    nacks.asks(received, nacked);
    const result = await giveBack(run, consumer, nack);
    if (result !== 'no response') {
      nacks.answered('nack', result);
      nacks.nacked(consumer, received, result.ok);
      nacks.givenBack(consumer, received, nack);
    }
  }
  const rest = handles.filter(handle => !nacked.includes(handle));
  if (rest.length > 0) await ackOnce(run, { consumer, received, handles: rest });
  if (random.chance(0.3)) await reuse(run, consumer, received);
};

const ackOnce = async (
  run: Run,
  {
    consumer,
    received,
    handles,
  }: {
    readonly consumer: Connection;
    readonly received: readonly Received[];
    readonly handles: readonly string[];
  },
): Promise<void> => {
  const result = await invoke(run, 'ack', ports => use(run).acknowledge(ports)(consumer, handles)).catch(
    () => 'no response' as const,
  );
  if (result === 'no response') return;
  run.nacks.acknowledged(consumer, received, result.ok);
  run.nacks.answered('ack', result);
};

/** Sends handles again that are used already, as a confused consumer does. */
const reuse = async (run: Run, consumer: Connection, received: readonly Received[]): Promise<void> => {
  const { world, nacks } = run;
  const { random } = world.scheduler;
  const handles = received
    .map(({ receiptHandle }) => receiptHandle)
    .filter((_, index) => index === 0 || random.chance(0.4));
  if (random.chance(0.5)) return ackOnce(run, { consumer, received, handles });
  const before = nacks.hidden(consumer, received);
  nacks.asks(received, handles);
  const result = await invoke(run, 'nack', ports => use(run).release(ports)(consumer, handles, 0)).catch(
    () => 'no response' as const,
  );
  if (result === 'no response') return;
  nacks.answered('nack', result);
  if (result.ok.length === 0) nacks.failed(consumer, before);
  else nacks.nacked(consumer, received, result.ok);
};

/** A consumer pulls, and acks, nacks or forgets what it got, until the run is over. */
export const consume = async (run: Run, consumer: Connection, isOver: () => boolean): Promise<void> => {
  const { world, observer } = run;
  const { random } = world.scheduler;
  while (!isOver()) {
    await world.scheduler.sleep(300 + random.below(2_500));
    const options = { max: 1 + random.below(10), waitSeconds: 0, visibilitySeconds: 10 + random.below(30) };
    const received = await invoke(run, 'pull', ports => use(run).pull(ports)(consumer, options)).catch(
      () => [],
    );
    if (typeof received === 'string' || received.length === 0) continue;
    observer.received(consumer, received);
    await settle(run, consumer, received).catch(() => undefined);
  }
};

/** The relay's schedule: sometimes two runs at once. */
export const relayOnce = async (run: Run): Promise<void> => {
  const one = () =>
    invoke(run, 'relay', ports => use(run).relay(ports)(ports.clock.now() + 25_000)).catch(() => undefined);
  await Promise.all(Array.from({ length: run.plan.relaysAtOnce }, one));
};

export const replayOnce = (run: Run): Promise<unknown> =>
  invoke(run, 'replay', ports => use(run).runReplays(ports)(ports.clock.now() + 20_000)).catch(
    () => undefined,
  );
