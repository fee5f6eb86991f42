import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { outputOf } from '../support/output-of.ts';
import { type ServiceProcess, startService, temporaryFolder } from '../support/service-process.ts';

const needed = ['bash', 'curl', 'jq', 'python3'];
const absent = needed.filter(program => spawnSync(program, ['--version']).status !== 0);

/** The guides in the order of their index: the order in which somebody reads them. */
const guides = [...readFileSync('docs/guides/README.md', 'utf8').matchAll(/\]\(([\w-]+\.md)\)/g)].map(
  ([, name = '']) => name,
);
const pages = ['README.md', ...guides.map(name => `docs/guides/${name}`)];

/** The commands of a page: its `sh` blocks, in order. */
const commands = (page: string): string =>
  [...readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('\n');

/** What stands for npx: the program that this test is about, without npx's own start. */
const npx = `npx() { while [ "$1" != sombus ]; do shift; done; shift; '${process.execPath}' '${resolve('dist/sombus.js')}' "$@"; }`;

const mark = '@@ the page';
const passes = ['once', 'and once more'] as const;
const script = [
  npx,
  ...passes.flatMap(pass =>
    pages.map(page => `printf '\\n${mark} %s\\n' '${page} ${pass}'\n${commands(page)}`),
  ),
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
  expect([...guides, 'README.md'].sort()).toEqual(readdirSync('docs/guides').sort());
});

test.each(pages.slice(1))('no command of %s hands a secret to a program as an argument', page => {
  const secret = /(-u|--user) "?\$|-H ["'](Authorization|x-amz-security-token):|-d .*secret/;
  expect(
    commands(page)
      .split('\n')
      .filter(line => secret.test(line)),
  ).toEqual([]);
});

describe('the guides, one after the other in one terminal, in a folder where the service runs', () => {
  const folder = temporaryFolder();
  let service: ServiceProcess | undefined;
  let output: ReadonlyMap<string, string> = new Map();

  beforeAll(async () => {
    if (absent.length > 0) return;
    service = await startService(join(folder.path, '.sombus'), '--no-limits');
    symlinkSync(resolve('examples'), join(folder.path, 'examples'));
    output = await printed(folder.path);
  }, 180_000);

  afterAll(async () => {
    await service?.stop();
    folder.remove();
  });

  /** What came out on a page, once its last command has worked; undefined where a program is missing. */
  const printedOn = (page: string): string | undefined => {
    if (absent.length > 0) {
      console.warn(`Skipped: the commands of the guides need ${absent.join(' and ')}.`);
      return undefined;
    }
    const names = [...output.keys()];
    const text = output.get(page);
    if (names.at(-1) === page || text === undefined)
      throw new Error(`stopped at ${names.at(-1)}: ${output.get(names.at(-1) ?? '')}`);
    return text;
  };

  const runs = passes.flatMap(pass => pages.map(page => [page, pass] as const));

  test.each(runs)('every command of %s works %s', (page, pass) => {
    expect(commands(page)).not.toBe('');
    const text = printedOn(`${page} ${pass}`);
    if (text === undefined) return;
    expect(text).not.toMatch(/"accepted":false|^refused|^failed|"error"/m);
  });

  test.each(passes)('a message is published and received with the commands of the README, %s', pass => {
    const text = printedOn(`README.md ${pass}`);
    if (text === undefined) return;
    expect(text).toMatch(/"accepted":true,"message_id":[^}]*"family":"story-context"\}/);
    expect(text).toMatch(/"ok":\["[^"]+"\],"failed":\[\]/);
  });

  test.each(passes)('a message is pulled, released, pulled again and acknowledged by hand, %s', pass => {
    const text = printedOn(`docs/guides/consuming.md ${pass}`);
    if (text === undefined) return;
    const [, tailed] = /^\{.*"message_id":"([^"]+)".*"receive_count":1,"envelope":/m.exec(text) ?? [];
    const pulled = [...text.matchAll(/^\{"message_id":"([^"]+)",.*"receive_count":(\d+)\}$/gm)];
    const ids = pulled.map(([, id]) => id);
    expect(tailed).toBeDefined();
    expect(pulled.map(([, , count]) => count)).toEqual(['1', '2']);
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(ids).not.toContain(tailed);
    expect(text).toMatch(/^true\n.*"receive_count":2\}\ntrue\n"receipt.expired"$/m);
  });

  test.each(passes)('a role is proven and its signed dry run accepted, %s', pass => {
    const text = printedOn(`docs/guides/cloud-roles.md ${pass}`);
    if (text === undefined) return;
    expect(text).toMatch(/"verified":true/);
    expect(text).toMatch(/"accepted":true.*"dry_run":true/);
  });
});

test('git leaves alone what the guides write', () => {
  const files = pages.flatMap(page => [...commands(page).matchAll(/(?<![0-9>&])> ?(\w[\w.-]+)/g)]);
  const written = [...new Set(files.map(([, name = '']) => name))];
  expect(written.sort()).toEqual(['house.yaml', 'message.json', 'role-message.json']);
  const ignored = readFileSync('.gitignore', 'utf8').split('\n');
  expect(written.filter(name => !ignored.includes(`/${name}`))).toEqual([]);
});
