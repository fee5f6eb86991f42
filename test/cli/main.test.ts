import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandRefused } from '../../lib/cli/frame/failures.ts';
import { main } from '../../lib/cli/main.ts';
import { dataFiles } from '../../lib/local/data-folder.ts';
import { version } from '../../package.json';
import { sombus, sombusOn, targetOf } from '../support/commands.ts';
import { recordingTerminal } from '../support/fakes/terminal.ts';

test.each([
  [['help'], /^Usage: sombus \[options\]/],
  [['help', 'connection', 'create'], /^Usage: sombus connection create \[options\]\n/],
  [['help', 'connections'], /^Usage: sombus connection/],
  [['tail', '--help'], /\(default: /],
])('sombus %j shows a help', async (args, text) => {
  expect(await sombus(...args)).toEqual({
    code: 0,
    stdout: expect.stringMatching(text),
    stderr: '',
  });
});

test('its version is that of the package', async () => {
  expect(await sombus('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('the help says nothing of an option that is off or empty by default', async () => {
  const { stdout } = await sombus('connection', 'create', '--help');
  expect(stdout).toContain('--grant <type>');
  expect(stdout).not.toMatch(/default: (\[\]|false)/);
});

const hint = 'is a variable in the command line empty or not set?';

test.each([
  [['help', 'conection', 'create'], "unknown command 'conection' (Did you mean connection?)"],
  [['help', 'connection', 'creat'], "unknown command 'creat' (Did you mean create?)"],
  [['help', 'something-else-entirely'], "unknown command 'something-else-entirely'"],
  [['connection', 'show', ''], `the argument <id> is empty: ${hint}`],
  [['connection', 'show'], `missing required argument 'id': ${hint}`],
  [['connection', 'list', '--workspace', ''], `--workspace has no value: ${hint}`],
  [['connection', 'list', '--workspace', '--json'], `--workspace has no value: ${hint}`],
  [['keys', 'list', '--data'], `option '--data <folder>' argument missing: ${hint}`],
  [['help', 'connection', ''], "unknown command ''"],
  [['conection'], "unknown command 'conection' (Did you mean connection?)"],
  [['connection', 'list', '--jsn'], "unknown option '--jsn' (Did you mean --json?)"],
  [['connection', 'list', '--workspace'], `option '--workspace <id>' argument missing: ${hint}`],
  [['connection', 'list', 'more'], /^error: too many arguments/],
])('sombus %j is no command line', async (args, words) => {
  const stderr = typeof words === 'string' ? `error: ${words}\n` : expect.stringMatching(words);
  expect(await sombus(...args)).toEqual({ code: 2, stdout: '', stderr });
});

test('the id of a key may begin with a dash', async () => {
  const kid = '-hJbXeoDl59eXVoJGk0tFwwnqEDuxSsg5VUYpOBPQKI';
  const keyRings = { find: async () => ({ version: 1, keys: [{ kid: 'k1', state: 'active' }] }) };
  const registry = () => ({ keyRings, clock: { now: () => 0 } }) as never;
  const run = (...args: readonly string[]) => sombusOn({ registry }, ...args, '--data', 'x');
  for (const args of [
    ['activate', kid, '--json'],
    ['activate', '--json', kid],
  ])
    expect((await run('keys', ...args)).stderr).toContain(`There is no key ${kid}`);
  expect((await run('queue', 'show', kid)).stderr).toContain("unknown option '-hJ");
});

test('a data folder is found from a folder below it; dev makes its own', async () => {
  const above = realpathSync(mkdtempSync(join(tmpdir(), 'sombus-near-')));
  const below = join(above, 'some', 'where');
  mkdirSync(below, { recursive: true });
  mkdirSync(join(above, '.sombus'));
  writeFileSync(join(above, '.sombus', dataFiles.marker), '{}');
  const cwd = jest.spyOn(process, 'cwd').mockReturnValue(below);
  const chosen: unknown[] = [];
  const choose = async ({ data }: { data?: string }) => {
    chosen.push(data);
    throw new CommandRefused('That is all.');
  };
  const run = (...args: readonly string[]) => sombusOn({ choose }, ...args);
  for (const args of [['connection', 'list'], ['connection', 'list', '--data', 'own'], ['dev']])
    expect((await run(...args)).code).toBe(1);
  cwd.mockRestore();
  rmSync(above, { recursive: true });
  expect(chosen).toEqual([join('..', '..', '.sombus'), 'own', '.sombus']);
});

describe('a command whose output is lost', () => {
  const ran = async (...args: readonly string[]) => {
    const { terminal, errors } = recordingTerminal();
    const full = { ...terminal, writeError: async () => new Error('no space left') };
    return { code: await main(['node', 'sombus', ...args], full, targetOf({})), errors };
  };
  const told = 'failed: standard output cannot be written: no space left';

  test('has failed', async () => {
    expect(await ran('example')).toEqual({ code: 2, errors: [told] });
  });

  test('that failed anyway ends as it would', async () => {
    const choose = async () => {
      throw new CommandRefused('No.');
    };
    const { terminal, errors } = recordingTerminal();
    const full = { ...terminal, writeError: async () => new Error('no space left') };
    const argv = ['node', 'sombus', 'connection', 'list', '--data', 'x'];
    expect(await main(argv, full, targetOf({ choose }))).toBe(1);
    expect(errors).toEqual(['refused: No.', told]);
  });
});
