import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { outputOf } from '../support/output-of.ts';
import { type ServiceProcess, startService, temporaryFolder } from '../support/service-process.ts';

const guides = readdirSync('docs/guides').filter(name => name !== 'README.md');
const needed = ['bash', 'curl', 'jq', 'python3'];
const absent = needed.filter(program => spawnSync(program, ['--version']).status !== 0);

/** The commands of a page: its `sh` blocks, in order. */
const commands = (page: string): string =>
  [...readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('\n');

/** What stands for npx: the program that this test is about, without npx's own start. */
const npx = `npx() { shift; '${process.execPath}' '${resolve('dist/sombus.js')}' "$@"; }`;

describe('the guides, in a folder where the service runs', () => {
  const folder = temporaryFolder();
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startService(join(folder.path, '.sombus'), '--no-limits');
    symlinkSync(resolve('examples'), join(folder.path, 'examples'));
  });

  afterAll(async () => {
    await service.stop();
    folder.remove();
  });

  const run = (script: string) => {
    const env = { ...process.env, PORTAL: service.ready.portal_url, PYTHONDONTWRITEBYTECODE: '1' };
    return outputOf('bash', ['-euo', 'pipefail', '-c', `${npx}\n${script}`], { cwd: folder.path, env });
  };

  const pages = ['README.md', ...guides.map(name => `docs/guides/${name}`)];

  test.each(pages)('every command of %s works', async page => {
    if (absent.length > 0) {
      console.warn(`Skipped: the commands of the guides need ${absent.join(' and ')}.`);
      return;
    }
    const script = commands(page);
    expect(script).not.toBe('');
    const { code, output } = await run(script);
    expect([code, output]).toEqual([0, expect.not.stringMatching(/"accepted":false|^refused|^failed/m)]);
  });

  test('no guide has a command that is not run', () => {
    for (const page of pages.filter(name => name !== 'README.md')) {
      const fences = [...readFileSync(page, 'utf8').matchAll(/^```(\w*)$/gm)].map(([, language]) => language);
      expect(fences.filter(language => language !== '' && language !== 'sh')).toEqual([]);
    }
  });
});
