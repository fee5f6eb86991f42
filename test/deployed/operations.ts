import assert from 'node:assert/strict';
import { deploy, withNewVersion } from './redeploy.ts';
import { commandsIn } from './runbook.ts';
import { printed } from './shell.ts';
import { tokenOf } from './tokens.ts';
import { type Run, rootKeys, type World } from './world.ts';

/** What goes wrong in a night, and what the operator does about it. */
export const operations = async (run: Run, world: World): Promise<void> => {
  const { checks, shell } = run;
  checks.step('Operations');
  const { baseUrl, operator, producer, consumer } = world;
  const asOperator = (commands: string) => printed(shell(operator, commands));
  const asRoot = (commands: string) => printed(shell(rootKeys, commands));

  await checks.check(
    "a queue's policy that somebody deleted comes back with queue repair",
    async () => {
      const policy = `aws sqs get-queue-attributes --queue-url ${consumer.queue_url} --attribute-names Policy --query Attributes.Policy --output text`;
      const before = await asRoot(policy);
      assert.match(before, /Statement/);
      await asRoot(
        `aws sqs set-queue-attributes --queue-url ${consumer.queue_url} --attributes Policy=`,
      );
      assert.notEqual(await asRoot(policy), before);
      await asOperator('sombus queue repair --environment $ENV');
      assert.deepEqual(JSON.parse(await asRoot(policy)), JSON.parse(before));
    },
  );

  await checks.check(
    'a disabled signing key is told, and tokens are issued again when it is enabled',
    async () => {
      const each = (what: string) =>
        asRoot(
          `for key in $(aws kms list-keys --query 'Keys[].KeyId' --output text); do aws kms ${what}-key --key-id $key; done`,
        );
      await each('disable');
      await assert.rejects(tokenOf(baseUrl, producer), /503/);
      await each('enable');
      await tokenOf(baseUrl, producer);
    },
  );

  await checks.check('a connection is paused, gets another tier, and resumes', async () => {
    const of = `--environment $ENV`;
    await asOperator(`sombus connection pause ${producer.client_id} ${of}`);
    await asOperator(`sombus quota set --connection ${producer.client_id} --tier high ${of}`);
    await asOperator(`sombus connection resume ${producer.client_id} ${of}`);
  });

  await checks.check('a release of the bus is rolled back, without the sources', async () => {
    const alias =
      'aws lambda get-alias --function-name sombus-$ENV-health --name live --query FunctionVersion --output text';
    const before = await asRoot(alias);
    await deploy(run, world, { bus: template => withNewVersion(template, 'health') });
    assert.notEqual(await asRoot(alias), before);
    await asOperator(commandsIn('## Rolling back', 'aws rollback'));
    assert.equal(await asRoot(alias), before);
    const response = await fetch(`${baseUrl}/health`);
    assert.equal(response.status, 200);
  });

  for (const command of [
    'sombus org list',
    'sombus workspace list',
    `sombus connection show ${producer.client_id}`,
    `sombus queue show ${consumer.client_id}`,
    `sombus replay start --connection ${consumer.client_id} --from 1h`,
  ])
    await checks.check(`the operator runs ${command.replaceAll(/ c\w{12}/g, ' …')}`, () =>
      asOperator(`${command} --environment $ENV`),
    );
};
