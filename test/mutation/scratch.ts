import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { apply, type Change } from './changes.ts';

/** A change may make a loop that never ends. */
export const hungAfterMilliseconds = 300_000;

/** No part of the code, and the package folder is shared: it is only read. */
const left = ['.git', '.stryker-tmp', 'cdk.out', 'node_modules'];

const copyHere = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sombus-mutation-'));
  const isCopied = (path: string) =>
    !left.includes(basename(path)) && !basename(path).startsWith('.sombus');
  cpSync('.', folder, { recursive: true, filter: isCopied });
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  return folder;
};

/** What a command came to: `hung` if it was stopped. */
export interface Outcome {
  readonly status: 'good' | 'bad' | 'hung';
  readonly output: string;
}

const run = (
  folder: string,
  command: readonly string[],
  variables: NodeJS.ProcessEnv = {},
  timeout: number = hungAfterMilliseconds,
): Outcome => {
  const env = { ...process.env, ...variables };
  const options = { cwd: folder, env, encoding: 'utf8', timeout } as const;
  const limits = { killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    ...options,
    ...limits,
  });
  const ended = status === 0 ? 'good' : 'bad';
  return { status: status === null ? 'hung' : ended, output: `${stdout}${stderr}` };
};

const tsc = 'node_modules/typescript/bin/tsc';
const jest = 'node_modules/jest/bin/jest.js';

/** A copy of the project in which one file at a time is changed. */
export interface Scratch {
  readonly folder: string;
  /** Does something while a change is made, and undoes the change. */
  during<T>(change: Change, work: () => T): T;
  /** Runs suites in the order given, until the first that fails. */
  suites(paths: readonly string[], hungAfter?: number): Outcome;
  types(): Outcome;
  build(): Outcome;
  remove(): void;
}

export const makeScratch = (): Scratch => {
  const folder = copyHere();
  return {
    folder,
    during: (change, work) => {
      const file = join(folder, change.path);
      const source = readFileSync(file, 'utf8');
      writeFileSync(file, apply(source, change));
      try {
        return work();
      } finally {
        writeFileSync(file, source);
      }
    },
    suites: (paths, hungAfter) => {
      const sequencer = '--testSequencer=./test/mutation/in-order.cjs';
      const flags = ['--selectProjects', 'fast', 'service', '--ci', '-w', '1', '--bail', sequencer];
      const variables = { MUTATION_SUITES: paths.join(' ') };
      return run(folder, [jest, ...flags, '--runTestsByPath', ...paths], variables, hungAfter);
    },
    // Incremental: most of the code is as it was for the change before.
    types: () =>
      run(folder, [tsc, '--noEmit', '--incremental', '--tsBuildInfoFile', '.types.tsbuildinfo']),
    build: () => run(folder, ['scripts/build.mjs']),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
