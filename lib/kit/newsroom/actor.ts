import {
  type Accepted,
  type Bus,
  type Duplicate,
  NoResponse,
  type Refused,
  type SomMessage,
  type Uncertain,
} from '../client/index.ts';
import { answerMessages, retrySeconds } from '../executor/answering.ts';
import { mayBeAcceptedLater, type ReadyInstance } from '../executor/evaluate.ts';
import type { DayClock, Time } from './day.ts';
import { react } from './reactions.ts';
import type { RoleName } from './roles.ts';
import type { Beat } from './script.ts';
import { instancesOf } from './skill.ts';

export interface RoleMessage {
  readonly role: RoleName;
  readonly message: SomMessage;
  /**
   * `out already`: an earlier run published it. `superseded`: the story has gone on without it.
   * Anything that is not final is published again.
   */
  readonly outcome:
    | 'accepted'
    | 'duplicate'
    | 'out already'
    | 'superseded'
    | 'no response'
    | `refused by ${string}`;
  readonly isFinal: boolean;
  /** Absent: the role plays its script. */
  readonly cause?: SomMessage;
}

export interface RoleConnections {
  readonly producer: Bus;
  readonly consumer: Bus;
}

export class RoleRefused extends Error {
  override readonly name = 'RoleRefused';

  constructor(role: RoleName, { error, description }: { error: string; description: string }) {
    super(
      `${role} gets no token (${error}: ${description}): are its id and secret those of this bus?`,
    );
  }
}

export interface Scene {
  readonly time: Time;
  readonly clock: DayClock;
  readonly beats: readonly Beat[];
  /** Seconds in which a received message must be answered. */
  readonly visibility: number;
  readonly signal: AbortSignal;
  report(told: RoleMessage): void;
}

const registrationsMilliseconds = 300_000;

const outcomeOf = (
  verdict: Accepted | Duplicate | Refused | Uncertain,
  isBeat: boolean,
): Pick<RoleMessage, 'outcome' | 'isFinal'> => {
  if (!('violations' in verdict)) return { outcome: verdict.outcome, isFinal: true };
  const rules = verdict.violations.map(({ rule }) => rule);
  if (rules.includes('message_id.reused')) return { outcome: 'out already', isFinal: true };
  if (rules.includes('sequence_number.not_increasing'))
    return { outcome: isBeat ? 'out already' : 'superseded', isFinal: true };
  return { outcome: `refused by ${rules[0]}`, isFinal: !mayBeAcceptedLater(verdict) };
};

/**
 * Whether the bus has a message, or another of its id; undefined if it does not say.
 *
 * @throws NoResponse
 */
export const isOut = async (
  producer: Bus,
  message: SomMessage,
  signal: AbortSignal,
): Promise<boolean | undefined> => {
  const verdict = await producer.validate(message, { signal });
  if (verdict.outcome === 'token_refused') return undefined;
  if (!('violations' in verdict)) return verdict.outcome === 'duplicate';
  const { outcome, isFinal } = outcomeOf(verdict, true);
  if (isFinal) return outcome === 'out already';
  return undefined;
};

/** One system of the newsroom: publishes its script, and reacts to what its queue brings. */
export class Actor {
  readonly role: RoleName;
  handled = 0;
  readonly #buses: RoleConnections;
  readonly #scene: Scene;
  /** The causes of what it has said: something that it learns twice is said once. */
  readonly #said = new Map<string, string>();
  #instances: { readonly readAt: number; readonly known: readonly ReadyInstance[] } | undefined;

  constructor(role: RoleName, buses: RoleConnections, scene: Scene) {
    this.role = role;
    this.#buses = buses;
    this.#scene = scene;
  }

  /** Publishes a beat of the role, until it is on the bus or refused. */
  async playBeat({ message }: Beat): Promise<RoleMessage> {
    const { time, signal } = this.#scene;
    for (;;) {
      const told = await this.#publish(message);
      if (told.isFinal) return told;
      await time.sleep(retrySeconds * 1000, signal);
    }
  }

  /**
   * Reacts to what comes, until the signal. A message is acknowledged when the bus has answered all
   * that it led to.
   */
  async listen(): Promise<void> {
    const { visibility, signal, time } = this.#scene;
    await answerMessages(this.#buses.consumer, {
      // One message at a time, so that each has its whole visibility.
      max: 1,
      visibility,
      signal,
      sleep: (milliseconds, ends) => time.sleep(milliseconds, ends),
      answer: async message => {
        const isAnswered = await this.#react(message);
        this.handled += 1;
        return isAnswered;
      },
    });
  }

  /** Whether nothing waits for this role. */
  async isDone(): Promise<boolean> {
    const backlog = await this.#buses.consumer.backlog({ signal: this.#scene.signal });
    if (backlog.outcome === 'token_refused') throw new RoleRefused(this.role, backlog);
    return backlog.outcome === 'backlog' && backlog.visible + backlog.inFlight === 0;
  }

  async #react(cause: SomMessage): Promise<boolean> {
    const { beats, clock, signal } = this.#scene;
    const instances = this.role === 'skill' ? await this.#registered() : [];
    for (const { seconds, message, ends } of react(this.role, cause, { beats, instances })) {
      const earlier = this.#said.get(message.message_id);
      if (earlier !== undefined && earlier !== cause.message_id) continue;
      const hasBegun = ends === undefined || (await isOut(this.#buses.producer, ends, signal));
      if (hasBegun === undefined) return false;
      if (!hasBegun) continue;
      await clock.until(Date.parse(message.timestamp), signal, seconds * 1000);
      const { isFinal } = await this.#publish(message, cause);
      if (!isFinal) return false;
      this.#said.set(message.message_id, cause.message_id);
    }
    return true;
  }

  async #publish(message: SomMessage, cause?: SomMessage): Promise<RoleMessage> {
    const { signal, report } = this.#scene;
    const about = { role: this.role, message, ...(cause && { cause }) };
    const told: RoleMessage = {
      ...about,
      ...(await this.#verdict(message, cause === undefined, signal)),
    };
    report(told);
    return told;
  }

  async #verdict(message: SomMessage, isBeat: boolean, signal: AbortSignal) {
    try {
      const verdict = await this.#buses.producer.publish(message, { signal });
      if (verdict.outcome === 'token_refused') throw new RoleRefused(this.role, verdict);
      return outcomeOf(verdict, isBeat);
    } catch (error) {
      if (error instanceof NoResponse) return { outcome: 'no response', isFinal: false } as const;
      throw error;
    }
  }

  async #registered(): Promise<readonly ReadyInstance[]> {
    const { time, signal } = this.#scene;
    const now = time.now();
    if (this.#instances && now - this.#instances.readAt < registrationsMilliseconds)
      return this.#instances.known;
    const response = await this.#buses.consumer.registrations({ signal });
    const known =
      response.outcome === 'registrations' ? instancesOf(response.registrations) : instancesOf([]);
    this.#instances = { readAt: now, known };
    return known;
  }
}
