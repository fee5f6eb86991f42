import type { Connection } from '../../lib/access/registry/connection.ts';
import type { Received } from '../../lib/bus/consuming/receipts.ts';
import type { Verdict } from '../../lib/bus/publishing/verdict.ts';
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
  isOver: boolean;
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

/** The same; an error is no response either. */
const ask = <T>(
  run: Run,
  kind: string,
  work: (ports: AllPorts) => Promise<T>,
): Promise<T | 'no response'> => invoke(run, kind, work).catch(() => 'no response' as const);

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
  const told = typeof response === 'string' ? response : response.kind;
  run.world.trace(`${name} answers ${draft.messageId}: ${told}`);
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

/**
 * Sends a message until the service gives a verdict; sometimes twice at once, as impatient clients
 * do.
 */
export const publishUntilDecided = async (
  run: Run,
  producer: Connection,
  draft: Draft,
): Promise<void> => {
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
      await ask(run, 'validate', ports => use(run).validate(ports)(draft.body, producer));
      continue;
    }
    await publishUntilDecided(run, producer, draft);
  }
};

/** What a consumer got in one pull. */
interface Pulled {
  readonly consumer: Connection;
  readonly received: readonly Received[];
}

const nackOnce = (run: Run, consumer: Connection, handles: readonly string[], delaySeconds = 0) =>
  ask(run, 'nack', ports => use(run).release(ports)(consumer, handles, delaySeconds));

/** Nacks messages, again until there is a response. */
const giveBack = async (run: Run, { consumer, received }: Pulled, handles: readonly string[]) => {
  const { world, nacks } = run;
  const { random } = world.scheduler;
  const delaySeconds = random.pick([0, 0, 5]);
  nacks.asks(received, handles);
  for (let tries = 1; tries <= 6; tries += 1) {
    const result = await nackOnce(run, consumer, handles, delaySeconds);
    if (result !== 'no response') {
      nacks.answered('nack', result);
      nacks.nacked(consumer, received, result.ok);
      return nacks.givenBack(consumer, received, { handles, delaySeconds });
    }
    await world.scheduler.sleep(100 + random.below(1_000));
  }
};

const ackOnce = async (run: Run, { consumer, received }: Pulled, handles: readonly string[]) => {
  const result = await ask(run, 'ack', ports => use(run).acknowledge(ports)(consumer, handles));
  if (result === 'no response') return;
  run.nacks.acknowledged(consumer, received, result.ok);
  run.nacks.answered('ack', result);
};

/** Sends handles again that are used already, as a confused consumer does. */
const reuse = async (run: Run, pulled: Pulled): Promise<void> => {
  const { world, nacks } = run;
  const { random } = world.scheduler;
  const { consumer, received } = pulled;
  const handles = received
    .map(({ receiptHandle }) => receiptHandle)
    .filter((_, index) => index === 0 || random.chance(0.4));
  if (random.chance(0.5)) return ackOnce(run, pulled, handles);
  const before = nacks.hidden(consumer, received);
  nacks.asks(received, handles);
  const result = await nackOnce(run, consumer, handles);
  if (result === 'no response') return;
  nacks.answered('nack', result);
  if (result.ok.length === 0) nacks.failed(consumer, before, handles);
  else nacks.nacked(consumer, received, result.ok);
};

const settle = async (run: Run, pulled: Pulled): Promise<void> => {
  const { random } = run.world.scheduler;
  const handles = pulled.received.map(({ receiptHandle }) => receiptHandle);
  const act = random.next();
  if (act < 0.1) return; // forgotten: visible again later
  const nacked = act < 0.3 ? handles.filter(() => random.chance(0.3)) : [];
  if (nacked.length > 0) await giveBack(run, pulled, nacked);
  const rest = handles.filter(handle => !nacked.includes(handle));
  if (rest.length > 0) await ackOnce(run, pulled, rest);
  if (random.chance(0.3)) await reuse(run, pulled);
};

/** A consumer pulls, and acks, nacks or forgets what it got, until the run is over. */
export const consume = async (run: Run, consumer: Connection): Promise<void> => {
  const { world, observer } = run;
  const { random } = world.scheduler;
  while (!run.isOver) {
    await world.scheduler.sleep(300 + random.below(2_500));
    const options = {
      max: 1 + random.below(10),
      waitSeconds: 0,
      visibilitySeconds: 10 + random.below(30),
    };
    const received = await ask(run, 'pull', ports => use(run).pull(ports)(consumer, options));
    if (received === 'no response' || received.length === 0) continue;
    observer.received(consumer, received);
    await settle(run, { consumer, received }).catch(() => undefined);
  }
};

/** The relay's schedule: sometimes two runs at once. */
export const relayOnce = async (run: Run): Promise<void> => {
  const one = () => ask(run, 'relay', ports => use(run).relay(ports)(ports.clock.now() + 25_000));
  await Promise.all(Array.from({ length: run.plan.relaysAtOnce }, one));
};

export const replayOnce = (run: Run): Promise<unknown> =>
  ask(run, 'replay', ports => use(run).runReplays(ports)(ports.clock.now() + 20_000));
