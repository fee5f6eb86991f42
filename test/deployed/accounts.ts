import assert from 'node:assert/strict';
import { commandIn, commandsIn } from './runbook.ts';
import { printed } from './shell.ts';
import type { Run, World } from './world.ts';

const heading = '## Accounts of people';

/** What the operator does with the accounts of people, by the runbook's commands. */
export const accountsOfPeople = async ({ checks, shell }: Run, world: World): Promise<void> => {
  checks.step('Accounts of people');
  const json = async (PERSON: string, command: string) =>
    JSON.parse(await printed(shell(world.operator, `${command.trim()} --json`, { PERSON })));
  const change = (person: string, option: string) =>
    json(person, commandIn(heading, `$PERSON ${option}`));
  const newcomer = 'newcomer@example.org';

  await checks.check('the operator makes an account, and mails its password again', async () => {
    const made = await json(newcomer, commandsIn(heading, 'aws person'));
    assert.deepEqual([made.status, made.mailed], ['invited', true]);
    const { subject } = await change(newcomer, '--resend');
    assert.equal(subject, made.subject);
  });
  await checks.check('an account is disabled', async () => {
    assert.equal((await change(newcomer, '--disable')).status, 'disabled');
  });
  // A member since the calls of the portal.
  const member = 'viewer@example.org';
  await checks.check(
    'whose phone is lost gets a new account, with the old memberships',
    async () => {
      const { subject, organisations } = await change(member, '--reset-mfa');
      assert.equal(organisations.length, 1);
      const list = `sombus member list --environment $ENV ${organisations[0]}`;
      const subjects = (await json(member, list)).map((one: { subject: string }) => one.subject);
      assert.ok(subjects.includes(subject), `${subject} is not in ${subjects}`);
    },
  );
  await checks.check('a person is erased', async () => {
    const erasing = commandsIn('## Erasing a person', '--erase');
    assert.equal((await json(member, erasing)).organisations.length, 1);
    const { err } = await shell(world.operator, erasing, { PERSON: member });
    assert.match(err, /There is no account viewer@example.org/);
  });
};
