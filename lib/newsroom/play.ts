import { Unanswered } from '../client/index.ts';
import { Actor, type RoleConnections, type Told } from './actor.ts';
import { DayClock, type Time } from './clock.ts';
import { type Day, localDate } from './day.ts';
import type { RoleName } from './roles.ts';
import { type Beat, script } from './script.ts';

export interface Play {
  readonly day: Day;
  /** 1: as long as a day takes. */
  readonly speed: number;
  /** The roles that this process plays. */
  readonly roles: ReadonlyMap<RoleName, RoleConnections>;
  readonly time: Time;
  /** Ends the play: messages in hand are returned. */
  readonly signal: AbortSignal;
  report(told: Told): void;
}

const minute = 60_000;

/** After the last beat, everything that it leads to has this long. */
const afterword = 5 * minute;

const pollMilliseconds = 2_000;

/** What a role may take for one message: its longest reaction, and some calls. */
const visibilityFor = (speed: number): number => 20 + Math.ceil(60 / speed);

/** Whether an earlier run has published a beat. */
const isOut = async ({ roles, signal }: Play, { by, message }: Beat): Promise<boolean> => {
  const verdict = await roles.get(by)?.producer.validate(message, { signal });
  if (verdict?.outcome === 'refused')
    return verdict.violations.some(({ rule }) => rule === 'sequence_number.not_increasing');
  return verdict?.outcome === 'duplicate';
};

/** Whether the day is today and takes as long as a day. */
const isInRealTime = ({ day, speed, time }: Play): boolean =>
  speed === 1 && day.date === localDate(time.now());

/**
 * The time of the day at which a play begins: now in real time; otherwise six in the morning, or shortly before the first beat of
 * its roles that is not on the bus yet.
 */
const beginning = async (play: Play, beats: readonly Beat[]): Promise<number> => {
  const { day, time, roles } = play;
  if (isInRealTime(play)) return time.now();
  const own = beats.filter(({ by }) => roles.has(by));
  for (const [index, beat] of own.entries()) {
    if (await isOut(play, beat)) continue;
    return index === 0 ? day.at('06:00') : beat.at - minute;
  }
  return own.length === 0 ? day.at('06:00') : endOf(beats);
};

const endOf = (beats: readonly Beat[]): number => Math.max(...beats.map(({ at }) => at)) + afterword;

/** Resolves when no queue of a role has anything left. What one role does may fill the queue of another: all are asked again. */
const emptied = async (actors: readonly Actor[], { time, signal }: Play): Promise<void> => {
  const handled = () => actors.reduce((sum, actor) => sum + actor.handled, 0);
  const areDone = async (): Promise<boolean> => {
    const before = handled();
    for (const actor of actors) if (!(await actor.isDone())) return false;
    return before === handled();
  };
  for (;;) {
    const done = await areDone().catch((fault: unknown) => {
      if (fault instanceof Unanswered) return false;
      throw fault;
    });
    if (done) return;
    await time.sleep(pollMilliseconds, signal);
  }
};

/**
 * Plays the roles through their day, and resolves when it is over and their queues are empty. It keeps nothing: stopped at any
 * moment, the next play of the same day goes on where the bus is.
 *
 * @throws RoleRefused, or ConsumerRefused, when the bus does not let a role in
 */
export const playDay = async function playDay(play: Play): Promise<void> {
  const { roles, time, speed, report } = play;
  const beats = script(play.day);
  const begin = await beginning(play, beats);
  const clock = new DayClock(time, speed);
  clock.set(begin);
  const over = new AbortController();
  const signal = AbortSignal.any([play.signal, over.signal]);
  const scene = { time, clock, beats, visibility: visibilityFor(speed), signal, report };
  const actors = [...roles].map(([role, buses]) => new Actor(role, buses, scene));
  const listening = Promise.all(actors.map(actor => actor.listen()));
  const playing = (async () => {
    // What an earlier run left comes before the next beat.
    await emptied(actors, play);
    clock.set(isInRealTime(play) ? time.now() : begin);
    await Promise.all(actors.map(actor => actor.playBeats()));
    await clock.until(endOf(beats), signal);
    await emptied(actors, play);
  })();
  try {
    await Promise.race([playing, listening.then(() => playing)]);
  } finally {
    over.abort();
    await Promise.allSettled([listening, playing]);
  }
};
