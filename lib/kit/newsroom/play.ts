import { NoResponse } from '../client/index.ts';
import { Actor, isOut, type RoleConnections, type RoleMessage, type Scene } from './actor.ts';
import { type Day, DayClock, localDate, type Time } from './day.ts';
import { type RoleName, roleNames } from './roles.ts';
import { type Beat, script } from './script.ts';

interface Play {
  readonly day: Day;
  /** 1: as long as a day takes. */
  readonly speed: number;
  readonly roles: ReadonlyMap<RoleName, RoleConnections>;
  readonly time: Time;
  /** Ends the play: messages in hand are returned. */
  readonly signal: AbortSignal;
  report(told: RoleMessage): void;
}

const minute = 60_000;

/** After the last beat, everything that it leads to has this long. */
const afterword = 5 * minute;

const pollMilliseconds = 2_000;

/**
 * Processes that start together may take turns on a busy machine: by so much one ends before
 * another.
 */
const startMilliseconds = 20_000;

/** What a role may take for one message: its longest reaction, and some calls. */
const visibilityFor = (speed: number): number => 20 + Math.ceil(60 / speed);

/** Whether the day is today and takes as long as a day. */
const isInRealTime = ({ day, speed, time }: Play): boolean =>
  speed === 1 && day.date === localDate(time.now());

/**
 * The time of the day at which a play begins: now in real time; otherwise six in the morning, or
 * shortly before the first beat of its roles that is not on the bus yet.
 */
const beginning = async (play: Play, beats: readonly Beat[]): Promise<number> => {
  const { day, time, roles, signal } = play;
  if (isInRealTime(play)) return time.now();
  const own = beats.filter(({ by }) => roles.has(by));
  for (const [index, beat] of own.entries()) {
    const producer = roles.get(beat.by)?.producer;
    if (producer && (await isOut(producer, beat.message, signal))) continue;
    if (index === 0) return day.at('06:00');
    return beat.at - minute;
  }
  if (own.length === 0) return day.at('06:00');
  return endOf(beats);
};

const endOf = (beats: readonly Beat[]): number =>
  Math.max(...beats.map(({ at }) => at)) + afterword;

/**
 * Started late, the beats that are due follow each other at this distance, so that what one brings
 * about can end.
 */
const lateMilliseconds = 5_000;

/**
 * Waits for the turn of a late beat. Roles that other processes play have turns of their own, by
 * the clock: none knows of the others.
 *
 * @param before what was published last
 */
const lateTurn = async (
  { roles, time, signal }: Play,
  beats: readonly Beat[],
  before: RoleMessage | undefined,
): Promise<void> => {
  const scripted = [...new Set(beats.map(({ by }) => by))];
  const isShared = scripted.some(role => !roles.has(role));
  if (before ? before.outcome !== 'accepted' : !isShared) return;
  const round = scripted.length * lateMilliseconds;
  const turn = scripted.findIndex(role => roles.has(role)) * lateMilliseconds;
  const wait = isShared ? round - ((time.now() + round - turn) % round) : lateMilliseconds;
  await time.sleep(wait, signal);
};

/**
 * Stays for what roles in other processes have still to publish: nothing says when they are done.
 */
const awaitOthers = async (play: Play, beats: readonly Beat[]): Promise<void> => {
  if (play.roles.size === roleNames.length) return;
  const scripted = new Set(beats.map(({ by }) => by)).size;
  const late = isInRealTime(play) ? beats.length * scripted * lateMilliseconds : 0;
  await play.time.sleep(startMilliseconds + late, play.signal);
};

const playBeats = async (
  play: Play,
  { clock, beats, signal }: Scene,
  actors: ReadonlyMap<RoleName, Actor>,
): Promise<void> => {
  let before: RoleMessage | undefined;
  for (const beat of beats) {
    const actor = actors.get(beat.by);
    if (!actor) continue;
    if (clock.now() > beat.at) await lateTurn({ ...play, signal }, beats, before);
    await clock.until(beat.at, signal);
    before = await actor.playBeat(beat);
  }
};

/**
 * Resolves when no queue of a role has anything left. What one role does may fill the queue of
 * another: all are asked again.
 */
const emptied = async (actors: readonly Actor[], { time, signal }: Play): Promise<void> => {
  const handled = () => actors.reduce((sum, actor) => sum + actor.handled, 0);
  const areDone = async (): Promise<boolean> => {
    const before = handled();
    for (const actor of actors) if (!(await actor.isDone())) return false;
    return before === handled();
  };
  for (;;) {
    const done = await areDone().catch((error: unknown) => {
      if (error instanceof NoResponse) return false;
      throw error;
    });
    if (done) return;
    await time.sleep(pollMilliseconds, signal);
  }
};

/**
 * Plays the roles through their day, and resolves when it is over and their queues are empty. It
 * keeps nothing: stopped at any moment, the next play of the same day goes on where the bus is.
 *
 * @throws RoleRefused, or ConsumerRefused, when the bus does not let a role in
 */
export const playDay = async function playDay(play: Play): Promise<void> {
  const { roles, time, speed, report } = play;
  const beats = script(play.day);
  const begin = await beginning(play, beats);
  const clock = new DayClock(time, speed, begin);
  const over = new AbortController();
  const signal = AbortSignal.any([play.signal, over.signal]);
  const scene = { time, clock, beats, visibility: visibilityFor(speed), signal, report };
  const byRole = new Map(
    [...roles].map(([role, buses]) => [role, new Actor(role, buses, scene)] as const),
  );
  const actors = [...byRole.values()];
  const listening = Promise.all(actors.map(actor => actor.listen()));
  const playing = (async () => {
    // What an earlier run left comes before the next beat.
    await emptied(actors, play);
    clock.set(isInRealTime(play) ? time.now() : begin);
    await playBeats(play, scene, byRole);
    await clock.until(endOf(beats), signal);
    await awaitOthers({ ...play, signal }, beats);
    await emptied(actors, play);
  })();
  try {
    await Promise.race([playing, listening.then(() => playing)]);
  } finally {
    over.abort();
    await Promise.allSettled([listening, playing]);
  }
};
