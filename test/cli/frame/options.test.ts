import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nearestData, pointInTime } from '../../../lib/cli/frame/options.ts';
import { sombus } from '../../support/commands.ts';
import { temporaryFolder } from '../../support/service-process.ts';

/** Ends with the first error of a command line, which is its last word if all values are taken. */
const error = async (...args: readonly string[]) => (await sombus(...args, '--bogus')).stderr;

const overlap = ['connection', 'secret', 'c', '--overlap'];
const host = ['dev', '--allow-host'];
const count = ['queue', 'peek', 'c', '--count'];
const from = ['replay', 'start', '--connection', 'c', '--from'];

test.each([
  [count, ['1', '50']],
  [
    ['dev', '--port'],
    ['0', '65535'],
  ],
  [overlap, ['0s', '90s', '15m', '24h', '30d']],
  [host, ['a', 'a_b.test-1', '[::1]']],
  [from, ['yesterday', '2h', '2026-05-04T09:00:00Z']],
])('sombus %j takes %j', async (command, values) => {
  for (const value of values)
    expect(await error(...command, value)).toMatch(/^error: unknown option '--bogus'/);
});

test.each([
  [count, ['0', '51', '2.0', 'x'], 'It must be a whole number from 1 to 50.'],
  [['dev', '--port'], ['65536'], 'It must be a whole number from 0 to 65535.'],
  [overlap, ['31d', '2592001s', '5', 'd', '1w', '1500ms'], 'An overlap is a number with a unit,'],
  [['expect', '--within'], ['soon', '25h'], 'A time is a number with a unit,'],
  [['org', 'create', '--name'], [' \t'], 'A name must have 1 to 256 characters'],
  [
    ['org', 'create', '--tier'],
    ['gold', 'constructor'],
    'Allowed choices are minimal, standard, high.',
  ],
  [host, ['a:1', '-a', 'a b'], 'A host is a name without a port,'],
  [['env', '--data'], [' '], 'The name of a folder must not be empty.'],
  [['play', 'x', '--speed'], ['fast', '0.001', '-1'], 'A speed is a number such as 0.5, 1 or 60.'],
  [from, ['tomorrow', '2', 'h', '-2h'], 'A time is now, today, yesterday, so long ago'],
  [from, ['2026-05-04', '2026-02-30T00:00:00Z', '2026-05-04 09:00:00Z'], 'A time is now,'],
  [from, ['2026-05-04T09:00:00', '2026-05-04T09:00:00+02'], 'A time is now,'],
])('sombus %j does not take %j', async (command, values, sentence) => {
  for (const value of values) expect(await error(...command, value)).toContain(sentence);
});

test('the data folder is found from any folder below its own, and is a new one elsewhere', () => {
  const folder = temporaryFolder();
  const below = join(folder.path, 'deep/down');
  mkdirSync(below, { recursive: true });
  // A folder of the same name that is none.
  mkdirSync(join(folder.path, 'deep/.sombus'));
  expect(nearestData(below)).toBe('.sombus');
  mkdirSync(join(folder.path, '.sombus'));
  writeFileSync(join(folder.path, '.sombus/sombus.json'), '{}');
  expect([nearestData(folder.path), nearestData(below)]).toEqual([
    '.sombus',
    join('..', '..', '.sombus'),
  ]);
  folder.remove();
});

test('a command that is run below a data folder is about that folder', async () => {
  const folder = temporaryFolder();
  const below = join(folder.path, 'deep');
  for (const made of [below, join(folder.path, '.sombus')]) mkdirSync(made);
  writeFileSync(join(folder.path, '.sombus/sombus.json'), '{}');
  const cwd = jest.spyOn(process, 'cwd').mockReturnValue(below);
  const { code, stderr } = await sombus('tail');
  expect([code, stderr]).toEqual([2, expect.stringContaining(`in ${join('..', '.sombus')}`)]);
  cwd.mockRestore();
  folder.remove();
});

describe('a point in time', () => {
  const now = new Date(2026, 4, 4, 15, 30).getTime();

  test.each([
    ['now', 0],
    ['2h', 7_200_000],
    ['0s', 0],
  ])('%s is so many milliseconds ago', (text, ago) => {
    expect(pointInTime(text)(now)).toBe(now - ago);
  });

  test('today and yesterday begin at midnight here', () => {
    expect(new Date(pointInTime('today')(now))).toEqual(new Date(2026, 4, 4));
    expect(new Date(pointInTime('yesterday')(now))).toEqual(new Date(2026, 4, 3));
  });

  test.each([
    ['2026-05-04T09:00:00Z', '2026-05-04T09:00:00.000Z'],
    ['2026-05-04t09:00:00.25z', '2026-05-04T09:00:00.250Z'],
    ['2026-05-04T09:00:00.1239+02:00', '2026-05-04T07:00:00.123Z'],
  ])('%s is %s', (text, instant) => {
    expect(new Date(pointInTime(text)(now)).toISOString()).toBe(instant);
  });
});

describe('a scope', () => {
  test.each([
    [[], 'error: give either --workspace or --operator'],
    [['--workspace', 'waaaaaaaaaaaa', '--operator'], /cannot be used with/],
    [['--workspace', 'caaaaaaaaaaaa'], 'refused: "caaaaaaaaaaaa" is not a workspace id.'],
  ])('must be the operator or one workspace: %j', async (options, sentence) => {
    expect((await sombus('idp', 'list', ...options)).stderr).toMatch(sentence);
  });
});
