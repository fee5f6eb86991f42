import type { Scheduler } from './scheduler.ts';

/** A process ended in the middle of its work. */
export class Crashed extends Error {
  override readonly name = 'Crashed';
}

/** How often something goes wrong with a call, from 0 to 1. */
export interface FaultRates {
  /** Refused at once, without an effect: a throttled or broken service. */
  readonly throttle: number;
  /** The effect happens, the response is lost. */
  readonly timeoutWithEffect: number;
  /** The response is a timeout, and the effect happens after it. */
  readonly lateEffect: number;
  /** The effect happens twice. */
  readonly twice: number;
  /** The process ends before the effect, or after it. */
  readonly crash: number;
  /** The process is paused for a while. */
  readonly pause: number;
}

export const faultsOf = (rate: number): FaultRates => ({
  throttle: rate,
  timeoutWithEffect: rate / 2,
  lateEffect: rate / 4,
  twice: rate / 4,
  crash: rate / 3,
  pause: rate / 4,
});

export const noFaults = faultsOf(0);

export interface Environment {
  readonly scheduler: Scheduler;
  faults: FaultRates;
  trace(line: string | (() => string)): void;
}

const fault = (kind: string): Error =>
  Object.assign(new Error(`The call failed: ${kind}.`), { name: 'SimulatedFault' });

const withDigits = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}` : value;

/** One function invocation, or one machine of a consumer, with its own clock. */
export class Process {
  readonly name: string;
  /** Settles with `Crashed` when the process ends early. */
  readonly crashed: Promise<never>;
  readonly #environment: Environment;
  readonly #skew: number;
  #end: (reason: Crashed) => void = () => undefined;
  #dead = false;
  #pausedUntil = 0;

  constructor(name: string, environment: Environment, skew: number) {
    this.name = name;
    this.#environment = environment;
    this.#skew = skew;
    this.crashed = new Promise<never>((_, reject) => {
      this.#end = reject;
    });
    this.crashed.catch(() => undefined);
  }

  now(): number {
    return Math.round(this.#environment.scheduler.now) + this.#skew;
  }

  async sleep(milliseconds: number): Promise<void> {
    await this.#environment.scheduler.sleep(milliseconds);
    await this.#running();
  }

  /** Pauses the process. */
  freeze(milliseconds: number): void {
    this.#environment.trace(`${this.name} is not run for ${milliseconds} ms`);
    this.#pausedUntil = this.#environment.scheduler.now + milliseconds;
  }

  /** A call of a service: `effect` happens at one moment between the call and its response. */
  async call<T>(what: string, effect: () => T | Promise<T>): Promise<T> {
    const { scheduler, faults } = this.#environment;
    const { random } = scheduler;
    const apply = async (note: string): Promise<T> => {
      const result = await effect();
      const told = () => JSON.stringify(result, withDigits) ?? 'done';
      this.#environment.trace(() => `${this.name} ${what}${note} -> ${told()}`);
      return result;
    };
    const latency = () => (random.chance(0.05) ? 200 + random.below(2_000) : 1 + random.below(20));
    await this.#running();
    await scheduler.sleep(latency());
    const happens = (rate: number) => rate > 0 && random.chance(rate);
    if (happens(faults.crash)) return this.#crash(`before ${what}`);
    if (happens(faults.throttle)) {
      this.#environment.trace(`${this.name} ${what} is throttled`);
      await this.#answered(latency());
      throw fault('throttled');
    }
    if (happens(faults.lateEffect)) {
      scheduler.after(
        2_000 + random.below(6_000),
        () => void apply(' (late)').catch(() => undefined),
      );
      await this.#answered(1_000 + random.below(1_000));
      throw fault('timeout');
    }
    const result = await apply('');
    if (happens(faults.crash)) return this.#crash(`after ${what}`);
    if (happens(faults.timeoutWithEffect)) {
      await this.#answered(3_000);
      throw fault('timeout');
    }
    const again = happens(faults.twice) ? await apply(' (again)') : result;
    if (happens(faults.pause)) {
      const long = random.chance(0.2) ? 400_000 : 3_000 + random.below(12_000);
      this.freeze(long);
    }
    await this.#answered(latency());
    return again;
  }

  async #answered(milliseconds: number): Promise<void> {
    await this.#environment.scheduler.sleep(milliseconds);
    await this.#running();
  }

  #crash(where: string): Promise<never> {
    this.#dead = true;
    this.#environment.trace(`${this.name} crashes ${where}`);
    this.#end(new Crashed(where));
    return new Promise<never>(() => undefined);
  }

  /** Waits out a pause; never settles in a process that crashed. */
  async #running(): Promise<void> {
    if (this.#dead) return new Promise<never>(() => undefined);
    const { scheduler } = this.#environment;
    while (scheduler.now < this.#pausedUntil)
      await scheduler.sleep(this.#pausedUntil - scheduler.now);
    return this.#dead ? new Promise<never>(() => undefined) : undefined;
  }
}
