import type { ReceiveRecord } from '../../../lib/activity/records.ts';
import { consumerJudge } from '../../../lib/checks/consumer-judge.ts';
import { type ConsumerCase, consumerPlan } from '../../../lib/checks/consumer-plan.ts';
import { fixtureBody } from '../../../lib/checks/fixture.ts';
import type { CaseRecord, PlayedStep } from '../../../lib/checks/record.ts';
import { judgeCases } from '../../../lib/checks/verdict.ts';
import type { Bus, PulledMessage } from '../../../lib/client/index.ts';
import type { CaseReport } from '../../../lib/contract/checks.ts';
import { derivedId } from '../../../lib/newsroom/day.ts';
import { VirtualTime } from '../../client/virtual-time.ts';
import type { referenceConsumer } from './reference-consumer.ts';

/** What is needed of a consumer, which may have a fault. */
export interface ConsumerModules {
  readonly referenceConsumer: typeof referenceConsumer;
}

export const consumerFiles = ['test/checks/planted/reference-consumer.ts'];

interface Copy {
  readonly text: string;
  readonly messageId: string;
  readonly messageType: string;
  readonly correlationId: string;
  readonly replay?: string;
  visibleAt: number;
  count: number;
  isDone: boolean;
}

type Receive = { -readonly [Name in keyof ReceiveRecord]: ReceiveRecord[Name] };

/** The process of the consumer is killed. */
class Killed extends Error {}

const empty = { outcome: 'settled', ok: [], failed: [] } as const;

/** A first-in-first-out queue on paper, in order per correlation_id. */
class PaperQueue {
  readonly time = new VirtualTime();
  readonly receives: Receive[] = [];
  readonly #copies: Copy[] = [];
  #pulls = 0;
  /** The message at which the process is killed, once. */
  killAt: string | undefined;

  put(text: string, visibleAt: number, replay?: string): Copy {
    const { message_id, message_type, correlation_id } = JSON.parse(text);
    const copy: Copy = {
      text,
      messageId: message_id,
      messageType: message_type,
      correlationId: correlation_id,
      ...(replay === undefined ? {} : { replay }),
      visibleAt,
      count: 0,
      isDone: false,
    };
    this.#copies.push(copy);
    return copy;
  }

  #available(): readonly Copy[] {
    const blocked = new Set<string>();
    return this.#copies.filter(one => {
      if (one.isDone || blocked.has(one.correlationId)) return false;
      if (one.visibleAt <= this.time.now()) return true;
      blocked.add(one.correlationId);
      return false;
    });
  }

  readonly bus: Pick<Bus, 'pull' | 'ack' | 'nack'> = {
    pull: async ({ max = 10, wait = 0, visibility = 60 } = {}) => {
      const end = this.time.now() + wait * 1000;
      while (this.#available().length === 0 && this.time.now() < end) this.time.pass(1000);
      this.time.pass(20);
      const taken = this.#available().slice(0, max);
      const takenAt = this.time.now();
      this.#pulls += 1;
      for (const [position, copy] of taken.entries()) {
        copy.count += 1;
        copy.visibleAt = takenAt + visibility * 1000;
        const { messageId, messageType, correlationId, replay, count, visibleAt } = copy;
        this.receives.push({
          ...{
            connection: 'c',
            pull: `${this.#pulls}.${position}`,
            messageId,
            messageType,
            correlationId,
            acceptedAt: takenAt,
            takenAt,
            visibleAt,
          },
          receiveCount: count,
          ...(replay === undefined ? {} : { replay }),
        });
      }
      if (taken.some(({ messageId }) => messageId === this.killAt)) {
        this.killAt = undefined;
        throw new Killed();
      }
      // What the program does not look at is left out.
      const messages = taken.map(one => ({
        message: JSON.parse(one.text),
        text: one.text,
        receiptHandle: `${this.#copies.indexOf(one)} ${one.count}`,
        messageId: one.messageId,
        messageType: one.messageType,
        correlationId: one.correlationId,
        receiveCount: one.count,
      })) as unknown as readonly PulledMessage[];
      return { outcome: 'pulled', askedAt: takenAt, messages };
    },
    ack: async handles => {
      this.time.pass(10);
      for (const handle of handles)
        this.#settle(handle, (copy, receive) => {
          copy.isDone = true;
          receive.acknowledgedAt = this.time.now();
        });
      return empty;
    },
    nack: async (handles, { delaySeconds = 0 } = {}) => {
      for (const handle of handles)
        this.#settle(handle, (copy, receive) => {
          copy.visibleAt = this.time.now() + delaySeconds * 1000;
          receive.releasedAt = this.time.now();
        });
      return empty;
    },
  };

  /** A receipt that has expired changes nothing. */
  #settle(handle: string, how: (copy: Copy, receive: Receive) => void): void {
    const [at, count] = handle.split(' ').map(Number);
    const copy = this.#copies[at ?? -1];
    if (!copy || copy.count !== count || copy.visibleAt <= this.time.now()) return;
    const receive = this.receives.findLast(
      ({ messageId, replay }) => messageId === copy.messageId && replay === copy.replay,
    );
    if (receive) how(copy, receive);
  }
}

const plan = consumerPlan();
const isPlayed = ({ needs }: ConsumerCase): boolean => needs.every(({ kind }) => kind === 'receives');
const quietMilliseconds = 10_000;
const limitSeconds = 30;

/** Plays all cases to a consumer of all types, without a bus, and judges it. */
export const consumerJudgedOnPaper = async ({
  referenceConsumer: consumerOf,
}: ConsumerModules): Promise<readonly CaseReport[]> => {
  const queue = new PaperQueue();
  const { time } = queue;
  const startedAt = time.now();
  const start = () => consumerOf(queue.bus, milliseconds => time.sleep(milliseconds));
  let consumer = start();
  const workUntil = async (isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      await consumer.turn().catch((fault: unknown) => {
        if (!(fault instanceof Killed)) throw fault;
        consumer = start();
      });
    }
  };

  const stepOf = async (
    one: ConsumerCase,
    own: CaseRecord,
    index: number,
    at: number,
  ): Promise<PlayedStep> => {
    const step = one.steps[index];
    if (!step) throw new Error('There is no such step.');
    const { action, settles } = step;
    if (action.kind === 'watch') {
      const end = at + (settles.until === 'seconds' ? settles.seconds : 0) * 1000;
      return { at, played: [], settledAt: end };
    }
    const again = action.kind === 'again' ? own.steps[action.step] : undefined;
    const replay = again ? `y${index}` : undefined;
    const texts =
      action.kind === 'play'
        ? action.fixtures.map((fixture, position) =>
            Buffer.from(
              fixtureBody(fixture, {
                storyId: own.storyId,
                correlationId: own.correlationId,
                messageId: derivedId(own.storyId, `${index}`, `${position}`),
                startedAt,
                now: at,
                sequenceNumber: position + 1,
                systemId: 'test-run',
              }),
            ).toString(),
          )
        : [...played.values()].filter((_, position) => position < (again?.played.length ?? 0));
    const copies = texts.map(text => queue.put(text, at, replay));
    if (action.kind === 'play') played = new Map(copies.map(({ messageId, text }) => [messageId, text]));
    if (one.id === 'delivery/crash') queue.killAt = copies[0]?.messageId;
    const limit = at + (step.limitSeconds ?? limitSeconds) * 1000;
    await workUntil(() => time.now() >= limit || copies.every(({ isDone }) => isDone));
    const settledAt = Math.min(limit, time.now());
    await workUntil(() => time.now() >= settledAt + quietMilliseconds);
    return {
      at,
      played: copies.map(({ messageId, messageType }) => ({ messageId, messageType, at, rules: [] })),
      settledAt,
      ...(replay === undefined ? {} : { replay }),
    };
  };

  let played = new Map<string, string>();
  const cases: CaseRecord[] = [];
  for (const one of plan.cases) {
    const storyId = `test-run.t.${one.id}`;
    let own: CaseRecord = { id: one.id, storyId, correlationId: derivedId(storyId), steps: [] };
    if (!isPlayed(one)) {
      cases.push({ ...own, notRun: 'It receives all types.' });
      continue;
    }
    for (const index of one.steps.keys()) {
      const before = own.steps.at(-1);
      // A play comes when its time has come, whatever the consumer is doing.
      const at =
        before && one.steps[index - 1]?.action.kind === 'watch' ? (before.settledAt ?? 0) : time.now();
      own = { ...own, steps: [...own.steps, await stepOf(one, own, index, at)] };
    }
    cases.push(own);
  }
  const record = {
    startedAt,
    endedAt: time.now(),
    cases,
    attempts: [],
    receives: queue.receives,
    tokens: [],
  };
  return judgeCases(plan, consumerJudge(plan.cases), record);
};
