import { join } from 'node:path';
import { newChecks } from './checks.ts';
import { sameAsLocal } from './compare.ts';
import { day } from './day.ts';
import { firstDeployment } from './first-deployment.ts';
import { operations } from './operations.ts';
import { planted } from './planted.ts';
import { everyPortalCall, signedOut } from './portal.ts';
import { whoDidWhat } from './rights.ts';
import { cloudRoles } from './roles.ts';
import { rotations } from './rotations.ts';
import { everySchedule } from './schedules.ts';
import { shellAt } from './shell.ts';
import { workFolder } from './tools.ts';
import { keptWorld, type Run, type World } from './world.ts';

// Walks through a deployment at the emulator that `main.ts` started: its environment says where
// that is.

const folder = join(workFolder, 'run');
const outputs = join(folder, 'outputs.json');
const assembly = join(workFolder, 'assemblies/plain');

const parts: Readonly<Record<string, (run: Run, world: World) => Promise<void>>> = {
  day,
  same: sameAsLocal,
  signedOut,
  portal: everyPortalCall,
  roles: cloudRoles,
  schedules: everySchedule,
  rotations,
  operations,
  rights: whoDidWhat,
};

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
  const only = process.argv.slice(2).filter(option => option !== '--planted');
  const isPlanted = process.argv.includes('--planted');
  const world = only.length > 0 && !isPlanted ? keptWorld() : await firstDeployment(run, outputs);
  if (isPlanted) await planted(run, world);
  for (const [name, part] of Object.entries(parts))
    if (isPlanted ? only.includes(name) : only.length === 0 || only.includes(name))
      await part(run, world);
  process.stdout.write(`\n${checks.summary()}\n`);
  for (const failure of checks.failures) process.stdout.write(`  failed: ${failure}\n`);
  process.exitCode = checks.failures.length === 0 ? 0 : 1;
};

void main();
