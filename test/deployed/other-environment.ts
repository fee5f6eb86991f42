import assert from 'node:assert/strict';
import { join } from 'node:path';
import { commandIn, commandsIn } from './runbook.ts';
import { printed } from './shell.ts';
import { workFolder } from './tools.ts';
import type { Run, World } from './world.ts';

const heading = '## Before the first deployment';

/** The environment `preview` is deployed beside the sandbox, in the same account. */
export const otherEnvironment = async ({ checks, shell }: Run, world: World): Promise<void> => {
  checks.step('The environment preview');
  const { deployer, operator } = world;
  const there = {
    ENV: 'preview',
    ASSEMBLY: join(workFolder, 'assemblies/preview'),
    OUTPUTS: join(workFolder, 'run/outputs-preview.json'),
  };
  const isDeployed = await checks.check('the deployer deploys its four stacks', () =>
    printed(shell(deployer, commandsIn(heading, 'cdk deploy'), there)),
  );
  if (!isDeployed) return;
  await checks.check('doctor --aws: every line is ok', async () => {
    const doctor = commandIn(heading, 'doctor --aws $ENV --ring');
    const { code, out, err } = await shell(operator, doctor, there);
    assert.equal(code, 0, out + err);
    assert.match(out, /published, pulled and acknowledged/);
  });
  await checks.check('the probe gets its connections and sends a message', () =>
    printed(shell(operator, commandIn(heading, 'aws probe'), there)),
  );
};
