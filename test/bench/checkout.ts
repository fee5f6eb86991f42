import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Ready } from '../../lib/local/start.ts';
import { processTree } from './process-tree.ts';

/** A built checkout of this repository: this one, or another to compare it with. */
export interface Checkout {
  readonly name: string;
  readonly folder: string;
}

export const checkoutAt = (folder: string): Checkout => ({ name: folder, folder: resolve(folder) });

const startLimitMilliseconds = 300_000;

/** Resolves with what comes first; a start that says nothing is an error. */
const orTimeout = <T>(result: Promise<T>, what: string): Promise<T> => {
  const over = new AbortController();
  const late = setTimeout(startLimitMilliseconds, undefined, over).then(() => {
    throw new Error(`${what} took longer than ${startLimitMilliseconds / 1000} s.`);
  });
  late.catch(() => undefined);
  return Promise.race([result, late]).finally(() => over.abort());
};

/** What the service loads to answer about itself: see there. */
const probe = join(__dirname, '../../test/bench/probe.cjs');

/** A port that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('A server has no port.');
  return address.port;
};

export type MemoryUsage = NodeJS.MemoryUsage;

/** A CPU profile as V8 gives it. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly children?: readonly number[];
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface Responses {
  readonly heap: MemoryUsage;
  readonly startProfile: undefined;
  readonly stopProfile: Profile;
}

export interface MeasuredService {
  readonly checkout: Checkout;
  readonly data: string;
  readonly ready: Ready;
  readonly port: number;
  /** Of the service and its child processes. */
  readonly tree: ReturnType<typeof processTree>;
  ask<What extends keyof Responses>(what: What): Promise<Responses[What]>;
  /** Runs the checkout's command line on the service's data folder. */
  sombus(...args: readonly string[]): Promise<string>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

let asked = 0;

const asker =
  (child: ChildProcess) =>
  <What extends keyof Responses>(what: What): Promise<Responses[What]> => {
    asked += 1;
    const id = asked;
    return new Promise(resolve => {
      const read = (message: { readonly id: number; readonly result: Responses[What] }): void => {
        if (message.id !== id) return;
        child.off('message', read);
        resolve(message.result);
      };
      child.on('message', read);
      child.send({ id, what });
    });
  };

const program = ({ folder }: Checkout): string => join(folder, 'dist/sombus.js');

const run = promisify(execFile);

interface Start {
  /** 0: any free port. */
  readonly port?: number;
  /** As a person starts it: npm looks first whether there is anything to build. It cannot be asked anything. */
  readonly byNpm?: boolean;
}

/** A new process of a checkout's service, without limits, and what ends it. */
const spawnService = (checkout: Checkout, data: string, { port = 0, byNpm = false }: Start) => {
  const flags = ['--json', '--no-limits', '--port', String(port), '--portal-port', '0', '--data', data];
  if (byNpm) {
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const args = ['start', '--silent', '--', ...flags];
    const child = spawn('npm', args, { cwd: checkout.folder, detached: true, stdio: [...stdio] });
    return { child, kill: (signal: NodeJS.Signals) => process.kill(-(child.pid ?? 0), signal) };
  }
  const args = ['--expose-gc', '--require', probe, program(checkout), 'dev', ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  return { child, kill: (signal: NodeJS.Signals) => child.kill(signal) };
};

/** Starts a checkout's service on a data folder, without limits. */
export const startMeasured = async (
  checkout: Checkout,
  data: string,
  start: Start = {},
): Promise<MeasuredService> => {
  const { child, kill } = spawnService(checkout, data, start);
  const { stdout, pid } = child;
  if (!stdout || pid === undefined) throw new Error('The service has no output.');
  const lines = createInterface(stdout);
  const ended = once(child, 'close');
  const first = Promise.race([once(lines, 'line'), ended.then(() => [undefined])]);
  const [line] = await orTimeout(first, `A start of ${checkout.name}`).catch((error: unknown) => {
    kill('SIGKILL');
    throw error;
  });
  if (typeof line !== 'string') throw new Error(`sombus dev ended with code ${child.exitCode}.`);
  const ready: Ready = JSON.parse(line);
  let isRunning = true;
  ended.then(() => {
    isRunning = false;
  });
  return {
    checkout,
    data,
    ready,
    port: Number(new URL(ready.base_url).port),
    tree: processTree(pid),
    ask: asker(child),
    async sombus(...command) {
      return (await run(process.execPath, [program(checkout), ...command, '--data', data])).stdout;
    },
    async stop(signal = 'SIGTERM') {
      if (isRunning) kill(signal);
      await orTimeout(ended, `A stop of ${checkout.name}`);
    },
  };
};
