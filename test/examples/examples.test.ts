import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oneService } from '../support/one-service.ts';
import { outputOf } from '../support/output-of.ts';

const bus = oneService('--no-limits');

const run = (as: 'producer' | 'consumer', command: readonly string[]) => {
  const { base_url, workspace, [as]: client } = bus.ready;
  const [program = '', ...args] = command;
  const env = {
    ...process.env,
    SOMBUS_BASE_URL: base_url,
    SOMBUS_WORKSPACE: workspace,
    SOMBUS_CLIENT_ID: client.client_id,
    SOMBUS_CLIENT_SECRET: client.client_secret,
  };
  return outputOf(program, args, { env });
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

const languages = [
  {
    name: 'TypeScript',
    needs: [],
    run: [process.execPath, '--import', 'tsx'],
    file: (kind: string) => `examples/typescript/${kind}.ts`,
  },
  {
    name: 'Python',
    needs: ['python3'],
    run: ['python3'],
    file: (kind: string) => `examples/python/${kind}.py`,
  },
  {
    name: 'bash',
    needs: ['bash', 'curl', 'jq'],
    run: ['bash'],
    file: (kind: string) => `examples/bash/${kind}.sh`,
  },
];

const missing = (needs: readonly string[]): readonly string[] =>
  needs.filter(program => spawnSync(program, ['--version']).status !== 0);

describe.each(languages)('the examples in $name', ({ name, needs, run: runner, file }) => {
  test('publish, publish again as a duplicate, and receive what was published', async () => {
    const absent = missing(needs);
    if (absent.length > 0) {
      console.warn(`Skipped: the ${name} examples need ${absent.join(' and ')}.`);
      return;
    }
    const { id, path } = message();
    const first = await run('producer', [...runner, file('producer'), path]);
    expect(first).toEqual({ code: 0, output: expect.stringMatching(/^202 .*"accepted":true/) });
    const again = await run('producer', [...runner, file('producer'), path]);
    expect(again).toEqual({ code: 0, output: expect.stringMatching(/^200 .*"duplicate":true/) });
    const received = await run('consumer', [...runner, file('consumer')]);
    expect(received).toEqual({ code: 0, output: `story.context ${id}\n` });
  });

  test('report a refusal and fail', async () => {
    if (missing(needs).length > 0) return;
    const path = join(bus.data, `refused-${name}.json`);
    writeFileSync(path, '{}');
    const refused = await run('producer', [...runner, file('producer'), path]);
    expect(refused).toEqual({ code: 1, output: expect.stringMatching(/^400 .*envelope\.required/) });
  });
});
