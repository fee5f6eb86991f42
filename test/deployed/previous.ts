import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, root, workFolder } from './tools.ts';

/** What a deployment is made of. */
const deployed = ['lib', 'lambdas', 'cdk.json', 'package-lock.json'];

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** The commit before the last one that changed what is deployed; undefined if it is not here. */
const previousCommit = (): string | undefined => {
  try {
    const last = git('log', '-1', '--format=%H', '--', ...deployed).trim();
    return git('rev-parse', '--verify', `${last}^{commit}~1`).trim();
  } catch {
    return undefined;
  }
};

/** Checks a commit out into an empty folder, with the same packages, and builds it. */
const checkOut = (commit: string, folder: string): void => {
  const archive = execFileSync('git', ['archive', commit], {
    cwd: root,
    maxBuffer: 512 * 1024 * 1024,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  execFileSync('npm', ['run', '-s', 'build'], { cwd: folder, stdio: 'inherit' });
};

/** Synthesises the environment as a commit describes it. */
const assembleCommit = (
  commit: string,
  wanted: { readonly folder: string; readonly settings: Readonly<Record<string, string>> },
): void => {
  const sources = mkdtempSync(join(tmpdir(), 'sombus-previous-'));
  try {
    checkOut(commit, sources);
    const cache = join(sources, 'cdk.out');
    mkdirSync(cache);
    const program = `
      const { assembler } = require('./test/deployed/assembly.ts');
      assembler(${JSON.stringify(cache)})(${JSON.stringify({ ...wanted, environment })});
    `;
    const tsx = join(root, 'node_modules/tsx/dist/cli.mjs');
    execFileSync(process.execPath, [tsx, '-e', program], { cwd: sources, stdio: 'inherit' });
  } finally {
    rmSync(sources, { recursive: true, force: true });
  }
};

/**
 * The assembly of the previous commit, for an upgrade; undefined, with a notice, if there is none:
 * a shallow clone does not have it.
 */
export const previousAssembly = (
  settings: Readonly<Record<string, string>>,
): string | undefined => {
  const commit = previousCommit();
  if (commit === undefined) {
    console.warn('SKIPPED: the upgrade, because the commit before this one is not here.');
    return undefined;
  }
  const folder = join(workFolder, `assemblies-previous/${commit}`);
  if (existsSync(folder)) return folder;
  console.log(`building ${commit.slice(0, 12)}, to upgrade from it`);
  // Under its name only when it is whole.
  assembleCommit(commit, { folder: `${folder}.new`, settings });
  renameSync(`${folder}.new`, folder);
  return folder;
};
