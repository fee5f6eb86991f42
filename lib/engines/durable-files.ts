import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errorCode } from './machine.ts';

const member = 'checksum';

const checksumOf = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** A value to store as JSON, with a checksum of the rest as its last member. */
export const withChecksum = <T extends object>(value: T): T & { readonly checksum: string } => ({
  ...value,
  [member]: checksumOf(value),
});

/** Whether a stored value matches its checksum, if it has one. */
export const isUnchanged = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || !(member in value)) return true;
  const { [member]: checksum, ...rest } = value;
  return checksum === checksumOf(rest);
};

/** The suffix of half-written files left by a crash, which can be removed. */
export const draftSuffix = '.new';

/** Replaces a file, readable only by its owner: after a crash, it has either the old content or the new. */
export const writeDurably = (path: string, text: string): void => {
  const draft = path + draftSuffix;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
};

const syncFolder = (folder: string): void => {
  // Windows cannot open a folder; NTFS journals directory changes itself.
  if (process.platform === 'win32') return;
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/**
 * Locks a folder for this process, creating it if necessary; rejects when another engine has locked it. The system
 * releases the lock when the process ends, for whatever reason.
 *
 * @returns what releases it
 */
export const lockFolder = async (folder: string): Promise<() => Promise<void>> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = socketPath(realpathSync(folder));
  const server = await listen(path).catch(async (fault: unknown) => {
    if (errorCode(fault) !== 'EADDRINUSE') throw fault;
    if (await isAlive(path)) throw inUse(folder, fault);
    // A socket file left behind by a process: only on systems where sockets are files.
    unlinkSync(path);
    return listen(path);
  });
  server.unref();
  return () => new Promise(resolve => server.close(() => resolve()));
};

const inUse = (folder: string, cause: unknown) =>
  new Error(`${folder} is in use by another engine: stop that one, or choose another folder`, { cause });

/** A name that disappears with its process, if the system has them: abstract sockets (Linux) and pipes (Windows). */
const socketPath = (folder: string): string => {
  const name = `sombus-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  if (process.platform === 'linux') return `\0${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return join(tmpdir(), `${name}.sock`);
};

const listen = (path: string): Promise<Server> => {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => socket.destroy());
    server.once('error', reject);
    server.listen({ path }, () => resolve(server));
  });
};

const isAlive = (path: string): Promise<boolean> => {
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
};
