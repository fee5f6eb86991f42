import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { executorJudge } from '../../../lib/checks/executor-judge.ts';
import { type ExecutorCase, executorPlan, instanceOf, slots } from '../../../lib/checks/executor-plan.ts';
import type { ExecutorContext } from '../../../lib/checks/executor-warning.ts';
import { fixtureBody } from '../../../lib/checks/fixture.ts';
import type { Attempt, CaseRecord, PlayedStep, RunRecord } from '../../../lib/checks/record.ts';
import { judgeCases } from '../../../lib/checks/verdict.ts';
import { composer, uuidv7 } from '../../../lib/client/envelope.ts';
import type { Bus, Delivery, SomMessage, Verdict } from '../../../lib/client/index.ts';
import { systemOutside } from '../../../lib/client/outside.ts';
import type { CaseReport } from '../../../lib/contract/checks.ts';
import type { Executor, runExecutor } from '../../../lib/executor/index.ts';
import type { Memory } from '../../../lib/executor/memory.ts';
import { readMessage } from '../../../lib/messages/read-message.ts';
import { derivedId } from '../../../lib/newsroom/day.ts';

/** What is needed of an executor, which may have a fault. */
export interface ExecutorModules {
  readonly runExecutor: typeof runExecutor;
  readonly Memory: typeof Memory;
}

export const executorFiles = ['lib/executor/index.ts', 'lib/executor/memory.ts'];

const plan = executorPlan({ bindsFirstSeen: true });
/** In the order in which a bus lists those of one age: an executor evaluates them so. */
const instances = slots
  .map(slot => [slot.id, instanceOf(slot)] as const)
  .sort(([, one], [, other]) => (one.instance_label < other.instance_label ? -1 : 1));
const context: ExecutorContext = {
  instances: new Map(instances),
  labels: new Set(instances.map(([, { instance_label }]) => instance_label)),
  limitSeconds: 30,
};

const start = Date.parse('2026-11-22T09:00:00Z');
const stepMilliseconds = 20_000;
const floodMessages = 20;

/** A bus on paper: one queue, which gets what is put into it and what the executor publishes. Time passes with each step. */
class PaperBus {
  now = start;
  readonly attempts: Attempt[] = [];
  readonly #accepted = new Map<string, string>();
  readonly #queue: string[] = [];
  #waiting: (() => void) | undefined;
  #idle: (() => void) | undefined;

  /** Puts a message into the queue, and resolves when the executor has nothing left to do. */
  async deliver(text: string): Promise<void> {
    const idle = new Promise<void>(resolve => {
      this.#idle = resolve;
    });
    this.#queue.push(text);
    this.#waiting?.();
    await idle;
  }

  async *consume({ signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<Delivery, void, void> {
    const stopped = signal ? once(signal, 'abort') : undefined;
    while (!signal?.aborted) {
      const text = this.#queue.shift();
      if (text !== undefined) {
        // The rest of a delivery is not looked at.
        yield { message: JSON.parse(text), ack: async () => ({ outcome: 'settled' }) } as unknown as Delivery;
        continue;
      }
      this.#idle?.();
      await Promise.race([
        stopped,
        new Promise<void>(resolve => {
          this.#waiting = resolve;
        }),
      ]);
    }
  }

  publish = async (text: string): Promise<Verdict> => {
    this.now += 1;
    const read = readMessage(Buffer.from(text));
    const message = JSON.parse(text) as SomMessage;
    const before = this.#accepted.get(message.message_id);
    const rules = read.ok
      ? before !== undefined && before !== text
        ? ['message_id.reused']
        : []
      : read.violations.map(({ rule }) => rule);
    const outcome = rules.length > 0 ? 'refused' : before === undefined ? 'accepted' : 'duplicate';
    this.attempts.push({
      at: this.now,
      outcome,
      rules,
      messageId: message.message_id,
      messageType: message.message_type,
      correlationId: message.correlation_id,
      bodyHash: createHash('sha256').update(text).digest('base64url'),
      sizeBytes: text.length,
      message: JSON.parse(text),
    });
    if (outcome === 'accepted') {
      this.#accepted.set(message.message_id, text);
      if (this.attempts.length % floodMessages !== 0) this.#queue.push(text);
    }
    const violations = [{ source: 'schema', rule: rules[0] ?? '', message: '' }] as const;
    return rules.length > 0
      ? { outcome: 'refused', status: 400, violations }
      : { outcome: 'duplicate', messageId: message.message_id };
  };
}

const played = async (bus: PaperBus, one: ExecutorCase): Promise<CaseRecord> => {
  const storyId = `test-run.t.${one.id}`;
  const correlationId = derivedId(storyId, 'correlation');
  const steps: PlayedStep[] = [];
  const texts: string[][] = [];
  const startedAt = bus.now;
  let sequenceNumber = 0;
  for (const [index, { action }] of one.steps.entries()) {
    bus.now += stepMilliseconds;
    const at = bus.now;
    const fixtures = action.kind === 'play' ? action.fixtures : [];
    const bodies = fixtures.map((fixture, position) => {
      if (fixture.messageType === 'story.context') sequenceNumber += 1;
      const messageId = derivedId(storyId, 'message', `${index}`, `${position}`);
      const place = {
        storyId,
        correlationId,
        messageId,
        startedAt,
        now: at,
        sequenceNumber,
        systemId: 'test-run',
      };
      return Buffer.from(fixtureBody(fixture, place)).toString();
    });
    const sent = action.kind === 'again' ? (texts[action.step] ?? []) : bodies;
    texts.push(sent);
    const isWithheld = action.kind === 'play' && action.isWithheld;
    for (const text of isWithheld ? [] : sent) await bus.deliver(text);
    const messages = sent.map(text => JSON.parse(text));
    steps.push({
      at,
      played: messages.map(({ message_id, message_type }) => ({
        messageId: message_id,
        messageType: message_type,
        at,
        rules: [],
      })),
      settledAt: bus.now,
    });
  }
  return { id: one.id, correlationId, storyId, steps };
};

/** Plays the whole plan to an executor, without a bus, and judges it. Everything that was played counts as acknowledged. */
export const judgedOnPaper = async ({
  runExecutor,
  Memory,
}: ExecutorModules): Promise<readonly CaseReport[]> => {
  const bus = new PaperBus();
  const stop = new AbortController();
  const outside = { ...systemOutside, now: () => bus.now };
  const executor: Executor = {
    consumer: { consume: options => bus.consume(options) } as Bus, // all that is used of it
    producer: {
      publish: text => bus.publish(String(text)),
      compose: composer({ system_id: 'tool', system_type: 'skill_worker' }, outside),
    } as Bus,
    instances: instances.map(([, { skill_id, skill_version, instance_label, values }]) => ({
      skillId: skill_id,
      skillVersion: skill_version,
      label: instance_label,
      values,
    })),
    state: { memory: new Memory('c-paper'), save: () => undefined },
    newId: () => uuidv7(bus.now, systemOutside.randomBytes(10)),
    sleep: async (_milliseconds, signal) => {
      await once(signal, 'abort');
    },
    signal: stop.signal,
    report: () => undefined,
  };
  const running = runExecutor(executor);
  const cases: CaseRecord[] = [];
  for (const one of plan.cases.filter(({ pending }) => pending === undefined)) {
    const done = await Promise.race([played(bus, one), running]);
    if (done) cases.push(done);
  }
  stop.abort();
  await running;
  const receives = cases
    .flatMap(({ steps }) => steps)
    .flatMap(({ played: messages }) =>
      messages.map(({ messageId, at }) => ({
        messageId,
        connection: 'c-paper',
        receivedAt: at,
        acknowledgedAt: at,
      })),
    );
  const record = {
    startedAt: start,
    endedAt: bus.now,
    cases,
    attempts: bus.attempts,
    receives: receives as unknown as RunRecord['receives'],
    tokens: [],
  };
  return judgeCases(plan, executorJudge(context), record);
};
