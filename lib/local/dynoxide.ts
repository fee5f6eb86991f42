import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { freePort, loopback } from './free-port.ts';
import { StartRefusal } from './start-refusal.ts';

/** A running AWS engine. */
export interface Engine {
  readonly endpoint: string;
  /** Resolves with the reason when the engine has ended by itself. */
  readonly failed: Promise<StartRefusal>;
  close(): Promise<void>;
}

/** The engine's program in the package of this platform (`@dynoxide/<platform>-<arch>`). */
export const dynoxideBinary = (platform: string = process.platform, arch: string = process.arch): string => {
  const name = `@dynoxide/${platform}-${arch}`;
  try {
    return require.resolve(`${name}/dynoxide${platform === 'win32' ? '.exe' : ''}`);
  } catch {
    throw new StartRefusal(
      `The local database engine is not installed (npm package ${name}): install it, or set SOMBUS_DYNAMODB_ENDPOINT to a DynamoDB-compatible endpoint.`,
    );
  }
};

/**
 * Runs the engine as a child of a shell that ends it when this process is gone, however it ended: the shell's
 * standard input is a pipe from here.
 */
const lifeline =
  'exec 3<&0; "$@" </dev/null & child=$!; { cat <&3 >/dev/null; kill "$child" 2>/dev/null; } & wait "$child"';

const reachable = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, loopback);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

const pollMilliseconds = 10;
const polls = 1000;

const isUp = async (child: ChildProcess, port: number): Promise<boolean> => {
  for (let poll = 0; poll < polls && child.exitCode === null; poll += 1) {
    if (await reachable(port)) return true;
    await setTimeout(pollMilliseconds);
  }
  return false;
};

const spawned = (dbPath: string, port: number): ChildProcess => {
  const args = [dynoxideBinary(), 'serve', '--host', loopback, '--port', String(port), '--db-path', dbPath];
  return spawn('/bin/sh', ['-c', lifeline, 'sombus-dynamodb', ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
};

const running = (child: ChildProcess, port: number): Engine => {
  let closing = false;
  const failed = new Promise<StartRefusal>(resolve => {
    child.once('exit', code => {
      if (closing) return;
      resolve(
        new StartRefusal(
          `The local database engine ended while the service was running (exit code ${code ?? 'unknown'}): start the service again; everything acknowledged is in the data folder.`,
        ),
      );
    });
  });
  return {
    endpoint: `http://${loopback}:${port}`,
    failed,
    async close() {
      closing = true;
      child.stdin?.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
};

/** Somebody else may take a free port before the engine does: then it ends at once, and gets another. */
const tries = 3;
/** A shell's exit codes for a program that it cannot run, or cannot find. */
const cannotRun: readonly unknown[] = [126, 127];

const unusable = (path: string): StartRefusal =>
  new StartRefusal(
    `The local database engine ${path} cannot be run here: install som-bus again for this platform, or set SOMBUS_DYNAMODB_ENDPOINT to a DynamoDB-compatible endpoint.`,
  );

/**
 * Checks that the engine is installed and may be run.
 *
 * @throws StartRefusal when not
 */
export const checkDynoxide = (path: string = dynoxideBinary()): void => {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    throw unusable(path);
  }
};

/** Starts the DynamoDB engine on a data file. */
export const startDynoxide = async (dbPath: string, preferredPort?: number): Promise<Engine> => {
  let code: unknown;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const port = await freePort(attempt === 0 ? preferredPort : 0);
    const child = spawned(dbPath, port);
    if (await isUp(child, port)) return running(child, port);
    child.stdin?.end();
    code = child.exitCode;
    if (cannotRun.includes(code)) throw unusable(dynoxideBinary());
  }
  throw new StartRefusal(
    `The local database engine did not start on ${dbPath} (exit code ${code ?? 'none'}): if the file is damaged, restore the data folder from a copy.`,
  );
};
