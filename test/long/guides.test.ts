import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ServiceProcess, startService, temporaryFolder } from '../support/service-process.ts';
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
  'exec 2>&1',
  npx,
  ...pages.map(page => `printf '\\n${mark} %s\\n' '${page}'\n${commands(page)}`),
  `printf '\\n${mark} end\\n'`,
].join('\n');

/** One shell for all pages: it stops at the first command that fails. */
const startShell = (folder: string) => {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  let isOver = false;
  shell.stdout.setEncoding('utf8').on('data', part => {
    output += part;
  });
  const over = once(shell, 'close').then(() => {
    isOver = true;
  });
  return {
    stop: () => shell.kill(),
    isOver: () => isOver,
    /** Resolves when it prints more, or is over. */
    goesOn: () => Promise.race([once(shell.stdout, 'data'), over]),
    /** What it has printed, page by page. */
    printed: (): ReadonlyMap<string, string> =>
      new Map(
        output
          .split(`${mark} `)
          .slice(1)
          .map(part => {
            const [name = '', ...lines] = part.split('\n');
            return [name, lines.join('\n')];
          }),
      ),
  };
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
    let shell: ReturnType<typeof startShell>;

    beforeAll(async () => {
      service = await startService(join(folder.path, '.sombus'), '--no-limits');
      symlinkSync(resolve('examples'), join(folder.path, 'examples'));
      mkdirSync(join(folder.path, 'node_modules'));
      symlinkSync(resolve('.'), join(folder.path, 'node_modules/som-bus'));
      shell = startShell(folder.path);
    });

    afterAll(async () => {
      shell.stop();
      await service?.stop();
      folder.remove();
    });

    /** What comes out on a page, once its last command has worked; throws where it has not. */
    const printedOn = async (page: string): Promise<string> => {
      const last = () => [...shell.printed().keys()].at(-1) ?? '';
      const isBehind = () => shell.printed().has(page) && last() !== page;
      // Each test waits for its page only: all of them together take minutes.
      while (!isBehind() && !shell.isOver()) await shell.goesOn();
      const output = shell.printed();
      if (!isBehind()) throw new Error(`stopped at ${last()}: ${output.get(last())}`);
      return output.get(page) ?? '';
    };

    test.each(pages)('every command of %s works', async page => {
      const text = await printedOn(page);
      expect(text).not.toMatch(/"accepted":false|^refused|^failed|"error"/m);
    });

    test('the first message is tried, published and received', async () => {
      const text = await printedOn('docs/guides/first-message.md');
      const [, published] = /^accepted: story\.context ([\da-f-]{36})$/m.exec(text) ?? [];
      expect(published).toBeDefined();
      expect(text).toMatch(
        new RegExp(`^\\{"receipt_handle":.*"message_id":"${published}".*"envelope":`, 'm'),
      );
      expect(text).toMatch(/^\{"accepted":true,.*"dry_run":true\}$/m);
    });

    test('a message is tried, published, and sent by each example', async () => {
      const text = await printedOn('docs/guides/producing.md');
      expect(text).toMatch(
        /^would be accepted: story\.context ([\da-f-]{36})\naccepted: story\.context \1$/m,
      );
      expect(text.match(/^202 \{"accepted":true,.*"family":"story-context"\}$/gm)).toHaveLength(2);
      expect(text.match(/^\{"outcome":"accepted",.*"family":"story-context"/gm)).toHaveLength(1);
      expect(text).not.toContain('duplicate');
    });

    test.each(['story-owner', 'executor', 'media-store', 'committing', 'governance'])(
      'each snippet of the role %s sends what the bus accepts',
      async role => {
        const text = await printedOn(`docs/guides/roles/${role}.md`);
        const accepted = text.match(/^20[02] \{"accepted":true|^ {2}outcome: 'accepted',$/gm) ?? [];
        expect(accepted.length).toBeGreaterThanOrEqual(3);
        expect(text).not.toContain("outcome: 'refused'");
      },
    );

    test('a message is pulled, released, pulled again and acknowledged by hand', async () => {
      const text = await printedOn('docs/guides/consuming.md');
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

    test('a role is proven, its signed dry run and publish accepted', async () => {
      const text = await printedOn('docs/guides/cloud-roles.md');
      expect(text).toMatch(/"verified":true/);
      expect(text).toMatch(
        /^\{"accepted":true,.*"dry_run":true\}\n\{"accepted":true,(?!.*dry_run).*"family":/m,
      );
    });
  },
);
