import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pythonTools } from '../../scripts/python-tools.ts';
import { resultOf, sombusWith, temporaryFolder } from '../support/service-process.ts';

const tools = pythonTools('httpx==0.28.1', 'pytest==9.2.0', 'mypy==2.4.1', 'pyright==1.1.414');
afterAll(() => tools?.close());

const notice = tools ? '' : '[skipped: Python packages cannot be installed here] ';
const variables = { PYTHONDONTWRITEBYTECODE: '1' };
const quiet = ['-q', '-p', 'no:cacheprovider'];

(tools ? describe : describe.skip)(`${notice}the Python client`, () => {
  const bin = (program: string): string => tools?.bin(program) ?? '';
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  test('does what the table of cases says', async () => {
    const { code, stdout } = await resultOf([bin('pytest'), ...quiet, 'clients/python'], variables);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\d{3} passed/)]);
  });

  test('has types', async () => {
    const source = 'clients/python/src';
    const { stdout } = await resultOf([
      bin('mypy'),
      '--strict',
      '--cache-dir',
      folder.path,
      source,
    ]);
    expect(stdout).toMatch(/^Success/);
  });

  const shown = [
    ...readFileSync('clients/python/README.md', 'utf8').matchAll(/^```python\n(.*?)^```$/gms),
  ].map(([, text = ''], index) => [`example_${index + 1}.py`, text] as const);

  test('its page shows three programs, which mypy and pyright accept', async () => {
    const files = shown.map(([name, text]) => {
      const path = join(folder.path, name);
      writeFileSync(path, text);
      return path;
    });
    const types = ['--strict', '--cache-dir', folder.path];
    const env = { ...variables, MYPYPATH: resolve('clients/python/src') };
    expect((await resultOf([bin('mypy'), ...types, ...files], env)).stdout).toBe(
      'Success: no issues found in 3 source files\n',
    );
    const settings = {
      extraPaths: [resolve('clients/python/src')],
      include: ['*.py'],
      typeCheckingMode: 'strict',
    };
    writeFileSync(join(folder.path, 'pyrightconfig.json'), JSON.stringify(settings));
    const { stdout } = await resultOf([
      bin('pyright'),
      '-p',
      folder.path,
      '--pythonpath',
      bin('python'),
    ]);
    expect(stdout).toContain('0 errors, 0 warnings');
  });

  test.each(shown)('its page does what it shows: %s', async name => {
    const { code, stderr } = await sombusWith(
      { ...variables, PYTHONPATH: resolve('clients/python/src') },
      ...['exec', '--', 'sh', '-c', `cd ${folder.path} && ${bin('python')} ${name}`],
    );
    expect([code, stderr]).toEqual([0, '']);
  });

  test('runs the example for pytest, with a bus beside it', async () => {
    const { code, stdout } = await sombusWith(
      { ...variables, PYTHONPATH: 'clients/python/src' },
      ...['exec', '--', bin('pytest'), ...quiet, 'examples/testing/test_story.py'],
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining('2 passed')]);
  });
});
