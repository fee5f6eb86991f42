import { tenantUrl, tokenLines } from '../page/curl.ts';

/**
 * A test that publishes a message, saved as a file, on a bus of its own. It runs as it is:
 * `node --test`.
 */
export const testOf = (file: string): string => `import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { startBus } from 'som-bus/testing';

test('a consumer gets the message', async t => {
  const text = readFileSync('${file}', 'utf8');
  const { message_id, originating_system } = JSON.parse(text);
  const bus = await startBus();
  t.after(() => bus.close());
  const producer = await bus.producer({ systems: [originating_system.system_id] });
  const consumer = await bus.consumer();
  const verdict = await producer.publish(text);
  assert.equal(verdict.outcome, 'accepted', JSON.stringify(verdict));
  await bus.expect(consumer, { message_id }, { within: '5s' });
});
`;

/**
 * A publish of a message that was saved as a file, with the variables of a producer as the page of
 * its secret shows them.
 */
export const curlOf = (file: string): string =>
  [
    ...tokenLines,
    `curl -sS "${tenantUrl}/messages" \\`,
    '  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\',
    `  --data-binary @${file}`,
  ].join('\n');
