import { join } from 'node:path';
import { accountsOfPeople } from './accounts.ts';
import { newChecks } from './checks.ts';
import { sameAsLocal } from './compare.ts';
import { countedCalls } from './counted-calls.ts';
import { day } from './day.ts';
import { firstDeployment } from './first-deployment.ts';
import { lostRegion } from './lost-region.ts';
import { operations } from './operations.ts';
import { otherEnvironment } from './other-environment.ts';
import { planted } from './planted.ts';
import { everyPortalCall, signedOut } from './portal.ts';
import { restoredTables } from './restore.ts';
import { whoDidWhat } from './rights.ts';
import { cloudRoles } from './roles.ts';
import { rotations } from './rotations.ts';
import { everySchedule } from './schedules.ts';
import { shellAt } from './shell.ts';
import { throttledTables } from './throttled.ts';
import { workFolder } from './tools.ts';
import { upgrade } from './upgrade.ts';
import { keptWorld, type Run, type World } from './world.ts';

// Walks through a deployment at the emulator that `main.ts` started: its environment says where
// that is.

const folder = join(workFolder, 'run');
const outputs = join(folder, 'outputs.json');
const assembly = join(workFolder, 'assemblies/plain');

type Part = (run: Run, world: World) => Promise<void>;

const parts: Readonly<Record<string, Part>> = {
  upgrade,
  day,
  countedCalls,
  same: sameAsLocal,
  signedOut,
  portal: everyPortalCall,
  accounts: accountsOfPeople,
  roles: cloudRoles,
  schedules: everySchedule,
  rotations,
  operations,
  throttled: throttledTables,
  restore: restoredTables,
  elsewhere: lostRegion,
  preview: otherEnvironment,
  rights: whoDidWhat,
};

/** What takes more than some seconds: only with `--all`. */
const onlyInAll: readonly string[] = ['restore', 'elsewhere', 'preview'];

const main = async (): Promise<void> => {
  const checks = newChecks(
    line => process.stdout.write(`${line}\n`),
    () => Date.now(),
  );
  const run: Run = {
    checks,
    env: process.env,
    shell: shellAt({ assembly, outputs, folder }, process.env),
    decisions: process.env['DECISIONS'] ?? '',
    log: process.env['EMULATOR_LOG'] ?? '',
  };
  const only = process.argv.slice(2).filter(option => !option.startsWith('--'));
  const isAll = process.argv.includes('--all');
  const isPlanted = process.argv.includes('--planted');
  // With parts named, on an emulator that stayed, it goes on from there.
  const isKept = only.length > 0 && !process.argv.includes('--first');
  const world = isKept ? keptWorld() : await firstDeployment(run, outputs);
  if (isPlanted) await planted(run, world);
  const isWanted = (name: string): boolean => {
    if (isPlanted || only.length > 0) return only.includes(name);
    return isAll || !onlyInAll.includes(name);
  };
  for (const [name, part] of Object.entries(parts)) if (isWanted(name)) await part(run, world);
  process.stdout.write(`\n${checks.summary()}\n`);
  for (const failure of checks.failures) process.stdout.write(`  failed: ${failure}\n`);
  process.exitCode = checks.failures.length === 0 ? 0 : 1;
};

void main();
