import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  outputOf,
  type ServiceProcess,
  startService,
  temporaryFolder,
} from '../support/service-process.ts';
import { describeUnless, needOf } from '../support/where.ts';

const needed = ['bash', 'curl', 'jq', 'python3'];
const absent = needed.filter(program => spawnSync(program, ['--version']).status !== 0);

/** The guides in the order of their index: the order in which somebody reads them. */
const guides = [
  ...readFileSync('docs/guides/README.md', 'utf8').matchAll(/\]\(([\w-]+(?:\/[\w-]+)?\.md)\)/g),
].map(([, name = '']) => name);
const pages = ['README.md', ...guides.map(name => `docs/guides/${name}`)];

/** The commands of a page: its `sh` blocks, in order. */
const commands = (page: string): string =>
  [...readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, block]) => block)
    .join('\n');

/** What stands for npx: the programs of this folder, without npx's own start. */
const npx = [
  `sombus() { '${process.execPath}' '${resolve('dist/sombus.js')}' "$@"; }`,
  `tsx() { '${resolve('node_modules/.bin/tsx')}' "$@"; }`,
  'npx() { [ "$1" = --no ] && shift && "$@"; }',
].join('\n');

const mark = '@@ the page';
const script = [
  npx,
  ...pages.map(page => `printf '\\n${mark} %s\\n' '${page}'\n${commands(page)}`),
  `printf '\\n${mark} end\\n'`,
].join('\n');

/** What one shell printed, page by page: it stops at the first command that fails. */
const printed = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const { output } = await outputOf('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  return new Map(
    output
      .split(`${mark} `)
      .slice(1)
      .map(part => {
        const [name = '', ...lines] = part.split('\n');
        return [name, lines.join('\n')];
      }),
  );
};

test('every guide is in the index', () => {
  const files = readdirSync('docs/guides', { recursive: true, encoding: 'utf8' });
  const pages = files.filter(name => name.endsWith('.md'));
  expect([...guides, 'README.md'].sort()).toEqual(pages.sort());
});

test.each(pages)('no command of %s hands a secret to a program as an argument', page => {
  const secret = /(-u|--user) "?\$|-H ["'](Authorization|x-amz-security-token):|-d .*secret/;
  expect(
    commands(page)
      .split('\n')
      .filter(line => secret.test(line)),
  ).toEqual([]);
});

describeUnless(
  needOf(absent),
  'the guides, one after the other in one terminal, in a folder where the service runs',
  () => {
    const folder = temporaryFolder();
    let service: ServiceProcess | undefined;
    let output: ReadonlyMap<string, string> = new Map();

    beforeAll(async () => {
      service = await startService(join(folder.path, '.sombus'), '--no-limits');
      symlinkSync(resolve('examples'), join(folder.path, 'examples'));
      mkdirSync(join(folder.path, 'node_modules'));
      symlinkSync(resolve('.'), join(folder.path, 'node_modules/som-bus'));
      output = await printed(folder.path);
    });

    afterAll(async () => {
      await service?.stop();
      folder.remove();
    });

    /** What came out on a page, once its last command has worked; throws where it has not. */
    const printedOn = (page: string): string => {
      const names = [...output.keys()];
      const text = output.get(page);
      if (names.at(-1) === page || text === undefined)
        throw new Error(`stopped at ${names.at(-1)}: ${output.get(names.at(-1) ?? '')}`);
      return text;
    };

    test.each(pages)('every command of %s works', page => {
      const text = printedOn(page);
      expect(text).not.toMatch(/"accepted":false|^refused|^failed|"error"/m);
    });

    test('the first message is tried, published and received', () => {
      const text = printedOn('docs/guides/first-message.md');
      const [, published] = /^accepted: story\.context ([\da-f-]{36})$/m.exec(text) ?? [];
      expect(published).toBeDefined();
      expect(text).toMatch(
        new RegExp(`^\\{"receipt_handle":.*"message_id":"${published}".*"envelope":`, 'm'),
      );
      expect(text).toMatch(/^\{"accepted":true,.*"dry_run":true\}$/m);
    });

    test('a message is tried, published, and sent by each example', () => {
      const text = printedOn('docs/guides/producing.md');
      expect(text).toMatch(
        /^would be accepted: story\.context ([\da-f-]{36})\naccepted: story\.context \1$/m,
      );
      expect(text.match(/^202 \{"accepted":true,.*"family":"story-context"\}$/gm)).toHaveLength(2);
      expect(text.match(/^\{"outcome":"accepted",.*"family":"story-context"/gm)).toHaveLength(1);
      expect(text).not.toContain('duplicate');
    });

    test.each(['story-owner', 'executor', 'media-store', 'committing', 'governance'])(
      'each snippet of the role %s sends what the bus accepts',
      role => {
        const text = printedOn(`docs/guides/roles/${role}.md`);
        const accepted = text.match(/^20[02] \{"accepted":true|^ {2}outcome: 'accepted',$/gm) ?? [];
        expect(accepted.length).toBeGreaterThanOrEqual(3);
        expect(text).not.toContain("outcome: 'refused'");
      },
    );

    test('a message is pulled, released, pulled again and acknowledged by hand', () => {
      const text = printedOn('docs/guides/consuming.md');
      const [, tailed] =
        /^\{.*"message_id":"([^"]+)".*"receive_count":1,"envelope":/m.exec(text) ?? [];
      const pulled = [...text.matchAll(/^\{"message_id":"([^"]+)",.*"receive_count":(\d+)\}$/gm)];
      const ids = pulled.map(([, id]) => id);
      expect(tailed).toBeDefined();
      expect(pulled.map(([, , count]) => count)).toEqual(['1', '2']);
      expect(ids).toEqual([ids[0], ids[0]]);
      expect(ids).not.toContain(tailed);
      expect(text).toMatch(/^true\n.*"receive_count":2\}\ntrue\n"receipt.expired"$/m);
    });

    test('a role is proven, its signed dry run and publish accepted', () => {
      const text = printedOn('docs/guides/cloud-roles.md');
      expect(text).toMatch(/"verified":true/);
      expect(text).toMatch(
        /^\{"accepted":true,.*"dry_run":true\}\n\{"accepted":true,(?!.*dry_run).*"family":/m,
      );
    });
  },
);
