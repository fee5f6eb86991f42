import assert from 'node:assert/strict';
import { linkCommitted } from '../support/messages.ts';
import { printed } from './shell.ts';
import { tokenOf } from './tokens.ts';
import type { Run, World } from './world.ts';

const publishWith = async ({ baseUrl, workspace }: World, token: string): Promise<number> => {
  const message = linkCommitted({ timestamp: new Date().toISOString() });
  const response = await fetch(`${baseUrl}/tenants/${workspace}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(message),
  });
  return response.status;
};

const keyOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('utf8')).kid;

/** A connection's secret and the environment's signing key are changed while clients work. */
export const rotations = async ({ checks, shell }: Run, world: World): Promise<void> => {
  checks.step('Rotations');
  const { baseUrl, operator, producer } = world;
  const json = async (command: string) =>
    JSON.parse(await printed(shell(operator, `${command} --json`)));
  await checks.check('a new secret works, and the old one meanwhile', async () => {
    const rotate = `sombus connection secret ${producer.client_id} --rotate --overlap 24h --environment $ENV`;
    const { client_secret } = await json(rotate);
    const next = await tokenOf(baseUrl, { ...producer, client_secret });
    assert.equal(await publishWith(world, next), 202);
    await tokenOf(baseUrl, producer);
  });
  await checks.check(
    'a new key is made and signs after the old one was retired at once',
    async () => {
      const before = await tokenOf(baseUrl, producer);
      await printed(shell(operator, 'sombus keys add --environment $ENV'));
      await printed(
        shell(operator, `sombus keys retire ${keyOf(before)} --now --environment $ENV`),
      );
      const keys = await json('sombus keys list --environment $ENV');
      const active = keys.find((key: { state: string }) => key.state === 'active');
      assert.notEqual(active.kid, keyOf(before));
    },
  );
};
