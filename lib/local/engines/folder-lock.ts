import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from './error-code.ts';

/**
 * Takes a folder for this process, creating it if need be; rejects when another engine has it. The system gives the
 * lock back however the process ends. Answers with what releases it.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = socketPath(realpathSync(folder));
  const server = await listen(path).catch(async (error: unknown) => {
    if (errorCode(error) !== 'EADDRINUSE') throw error;
    if (await isAlive(path)) throw inUse(folder, error);
    // A socket file that a process left behind: only where sockets are files.
    unlinkSync(path);
    return listen(path);
  });
  server.unref();
  return () => new Promise(resolve => server.close(() => resolve()));
}

const inUse = (folder: string, cause: unknown) =>
  new Error(`${folder} is in use by another engine: stop that one, or choose another folder`, { cause });

/** Names that vanish with their process where there are such: abstract sockets (Linux) and pipes (Windows). */
function socketPath(folder: string): string {
  const name = `sombus-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  if (process.platform === 'linux') return `\0${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return join(tmpdir(), `${name}.sock`);
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => socket.destroy());
    server.once('error', reject);
    server.listen({ path }, () => resolve(server));
  });
}

function isAlive(path: string): Promise<boolean> {
  if (process.platform === 'linux' || process.platform === 'win32') return Promise.resolve(true);
  return new Promise(resolve => {
    const socket = connect(path);
    const answer = (alive: boolean) => {
      socket.destroy();
      resolve(alive);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}
