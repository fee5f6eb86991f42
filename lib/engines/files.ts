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
import { isJsonObject } from '../json/value.ts';

/** What an error says; of anything else that was thrown, its text. */
export const errorMessage = (fault: unknown): string =>
  fault instanceof Error ? fault.message : String(fault);

/** The code of a system's error, such as EADDRINUSE; undefined where there is none. */
export const errorCode = (fault: unknown): string | undefined => {
  const code = isJsonObject(fault) ? fault['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
};

/** The account and region that everything local is in: its queue URLs and ARNs name them. */
export const localPlace = { account: '000000000000', region: 'us-east-1' } as const;

/** Time for the engines: tests drive it, `systemClock` is the machine's. */
export interface EngineClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Runs `task` once, `milliseconds` from now, and answers with what cancels it. */
  after(milliseconds: number, task: () => void): () => void;
}

export const systemClock: EngineClock = {
  now: Date.now,
  after(milliseconds, task) {
    const timer = setTimeout(task, milliseconds);
    return () => clearTimeout(timer);
  },
};

const member = 'checksum';

const checksumOf = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** A value to be kept as JSON, with a checksum of the rest as its last member. */
export const withChecksum = <T extends object>(value: T): T & { readonly checksum: string } => ({
  ...value,
  [member]: checksumOf(value),
});

/** Whether a value that was read is the one that was written; true as well where no checksum was kept. */
export const isUnchanged = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || !(member in value)) return true;
  const { [member]: checksum, ...rest } = value;
  return checksum === checksumOf(rest);
};

/** What the name of a file ends in that a crash left half written: it can be removed. */
export const draftSuffix = '.new';

/** Replaces a file as a whole, readable by its owner only: after a crash it holds the old text or the new one. */
export function writeDurably(path: string, text: string): void {
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
}

export function removeDurably(path: string): void {
  unlinkSync(path);
  syncFolder(dirname(path));
}

function syncFolder(folder: string): void {
  // Windows cannot open a folder; NTFS journals its directory changes itself.
  if (process.platform === 'win32') return;
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

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
