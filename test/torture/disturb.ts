import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { startService } from '../support/service-process.ts';
import { type Stage, until } from './stage.ts';

const startAgain = async (stage: Stage): Promise<void> => {
  const { port } = new URL(stage.service.ready.base_url);
  stage.service = await startService(stage.folder, '--no-limits', '--port', port);
};

const kill = async (stage: Stage): Promise<void> => {
  stage.started = stage.service.stop('SIGKILL').then(() => startAgain(stage));
  await stage.started;
};

/** Why no disk can be filled here; undefined if one can. */
export const lackOfFullDisks = (): string | undefined =>
  spawnSync('prlimit', ['--version']).status === 0
    ? undefined
    : 'there is no prlimit here (util-linux)';

/**
 * Limits how large a running process may make a file: a write beyond fails with EFBIG, which Node
 * does not take as a signal.
 */
const limitFileSize = (pid: number | undefined, size: number | 'unlimited'): void => {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${size}:`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`prlimit failed: ${stderr}`);
};

const largestFile = (folder: string): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => {
      const file = statSync(join(folder, name), { throwIfNoEntry: false });
      return file?.isFile() ? file.size : 0;
    }),
  );

const enoughRefusals = 30;
/** A service that refuses more often than this after the disk was freed does not recover. */
const tooManyRefusals = 5_000;

const expectRecovery = async (stage: Stage): Promise<void> => {
  const { unavailable, acknowledged } = stage;
  const before = acknowledged.size;
  const isOverdue = () => stage.unavailable > unavailable + tooManyRefusals;
  await until(stage, () => acknowledged.size > before || isOverdue());
  if (isOverdue())
    throw new Error('The service still refuses although the disk is no longer full.');
};

/**
 * Fills the disk until publishes have been refused for a while, and frees it again. In turn: no
 * byte can be written any more; the largest file can grow by a few pages; the service is also
 * killed while the disk is full.
 */
const fillDisk = async (stage: Stage, round: number): Promise<void> => {
  const { pid } = stage.service.child;
  const refusedBefore = stage.unavailable;
  limitFileSize(pid, round % 3 === 1 ? largestFile(stage.folder) + 10_000 + 1_000 * round : 512);
  await until(
    stage,
    () =>
      stage.unavailable >= refusedBefore + enoughRefusals || stage.service.child.exitCode !== null,
  );
  const { exitCode } = stage.service.child;
  if (exitCode !== null)
    throw new Error(`The service ended with code ${exitCode} when the disk was full.`);
  if (round % 3 === 2) await kill(stage);
  else limitFileSize(pid, 'unlimited');
  await expectRecovery(stage);
};

export interface Disturbances {
  readonly kills: number;
  readonly fullDisks: number;
}

/**
 * Disturbs the service again and again while the producers work, after about the same number of
 * publishes each time.
 */
export const disturbAgainAndAgain = async (
  stage: Stage,
  asked: Disturbances,
  every: number,
): Promise<Disturbances> => {
  const done = { kills: 0, fullDisks: 0 };
  for (let next = every; !stage.isOver; next += every) {
    const rounds = done.kills + done.fullDisks;
    if (rounds === asked.kills + asked.fullDisks) break;
    await until(stage, () => stage.acknowledged.size >= next);
    // Each comes a little later after the same number of messages, so that it hits another point of
    // the next one.
    for (let turn = 0; turn < (rounds * 7) % 23; turn += 1) await setImmediate();
    if (done.kills < asked.kills) {
      await kill(stage);
      done.kills += 1;
    } else {
      await fillDisk(stage, done.fullDisks);
      done.fullDisks += 1;
    }
  }
  return done;
};
