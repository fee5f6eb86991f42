import { expectArrival, newMessage, publishPatiently } from './newsroom-traffic.ts';
import { commandsIn } from './runbook.ts';
import { printed } from './shell.ts';
import type { Run, World } from './world.ts';

/** From the templates of the commit before, with messages on their way, to those of this one. */
export const upgrade = async ({ checks, shell, env }: Run, world: World): Promise<void> => {
  if (env['PREVIOUS'] === undefined) return;
  checks.step('Upgrade from the commit before');
  const { deployer, producer, consumer } = world;
  const [arrived, waiting, after] = [newMessage(), newMessage(), newMessage()];
  await checks.check('a message arrives, and another one waits', async () => {
    await publishPatiently(world, producer, arrived);
    await expectArrival(world, consumer, [arrived]);
    await publishPatiently(world, producer, waiting);
  });
  await checks.check('the deployer releases the stacks of this commit', () =>
    printed(shell(deployer, `npx cdk deploy sombus-$ENV-stateful\n${releasing}`)),
  );
  await checks.check('what waited arrives, and what is published now', async () => {
    await publishPatiently(world, producer, after);
    await expectArrival(world, consumer, [waiting, after]);
  });
};

const releasing = commandsIn('## Releasing', 'cdk deploy').split('\n').slice(1).join('\n');
