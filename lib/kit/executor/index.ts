import {
  type Bus,
  ConsumerRefused,
  NoResponse,
  type SomMessage,
  type Verdict,
} from '../client/index.ts';
import { answerMessages } from './answering.ts';
import { mayBeAcceptedLater, type ReadyInstance, reactionTo, readyInstances } from './evaluate.ts';
import type { MemoryFile } from './memory.file.ts';
import { type Instance, instancesIn, type Warning } from './skill.ts';

// What `som-bus/executor` exports.
export { makeReady, type ReadyInstance } from './evaluate.ts';
export { type MemoryFile, openMemoryFile, UnusableMemory } from './memory.file.ts';
export {
  type Copy,
  type Finding,
  type Instance,
  type Snapshot,
  UnusableInstance,
} from './skill.ts';

export type ExecutorEvent =
  | {
      readonly kind: 'answered';
      readonly trigger: SomMessage;
      readonly warning: SomMessage;
      readonly outcome: 'accepted' | 'duplicate' | 'no response' | `refused by ${string}`;
    }
  | { readonly kind: 'instances'; readonly labels: readonly string[] }
  /** An instance is left out, or the registrations could not be read: why. */
  | { readonly kind: 'problem'; readonly words: string };

/**
 * An executor: the connections of one vendor tool, the instances that it evaluates, and what it
 * remembers.
 */
export interface Executor {
  readonly consumer: Bus;
  readonly producer: Bus;
  /** Absent: those that are registered on the consumer, read anew every minute. */
  readonly instances?: readonly Instance[];
  readonly state: MemoryFile;
  newId(): Warning['warning_id'];
  /** Rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Ends it: what it has in hand comes again. */
  readonly signal: AbortSignal;
  report(event: ExecutorEvent): void;
}

export class ExecutorRefused extends Error {
  override readonly name = 'ExecutorRefused';
}

const registrationsMilliseconds = 60_000;
/** In which a message must be answered. */
const visibilitySeconds = 60;
/** In which a warning is tried again before its trigger is given back. */
const publishMilliseconds = 20_000;

type Outcome = Extract<ExecutorEvent, { kind: 'answered' }>['outcome'];

const outcomeOf = (verdict: Verdict): { outcome: Outcome; isFinal: boolean } => {
  if (verdict.outcome === 'token_refused')
    throw new ExecutorRefused(
      `The producer gets no token (${verdict.error}: ${verdict.description}).`,
    );
  if (!('violations' in verdict)) return { outcome: verdict.outcome, isFinal: true };
  const [{ rule }] = verdict.violations;
  return { outcome: `refused by ${rule}`, isFinal: !mayBeAcceptedLater(verdict) };
};

const publish = async ({ producer, signal }: Executor, text: string) => {
  try {
    return outcomeOf(await producer.publish(text, { signal, deadline: publishMilliseconds }));
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    return { outcome: 'no response', isFinal: false } as const;
  }
};

/**
 * Answers a message. Resolves with whether all that answers it is on the bus, or refused for good.
 */
const handle = async (
  executor: Executor,
  trigger: SomMessage,
  instances: readonly ReadyInstance[],
): Promise<boolean> => {
  const { state, producer, newId, report } = executor;
  const { texts, isChanged } = reactionTo(trigger, {
    memory: state.memory,
    instances,
    compose: (cause, declared) =>
      producer.compose({
        message_type: 'skill.warning.raised',
        cause,
        payload: { warning_id: newId(), ...declared },
      }),
  });
  // Before anything is sent: what was sent once is sent again as it was, whenever the process dies.
  if (isChanged) state.save();
  for (const text of texts) {
    const { outcome, isFinal } = await publish(executor, text);
    report({ kind: 'answered', trigger, warning: JSON.parse(text), outcome });
    if (!isFinal) return false;
  }
  return true;
};

const listen = async (
  executor: Executor,
  instances: () => readonly ReadyInstance[],
): Promise<void> => {
  const { consumer, signal, sleep } = executor;
  const answer = (message: SomMessage) => handle(executor, message, instances());
  try {
    await answerMessages(consumer, {
      visibility: visibilitySeconds,
      signal,
      sleep,
      answer,
    });
  } catch (error) {
    if (!(error instanceof ConsumerRefused)) throw error;
    throw new ExecutorRefused(`The consumer was refused: ${error.message}`);
  }
};

/** The registered instances that are not paused; undefined if they could not be read. */
const registered = async ({
  consumer,
  signal,
  report,
}: Executor): Promise<readonly Instance[] | undefined> => {
  try {
    const result = await consumer.registrations({ signal });
    if (result.outcome === 'registrations') return instancesIn(result.registrations);
    const why = result.outcome === 'refused' ? result.violations[0].rule : result.error;
    report({ kind: 'problem', words: `The registered instances could not be read (${why}).` });
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    report({
      kind: 'problem',
      words: `The registered instances could not be read: ${error.message}`,
    });
  }
  return undefined;
};

class Instances {
  readonly #executor: Executor;
  #known = '';
  ready: readonly ReadyInstance[] = [];

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  async read(): Promise<void> {
    const { report } = this.#executor;
    const instances = this.#executor.instances ?? (await registered(this.#executor));
    const text = JSON.stringify(instances);
    if (instances === undefined || text === this.#known) return;
    this.#known = text;
    this.ready = readyInstances(instances, words => report({ kind: 'problem', words }));
    report({ kind: 'instances', labels: this.ready.map(({ instance }) => instance.label) });
  }

  async follow(): Promise<void> {
    const { instances, signal, sleep } = this.#executor;
    while (instances === undefined && !signal.aborted) {
      await sleep(registrationsMilliseconds, signal);
      await this.read();
    }
  }
}

/**
 * Runs an executor until its signal aborts. It can be killed at any moment: started again with the
 * same state, it answers as it would have.
 *
 * @throws ExecutorRefused when the bus does not let it work
 */
export const runExecutor = async function runExecutor(given: Executor): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([given.signal, over.signal]);
  const executor = { ...given, signal };
  const instances = new Instances(executor);
  await instances.read();
  const following = instances.follow().catch((error: unknown) => {
    if (!signal.aborted) over.abort(error);
  });
  try {
    await listen(executor, () => instances.ready);
    over.signal.throwIfAborted();
  } finally {
    over.abort();
    await following;
  }
};
