import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { freePort, loopback } from './free-port.ts';
import { StartRefusal } from './start-refusal.ts';

/** A running AWS engine. */
export interface Engine {
  readonly endpoint: string;
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

const untilReachable = async (child: ChildProcess, port: number): Promise<void> => {
  for (let poll = 0; poll < polls && child.exitCode === null; poll += 1) {
    if (await reachable(port)) return;
    await setTimeout(pollMilliseconds);
  }
  throw new StartRefusal(
    'The local database engine did not start: its data file may be damaged. Start with --fresh to begin anew, or restore the data folder.',
  );
};

/** Starts the DynamoDB engine on a data file. */
export const startDynoxide = async (dbPath: string, preferredPort?: number): Promise<Engine> => {
  const binary = dynoxideBinary();
  const port = await freePort(preferredPort);
  const args = [binary, 'serve', '--host', loopback, '--port', String(port), '--db-path', dbPath];
  const child = spawn('/bin/sh', ['-c', lifeline, 'sombus-dynamodb', ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await untilReachable(child, port);
  return {
    endpoint: `http://${loopback}:${port}`,
    async close() {
      child.stdin?.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
};
