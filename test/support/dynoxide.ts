import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { eventually } from './eventually.ts';

const host = '127.0.0.1';

/** Installed apart (`npm ci --prefix test/support/dynoxide`): npm refuses to install a project for whose platform a package has no binary. */
const folder = 'test/support/dynoxide';

/** The program of dynoxide, a DynamoDB engine that ours is compared with; undefined where its package is not installed. */
const program = (): string | undefined => {
  try {
    const paths = [resolve(folder)];
    return require.resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`, { paths });
  } catch {
    return undefined;
  }
};

/** Why dynoxide cannot run here; undefined if it can. */
export const dynoxideLacks = (): string | undefined =>
  program() === undefined
    ? `dynoxide is not installed for ${process.platform}-${process.arch} (npm ci --prefix ${folder})`
    : undefined;

/** A shell stops the engine when this process ends, for whatever reason: the shell's standard input is a pipe from here. */
const lifeline =
  'exec 3<&0; "$@" </dev/null & child=$!; { cat <&3 >/dev/null; kill "$child" 2>/dev/null; } & wait "$child"';

const reachable = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

const isUp = async (child: ChildProcess, port: number): Promise<boolean> => {
  await eventually(async () => child.exitCode !== null || (await reachable(port)));
  return child.exitCode === null;
};

/** Starts dynoxide on a data file. Another program may take the free port first: it then exits, and gets another. */
export const startDynoxide = async (
  file: string,
): Promise<{ readonly endpoint: string; close(): Promise<void> }> => {
  for (let tries = 0; tries < 3; tries += 1) {
    const port = await freePort();
    const args = [program() ?? '', 'serve', '--host', host, '--port', String(port), '--db-path', file];
    const child = spawn('/bin/sh', ['-c', lifeline, 'sombus-dynamodb', ...args], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    if (await isUp(child, port))
      return {
        endpoint: `http://${host}:${port}`,
        async close() {
          child.stdin?.end();
          if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        },
      };
    child.stdin?.end();
  }
  throw new Error('Dynoxide did not start.');
};
