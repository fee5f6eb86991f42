import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import cdkJson from '../../cdk.json';
import { assembler } from './assembly.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { previousAssembly } from './previous.ts';
import {
  account,
  elsewhere,
  environment,
  here,
  installTools,
  pythonLacks,
  region,
  restoredName,
  root,
  workFolder,
} from './tools.ts';

/** What an operator fills in before the first deployment. */
const settings = {
  account,
  region,
  permissionsBoundary: 'sombus-boundary',
  alarmAddress: 'operator@example.org',
};

/** Also what takes more than a few seconds: restore, lost region, upgrade, the other environment. */
const isAll = process.argv.includes('--all');

/** The files that the templates and bundles are made of. */
const sourcesHash = (): string => {
  const ours = ['test/deployed/assembly.ts', 'test/deployed/left-out.ts'];
  const paths = ['lib', 'lambdas', 'schemas', 'skills', 'cdk.json', 'package-lock.json', ...ours];
  const files = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...paths],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const hash = createHash('sha256').update(JSON.stringify({ settings, isAll }));
  for (const file of files.split('\0').filter(name => name !== '' && existsSync(join(root, name))))
    hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
};

/** Synthesises what is deployed; again only if a source has changed. */
const assembleAll = (): void => {
  const assemblies = join(workFolder, 'assemblies');
  const stamp = join(assemblies, 'stamp');
  const hash = sourcesHash();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  rmSync(assemblies, { recursive: true, force: true });
  const cache = join(assemblies, 'cdk.out');
  mkdirSync(cache, { recursive: true });
  const assemble = assembler(cache);
  const made = (name: string, more: Readonly<Record<string, string>> = {}) =>
    assemble({ folder: join(assemblies, name), environment, settings: { ...settings, ...more } });
  made('plain');
  if (isAll) {
    made('restoring', { restoring: restoredName });
    made('restored', { restored: restoredName });
    made('elsewhere', elsewhere);
    assemble({ folder: join(assemblies, 'preview'), environment: 'preview', settings });
  }
  writeFileSync(stamp, hash);
};

/** A folder that looks like that of som-bus, with a `cdk.json` that is filled in. */
const prepareFolder = (name: string, more: Readonly<Record<string, string>> = {}): void => {
  const folder = join(workFolder, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(root, 'docs'), join(folder, 'docs'));
  const context = {
    ...cdkJson.context,
    [environment]: { ...cdkJson.context[environment], ...settings, ...more },
    preview: { ...cdkJson.context.preview, ...settings },
  };
  // `npm run deployed` has built the project: the CDK needs not do so at each command.
  const { build: _build, ...settled } = cdkJson;
  writeFileSync(join(folder, 'cdk.json'), JSON.stringify({ ...settled, context }, null, 2));
};

/** Leaves the emulator running, to look at it or to go through one part again. */
const stayOption = '--stay';

/** What the parts of the walk are told. */
const variablesOf = ({ env, decisions, log, throttled }: Emulator, previous?: string) => ({
  ...env,
  DECISIONS: decisions,
  EMULATOR_LOG: log,
  THROTTLED: throttled,
  ...(previous === undefined ? {} : { PREVIOUS: previous }),
});

const untilStopped = (emulator: Emulator): Promise<void> => {
  const variables = Object.entries(variablesOf(emulator));
  const file = join(workFolder, 'env.sh');
  writeFileSync(file, variables.map(([name, value]) => `export ${name}='${value}'\n`).join(''));
  console.log(`The emulator stays until it is interrupted; ${file} has the variables of a shell.`);
  return emulator.ended();
};

const walk = (
  emulator: Emulator,
  options: readonly string[],
  previous: string | undefined,
): Promise<number> =>
  new Promise(resolve => {
    const env = { ...process.env, ...variablesOf(emulator, previous) };
    const scenario = [join(root, 'node_modules/tsx/dist/cli.mjs'), join(here, 'scenario.ts')];
    const child = spawn(process.execPath, [...scenario, ...options], {
      cwd: root,
      env,
      stdio: 'inherit',
    });
    child.once('exit', code => resolve(code ?? 1));
  });

const main = async (): Promise<void> => {
  const lacks = pythonLacks();
  if (lacks) {
    console.warn(`SKIPPED: the deployed run cannot be made here: ${lacks}.`);
    return;
  }
  mkdirSync(workFolder, { recursive: true });
  const tools = installTools();
  assembleAll();
  const previous = isAll ? previousAssembly(settings) : undefined;
  prepareFolder('run');
  prepareFolder('elsewhere', elsewhere);
  const emulator = await startEmulator(tools);
  const stop = () => emulator.stop();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stop().then(() => process.exit(1)));
  try {
    process.exitCode = await walk(
      emulator,
      ['--first', ...process.argv.slice(2).filter(option => option !== stayOption)],
      previous,
    );
    if (process.argv.includes(stayOption)) await untilStopped(emulator);
  } finally {
    await stop();
  }
};

void main();
