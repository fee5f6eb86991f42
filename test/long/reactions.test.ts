import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { connect } from '../../lib/kit/client/index.ts';
import { pythonTools } from '../../scripts/python-tools.ts';
import { storyContext } from '../support/messages.ts';
import { oneService } from '../support/one-service.ts';
import { outputOf } from '../support/service-process.ts';
import { testUnless } from '../support/where.ts';

const bus = oneService('--no-limits');
const tools = pythonTools('httpx==0.28.1');
afterAll(() => tools?.close());
const python = tools?.bin('python');

interface Client {
  readonly connection_id: string;
  readonly client_secret: string;
}

/** A connection of an app, whose name is its system_id too. */
const connection = async (
  app: string,
  kind: string,
  ...more: readonly string[]
): Promise<Client> => {
  const to = ['--kind', kind, '--workspace', bus.ready.workspace, '--app', app];
  const { record } = await bus.run('connection', 'create', ...to, ...more);
  return record;
};

const variables = (name: string, { connection_id, client_secret }: Client) => ({
  [`SOMBUS_${name}_ID`]: connection_id,
  [`SOMBUS_${name}_SECRET`]: client_secret,
});

/** A vendor's system in a folder of its own, and what its program finds in the environment. */
const partyOf = async (systemId: string) => {
  const folder = join(bus.data, systemId);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(resolve('.'), join(folder, 'node_modules', 'som-bus'));
  const publisher = await connection(systemId, 'producer', '--grant', 'asset.ingested');
  const reader = await connection(systemId, 'consumer', '--receive', 'story.context');
  const env = {
    ...process.env,
    PYTHONPATH: resolve('clients/python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
    SOMBUS_BASE_URL: bus.base,
    SOMBUS_WORKSPACE: bus.ready.workspace,
    SOMBUS_SYSTEM_ID: systemId,
    ...variables('PUBLISHER', publisher),
    ...variables('READER', reader),
  };
  return { systemId, folder, env };
};

/** The code of a page that has a text in it. */
const shown = (page: string, language: string, words: string): string => {
  const blocks = readFileSync(page, 'utf8').matchAll(
    new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'),
  );
  const found = [...blocks].map(([, code = '']) => code).filter(code => code.includes(words));
  expect(found).toHaveLength(1);
  return found[0] ?? '';
};

const refused = JSON.stringify({ message_id: 'not a message' });

/**
 * A recipe, how its outbox is given a message that the bus refuses, and what the outbox has
 * afterwards.
 */
const recipes = [
  {
    name: "the client's guide",
    code: () => shown('docs/guides/client.md', 'js', 'uuidv5'),
    program: [process.execPath, 'recipe.mjs'],
    lacking: undefined,
    add: (folder: string) => {
      mkdirSync(join(folder, 'outbox'), { recursive: true });
      writeFileSync(join(folder, 'outbox', 'bad.json'), refused);
    },
    outbox: (folder: string) => readdirSync(join(folder, 'outbox')),
    left: ['bad.json.refused'],
  },
  {
    name: "the Python client's page",
    code: () => shown('clients/python/README.md', 'python', 'uuid5'),
    program: [python ?? '', 'recipe.py'],
    lacking: python === undefined ? 'Python packages cannot be installed here' : undefined,
    add: (folder: string) => {
      const table = 'CREATE TABLE outbox (message_id TEXT PRIMARY KEY, message TEXT, refused TEXT)';
      const row = `INSERT INTO outbox VALUES ('bad', '${refused}', NULL)`;
      const script = `import sqlite3\nwith sqlite3.connect('newsroom.db') as d:\n d.execute("""${table}""")\n d.execute("""${row}""")`;
      expect(spawnSync('python3', ['-c', script], { cwd: folder }).status).toBe(0);
    },
    outbox: (folder: string) => {
      const script =
        "import sqlite3\nfor r in sqlite3.connect('newsroom.db').execute('SELECT message_id, refused IS NULL FROM outbox'): print(*r)";
      const { stdout } = spawnSync('python3', ['-c', script], { cwd: folder, encoding: 'utf8' });
      return stdout.trim().split('\n');
    },
    left: ['bad 0'],
  },
];

const count = 40;

describe.each(recipes)('the reaction that survives a crash, as $name has it', recipe => {
  const { program, lacking, code, add, outbox, left } = recipe;
  const file = program[1] ?? '';
  const tag = file.replace('recipe.', '');

  testUnless(
    lacking,
    'two vendors that react to the same messages are both heard, and a refusal stays in the outbox',
    async () => {
      const parties = [await partyOf(`first-${tag}`), await partyOf(`second-${tag}`)];
      const all = await connection(`all-${tag}`, 'consumer', '--receive', 'asset.ingested');
      const connected = { baseUrl: bus.base, workspace: bus.ready.workspace };
      const { client_id: clientId, client_secret: clientSecret } = bus.ready.producer;
      const producer = connect({ ...connected, clientId, clientSecret });
      for (let number = 1; number <= count; number += 1) {
        const story = storyContext({ sequence_number: 1 });
        expect(await producer.publish(JSON.stringify(story))).toMatchObject({
          outcome: 'accepted',
        });
      }

      for (const { folder, env } of parties) {
        writeFileSync(join(folder, file), code());
        add(folder);
        const result = await outputOf(program[0] ?? '', program.slice(1), { cwd: folder, env });
        const { code: ended, stdout, stderr } = result;
        expect([ended, stdout, stderr]).toEqual([
          0,
          '',
          expect.stringMatching(/bad\S* was refused:.*envelope\.required/s),
        ]);
        expect(outbox(folder)).toEqual(left);
      }

      const listener = connect({
        ...connected,
        clientId: all.connection_id,
        clientSecret: all.client_secret,
      });
      const heard = new Map<string, number>();
      for await (const { systemId } of listener.consume({ wait: 1, untilEmpty: true }))
        heard.set(systemId, (heard.get(systemId) ?? 0) + 1);
      expect([...heard].sort()).toEqual(parties.map(({ systemId }) => [systemId, count]));
    },
  );
});

test('the client that the recipe imports is built', () => {
  expect(existsSync('dist/client')).toBe(true);
});
