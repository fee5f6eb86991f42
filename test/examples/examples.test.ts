import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { languages, missing, runExample } from '../support/example-programs.ts';
import { oneService } from '../support/one-service.ts';
import { needOf, testUnless } from '../support/where.ts';

const bus = oneService('--no-limits');

const run = (as: 'producer' | 'consumer', command: readonly string[]) => {
  const { base_url, workspace, [as]: client } = bus.ready;
  return runExample(command, {
    SOMBUS_BASE_URL: base_url,
    SOMBUS_WORKSPACE: workspace,
    SOMBUS_CLIENT_ID: client.client_id,
    SOMBUS_CLIENT_SECRET: client.client_secret,
  });
};

/** The example's message under ids of its own. */
const message = (): { readonly id: string; readonly path: string } => {
  const example = JSON.parse(readFileSync('examples/message.json', 'utf8'));
  const id = randomUUID();
  const payload = { ...example.payload, story_id: `story-${id}` };
  const path = join(bus.data, `${id}.json`);
  writeFileSync(path, JSON.stringify({ ...example, message_id: id, correlation_id: id, payload }));
  return { id, path };
};

describe.each(languages)('the examples in $name', ({ name, needs, run: runner, file }) => {
  const lacking = needOf(missing(needs));

  testUnless(
    lacking,
    'publish, publish again as a duplicate, and receive what was published',
    async () => {
      const { id, path } = message();
      const first = await run('producer', [...runner, file('producer'), path]);
      expect(first).toEqual({
        code: 0,
        output: expect.stringMatching(/^202 .*"accepted":true|"outcome":"accepted"/),
      });
      const again = await run('producer', [...runner, file('producer'), path]);
      expect(again).toEqual({
        code: 0,
        output: expect.stringMatching(/^200 .*"duplicate":true|"outcome":"duplicate"/),
      });
      const received = await run('consumer', [...runner, file('consumer')]);
      expect(received).toEqual({ code: 0, output: `story.context ${id}\n` });
    },
  );

  testUnless(lacking, 'report a refusal and fail', async () => {
    const path = join(bus.data, `refused-${name}.json`);
    writeFileSync(path, '{}');
    const refused = await run('producer', [...runner, file('producer'), path]);
    expect(refused).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^400 .*envelope\.required|"outcome":"refused","status":400.*envelope\.required/,
      ),
    });
  });
});

// Node's own flag, which its types for Node 20 do not know: false, 'strip' or 'transform'.
const stripsTypes = Boolean(Reflect.get(process.features, 'typescript'));
const older = stripsTypes ? undefined : 'only Node 22.18 and newer run TypeScript';

testUnless(older, 'node runs the TypeScript examples directly, where it strips types', async () => {
  const { path } = message();
  const sent = await run('producer', [process.execPath, 'examples/typescript/producer.mts', path]);
  expect(sent).toEqual({ code: 0, output: expect.stringMatching(/"outcome":"accepted"/) });
  const received = await run('consumer', [process.execPath, 'examples/typescript/consumer.mts']);
  expect(received.code).toBe(0);
});
