import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { selfSigned } from '../support/certificate.ts';

export const here = __dirname;
export const root = join(here, '../..');
/** What a run installs and writes; git ignores it. */
export const workFolder = join(here, '.work');

export const region = 'eu-west-1';
/** Where the environment is made anew after its region is lost, as members of `cdk.json`. */
export const elsewhere = {
  account: '444455556666',
  region: 'eu-central-1',
  restored: 'elsewhere',
} as const;
/** What the names of restored tables end with, as in the runbook. */
export const restoredName = '20261122';
export const account = '111122223333';
export const environment = 'sandbox';

const requirements = join(here, 'emulator/requirements.txt');
const nodeRelease = '24.21.0';

const run = (program: string, ...args: readonly string[]) =>
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });

/** Makes something once, and again when what it is made of has changed. */
const once = (name: string, madeOf: string, make: () => void): void => {
  const stamp = join(workFolder, `${name}.stamp`);
  const hash = createHash('sha256').update(madeOf).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  make();
  writeFileSync(stamp, hash);
};

/** Why the emulator cannot run here; undefined if it can. */
export const pythonLacks = (): string | undefined => {
  try {
    run('python3', '-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))');
    return undefined;
  } catch {
    return 'it needs Python 3.10 or newer, with venv';
  }
};

const installPython = (): string => {
  const folder = join(workFolder, 'python');
  once('python', readFileSync(requirements, 'utf8'), () => {
    run('python3', '-m', 'venv', '--clear', folder);
    const pip = join(folder, 'bin/pip');
    run(
      pip,
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--require-hashes',
      '-r',
      requirements,
    );
  });
  return join(folder, 'bin');
};

const isNode24 = (program: string): boolean => {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8' }).startsWith('v24.');
  } catch {
    return false;
  }
};

/** The Node of the functions: this machine's, or the npm package of it. */
const installNode = (): string => {
  const present = [process.execPath, process.env['SOMBUS_NODE24'] ?? ''].find(isNode24);
  if (present) return present;
  const folder = join(workFolder, 'node24');
  once('node24', nodeRelease, () => {
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--silent'];
    run('npm', 'install', '--prefix', folder, ...quiet, `node@${nodeRelease}`);
  });
  return join(folder, 'node_modules/node/bin/node');
};

const hostNames = (): string => {
  const ofRegions = [region, elsewhere.region].flatMap(name => [
    `*.${name}.amazonaws.com`,
    `*.execute-api.${name}.amazonaws.com`,
    `*.s3.${name}.amazonaws.com`,
    `${name}.queue.amazonaws.com`,
    `*.auth.${name}.amazoncognito.com`,
  ]);
  const names = ['localhost', '*.amazonaws.com', ...ofRegions];
  return [...names.map(name => `DNS:${name}`), 'IP:127.0.0.1'].join(',');
};

export interface Tools {
  /** The folder of Python's programs. */
  readonly python: string;
  readonly node24: string;
  readonly certificate: { readonly certFile: string; readonly keyFile: string };
}

export const installTools = (): Tools => {
  mkdirSync(join(workFolder, 'tls'), { recursive: true });
  return {
    python: installPython(),
    node24: installNode(),
    certificate: selfSigned(join(workFolder, 'tls'), hostNames()),
  };
};

/** The first folders of `PATH`. */
export const withPath = (...folders: readonly string[]): string =>
  [...folders, process.env['PATH'] ?? ''].join(delimiter);
