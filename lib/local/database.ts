import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { StartRefusal } from './start-refusal.ts';

export const loopback = '127.0.0.1';

const tryPort = (port: number): Promise<number | undefined> =>
  new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, loopback, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });

/** A free port on the loopback address: the preferred one if possible. */
export const freePort = async (preferred = 0): Promise<number> => {
  const port = (await tryPort(preferred)) ?? (await tryPort(0));
  if (port === undefined) throw new Error('This machine has no free port on 127.0.0.1.');
  return port;
};

/** A running AWS engine. */
export interface Engine {
  readonly endpoint: string;
  /** Resolves with the reason if the engine stops on its own. */
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
 * Runs the engine as a child of a shell that stops it when this process ends, for whatever reason: the shell's
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
          `The local database engine stopped while the service was running (exit code ${code ?? 'unknown'}): start the service again; no accepted message is lost.`,
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

/** Another program may take a free port before the engine does: the engine then exits immediately, and gets another port. */
const tries = 3;
/** A shell's exit codes for a program that it cannot run, or cannot find. */
const cannotRun: readonly unknown[] = [126, 127];

const unusable = (path: string): StartRefusal =>
  new StartRefusal(
    `The local database engine ${path} cannot run on this machine: reinstall som-bus for this platform, or set SOMBUS_DYNAMODB_ENDPOINT to a DynamoDB-compatible endpoint.`,
  );

/**
 * Checks that the engine is installed and may be run.
 *
 * @throws StartRefusal when not
 */
const checkDynoxide = (path: string = dynoxideBinary()): void => {
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

const databaseVariable = 'SOMBUS_DYNAMODB_ENDPOINT';

/** The database option of a process's environment: the address of a running engine, if one is named. */
export const databaseOption = (
  env: Readonly<Record<string, string | undefined>>,
): { readonly database?: string } => {
  const database = env[databaseVariable];
  return database ? { database } : {};
};

const answerMilliseconds = 5_000;

/** Any answer shows that a server is there. */
const answers = async (endpoint: string): Promise<boolean> => {
  try {
    await (await fetch(endpoint, { signal: AbortSignal.timeout(answerMilliseconds) })).body?.cancel();
    return true;
  } catch {
    return false;
  }
};

/**
 * Checks that a database engine is available.
 *
 * @param elsewhere the address of a running engine; undefined: the built-in one
 * @throws StartRefusal when it is not
 */
export const checkDatabase = async (elsewhere: string | undefined): Promise<void> => {
  if (elsewhere === undefined) {
    checkDynoxide();
    return;
  }
  if (!URL.canParse(elsewhere) || !/^https?:$/.test(new URL(elsewhere).protocol))
    throw new StartRefusal(
      `${databaseVariable} is ${JSON.stringify(elsewhere)}, which is not an address such as http://127.0.0.1:8000: correct it, or unset it to use the built-in engine.`,
    );
  if (!(await answers(elsewhere)))
    throw new StartRefusal(
      `Nothing answers at ${elsewhere} (from ${databaseVariable}): start that database, or unset the variable to use the built-in engine.`,
    );
};

/** An engine that was running before, and keeps running. */
export const databaseElsewhere = (endpoint: string): Engine => ({
  endpoint,
  failed: new Promise(() => undefined),
  close: async () => undefined,
});
