import assert from 'node:assert/strict';
import { join } from 'node:path';
import { expectArrival, newMessage, publishOnce, publishPatiently } from './newsroom-traffic.ts';
import { commandIn, commandsIn } from './runbook.ts';
import { printed } from './shell.ts';
import { environment, restoredName, workFolder } from './tools.ts';
import { type Run, rootKeys, type World } from './world.ts';

const heading = '## Restoring the tables';

/**
 * The tables go back to a minute ago, under other names, as the runbook says. What the emulator
 * restores is what the tables have now.
 */
export const restoredTables = async (run: Run, world: World): Promise<void> => {
  const { checks, shell } = run;
  checks.step('Restoring the tables');
  const { deployer, operator, producer, consumer } = world;
  const assembly = (name: string) => ({ ASSEMBLY: join(workFolder, 'assemblies', name) });
  const served = () =>
    printed(
      shell(
        rootKeys,
        'aws ssm get-parameter --name /sombus/$ENV/tables --query Parameter.Value --output text',
      ),
    );
  const before = newMessage();
  const isStopped = await checks.check(
    'the operator stops what writes, and makes the new tables',
    async () => {
      await publishPatiently(world, producer, before);
      const command = commandsIn(heading, 'aws restore --environment $ENV --to').replace(
        /--to \S+/,
        '--to 1m',
      );
      assert.match(command, new RegExp(`--name ${restoredName}`));
      await printed(shell(operator, command));
    },
  );
  if (!isStopped) return;
  await checks.check('meanwhile callers get 503, and nothing is accepted', async () => {
    const response = await publishOnce(world, producer, newMessage()).catch(
      (error: Error) => error,
    );
    const told = response instanceof Error ? response.message : String(response.status);
    assert.match(told, /503|429|TooManyRequests/);
  });
  await checks.check(
    'the deployer deploys with both tables, and everything runs again',
    async () => {
      const [deployment = '', resume = ''] = commandsIn(heading, 'cdk deploy').trim().split(' && ');
      assert.match(resume, /--resume$/);
      await printed(shell(deployer, deployment, assembly('restoring')));
      assert.match(await served(), new RegExp(`sombus-${environment}-ledger-${restoredName}`));
      await printed(shell(operator, resume));
    },
  );
  const after = newMessage();
  await checks.check('what was accepted before arrives, and what is accepted now', async () => {
    await publishPatiently(world, producer, after);
    await expectArrival(world, consumer, [before, after]);
  });
  await checks.check('the deployer deploys with the new tables alone', async () => {
    const [deployment = ''] = commandsIn(heading, 'cdk deploy').trim().split(' && ');
    await printed(shell(deployer, deployment, assembly('restored')));
    const last = newMessage();
    await publishPatiently(world, producer, last);
    await expectArrival(world, consumer, [last]);
  });
  await checks.check('doctor --aws: the tables lack nothing', async () => {
    const { code, out, err } = await shell(operator, commandIn(heading, 'doctor --aws $ENV'));
    assert.equal(code, 0, out + err);
    assert.match(out, new RegExp(`ok .*sombus-${environment}-ledger-${restoredName}`));
  });
};
