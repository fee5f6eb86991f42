import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Ready } from '../../lib/local/start.ts';

/** The command line, as `npm run build` makes it. */
export const program = join(__dirname, '../../dist/sombus.js');

/** An empty folder, and what removes it. */
export const temporaryFolder = () => {
  const path = mkdtempSync(join(tmpdir(), 'sombus-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
};

/** A command's exit code and output, as a whole and by stream. */
export const outputOf = async (command: string, args: readonly string[], options: SpawnOptions) => {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { output: '', stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', chunk => {
      written[name] += chunk;
      written.output += chunk;
    });
  const [code] = await once(child, 'close');
  return { code: code as number, ...written };
};

/** The same with more environment variables. */
export const resultOf = async (
  [command = '', ...args]: readonly string[],
  variables: NodeJS.ProcessEnv = {},
) => {
  const { output: _, ...result } = await outputOf(command, args, {
    env: { ...process.env, ...variables },
  });
  return result;
};

/** The command line's output and exit code, with more environment variables. */
export const sombusWith = (variables: NodeJS.ProcessEnv, ...args: readonly string[]) =>
  resultOf([process.execPath, program, ...args], variables);

/** The command line's output and exit code. */
export const sombus = (...args: readonly string[]) => sombusWith({}, ...args);

/** The arguments of `sombus dev` on free ports, unless told otherwise. */
export const devOn = (args: readonly string[]) => [
  'dev',
  '--port',
  '0',
  '--portal-port',
  '0',
  ...args,
];

/** The output and exit code of a `sombus dev`. */
export const dev = (...args: readonly string[]) => sombus(...devOn(args));

/** A `sombus dev` for a person, under way. */
export const spawnDev = (data: string) =>
  spawn(process.execPath, [program, ...devOn(['--data', data])]);

/** A running `sombus dev --json`. */
export interface ServiceProcess {
  readonly ready: Ready;
  readonly child: ChildProcess;
  /** Lines printed on standard output after the first. */
  readonly later: string[];
  /** Ends the process with a signal and waits for it; responds with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts the service on a data folder, on free ports unless told otherwise. */
export const startService = (data: string, ...args: readonly string[]): Promise<ServiceProcess> =>
  startServiceWith({}, data, ...args);

/** The same with more environment variables. */
export const startServiceWith = async (
  variables: NodeJS.ProcessEnv,
  data: string,
  ...args: readonly string[]
): Promise<ServiceProcess> => {
  const child = spawn(process.execPath, [program, ...devOn(['--data', data, '--json', ...args])], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...variables },
  });
  const lines = createInterface(child.stdout);
  const ended = once(child, 'close');
  const [first] = await Promise.race([once(lines, 'line'), ended.then(() => [undefined])]);
  if (typeof first !== 'string') throw new Error(`sombus dev ended with code ${child.exitCode}.`);
  const later: string[] = [];
  lines.on('line', line => later.push(line));
  return {
    ready: JSON.parse(first) as Ready,
    child,
    later,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
};
