import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import {
  expectArrival,
  newMessage,
  publishOnce,
  publishPatiently,
  publishWithToken,
} from './newsroom-traffic.ts';
import { tokenOf } from './tokens.ts';
import { environment } from './tools.ts';
import type { Run, World } from './world.ts';

/** What the contract says of a bus that cannot work now: nothing was accepted, send it again. */
const assertRetry = async (response: Response): Promise<void> => {
  const text = await response.text();
  assert.equal(response.status, 503, text);
  const { accepted, violations } = JSON.parse(text);
  assert.equal(accepted, false);
  assert.deepEqual(
    violations.map(({ rule }: { readonly rule: string }) => rule),
    ['registry.unavailable'],
  );
};

/** DynamoDB refuses calls to one table after the other, as it does beyond their limits. */
export const throttledTables = async ({ checks, env }: Run, world: World): Promise<void> => {
  checks.step('Throttled tables');
  const { baseUrl, producer, consumer } = world;
  const path = env['THROTTLED'] ?? '';
  const whileThrottled = async (table: string, work: () => Promise<void>): Promise<void> => {
    writeFileSync(path, `sombus-${environment}-${table}\n`);
    try {
      await work();
    } finally {
      rmSync(path, { force: true });
    }
  };
  const inStory = newMessage();
  const token = await tokenOf(baseUrl, producer);
  await checks.check('the ledger: a publish is told to come again, and is not accepted', () =>
    whileThrottled('ledger', async () => {
      await assertRetry(await publishWithToken(world, token, inStory));
    }),
  );
  await checks.check('afterwards the same message is new, and arrives', async () => {
    const response = await publishWithToken(world, token, inStory);
    assert.equal(response.status, 202, await response.text());
    await expectArrival(world, consumer, [inStory]);
  });
  await checks.check('the registry: no token is issued, and clients are told to come again', () =>
    whileThrottled('registry', () => assert.rejects(tokenOf(baseUrl, producer), /503/)),
  );
  const unrecorded = newMessage();
  await checks.check('the records of activity: messages are accepted and arrive all the same', () =>
    whileThrottled('activity', async () => {
      const response = await publishOnce(world, producer, unrecorded);
      assert.equal(response.status, 202, await response.text());
      await expectArrival(world, consumer, [unrecorded]);
    }),
  );
  const later = newMessage();
  await checks.check('a client that waits gets its message in when the ledger is free', () =>
    whileThrottled('ledger', async () => {
      const published = publishPatiently(world, producer, later);
      const refused = await publishWithToken(world, token, newMessage());
      await assertRetry(refused);
      rmSync(path, { force: true });
      await published;
      await expectArrival(world, consumer, [later]);
    }),
  );
};
