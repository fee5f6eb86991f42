import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { startLocalService } from '../local/start.ts';
import type { CommandContext } from './command.ts';
import { demoVariables } from './shell.ts';

/** The command ended with a code of its own, which is then this command's. */
export class ChildFailed extends Error {
  override readonly name = 'ChildFailed';
  readonly code: number;

  constructor(code: number) {
    super(`The command ended with code ${code}.`);
    this.code = code;
  }
}

/** As shells count it: 128 and the signal's number. */
const signalCode = (signal: NodeJS.Signals | null): number => 128 + (signal ? constants.signals[signal] : 0);

/** Runs a command until it ends. Signals that reach this process reach it too. */
const run = ([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  new Promise((resolve, reject) => {
    // Windows starts npm and npx, which are scripts there, only through its shell.
    const child = spawn(program, args, { env, stdio: 'inherit', shell: process.platform === 'win32' });
    const pass = (signal: NodeJS.Signals) => void child.kill(signal);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, pass);
    child.once('error', error => reject(new Error(`${program} cannot be started: ${error.message}.`)));
    child.once('exit', (code, signal) => resolve(code ?? signalCode(signal)));
  });

interface ExecOptions {
  readonly limits: boolean;
}

/** `sombus exec -- npm test`: a command with a fresh bus beside it. */
export const execCommand = ({ terminal }: CommandContext): Command =>
  new Command('exec')
    .description('run a command with a fresh bus beside it, and SOMBUS_* variables that say where it is')
    .argument('<command...>', 'what to run; after --, its own options are left alone')
    .option('--no-limits', 'disable rate limits and quotas')
    .addHelpText('after', "\nIts exit code is the command's. Example: npx som-bus exec -- npm test")
    .action(async (command: readonly string[], { limits }: ExecOptions) => {
      const data = mkdtempSync(join(tmpdir(), 'sombus-exec-'));
      try {
        const service = await startLocalService({
          port: 0,
          portalPort: 0,
          data,
          fresh: false,
          limits,
          openEngines: false,
          hosts: [],
          print: () => undefined,
          warn: line => terminal.error(line),
        });
        const runOn = async () => {
          // These would belong to another bus.
          const { SOMBUS_CLIENT_ID: _, SOMBUS_CLIENT_SECRET: __, ...inherited } = process.env;
          return run(command, { ...inherited, ...demoVariables(data), SOMBUS_DATA: data });
        };
        const code = await runOn().finally(() => service.close());
        if (code !== 0) throw new ChildFailed(code);
      } finally {
        rmSync(data, { recursive: true, force: true });
      }
    });
