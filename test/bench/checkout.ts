import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Ready } from '../../lib/local/start.ts';

/** A built checkout of this repository: this one, or another to compare it with. */
export interface Checkout {
  readonly name: string;
  readonly folder: string;
}

export const checkoutAt = (folder: string): Checkout => ({ name: folder, folder: resolve(folder) });

/** What a process has used so far; memory is counted after a garbage collection. */
export interface Usage {
  readonly heapMegabytes: number;
  readonly residentMegabytes: number;
  readonly processorMilliseconds: number;
}

export interface MeasuredService {
  readonly checkout: Checkout;
  readonly data: string;
  readonly ready: Ready;
  readonly port: number;
  /** Never resolves if npm started the service. */
  usage(): Promise<Usage>;
  /** Runs the checkout's command line on the service's data folder. */
  sombus(...args: readonly string[]): Promise<string>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

interface Start {
  /** 0: any free port. */
  readonly port?: number;
  /** As a person starts it: npm looks first whether there is anything to build. */
  readonly byNpm?: boolean;
  /** With the bus's own limits. */
  readonly hasLimits?: boolean;
}

const program = ({ folder }: Checkout): string => join(folder, 'dist/sombus.js');

/** A new process of a checkout's service, and what ends it. */
const spawnService = (
  checkout: Checkout,
  data: string,
  { port = 0, byNpm = false, hasLimits = false }: Start,
) => {
  const flags = [
    '--json',
    ...(hasLimits ? [] : ['--no-limits']),
    '--port',
    String(port),
    '--portal-port',
    '0',
    '--data',
    data,
  ];
  if (byNpm) {
    const child = spawn('npm', ['start', '--silent', '--', ...flags], {
      cwd: checkout.folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return { child, kill: (signal: NodeJS.Signals) => process.kill(-(child.pid ?? 0), signal) };
  }
  // The bundle of a benchmark lies two folders below the root, as this file does.
  const probe = join(__dirname, '../../test/bench/probe.cjs');
  const args = ['--expose-gc', '--require', probe, program(checkout), 'dev', ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  return { child, kill: (signal: NodeJS.Signals) => child.kill(signal) };
};

interface Told {
  readonly id: number;
  readonly memory: NodeJS.MemoryUsage;
  readonly cpu: NodeJS.CpuUsage;
}

const megabyte = 1024 * 1024;

/** Starts a checkout's service on a data folder. */
export const startMeasured = async (
  checkout: Checkout,
  data: string,
  start: Start = {},
): Promise<MeasuredService> => {
  const { child, kill } = spawnService(checkout, data, start);
  if (!child.stdout) throw new Error('The service has no output.');
  const ended = once(child, 'close');
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  if (typeof line !== 'string') throw new Error(`sombus dev ended with code ${child.exitCode}.`);
  const ready: Ready = JSON.parse(line);
  let asked = 0;
  return {
    checkout,
    data,
    ready,
    port: Number(new URL(ready.base_url).port),
    async usage() {
      asked += 1;
      child.send(asked);
      for (;;) {
        const [{ id, memory, cpu }] = (await once(child, 'message')) as [Told];
        if (id === asked)
          return {
            heapMegabytes: memory.heapUsed / megabyte,
            residentMegabytes: memory.rss / megabyte,
            processorMilliseconds: (cpu.user + cpu.system) / 1000,
          };
      }
    },
    async sombus(...command) {
      const args = [program(checkout), ...command, '--data', data];
      return (await promisify(execFile)(process.execPath, args)).stdout;
    },
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) kill(signal);
      await ended;
    },
  };
};
