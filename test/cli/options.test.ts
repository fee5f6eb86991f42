import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { main } from '../../lib/cli/main.ts';
import {
  hostName,
  name,
  nearestData,
  overlap,
  permissionOptions,
  pointInTime,
  port,
  scoped,
  scopeOf,
  tier,
  wholeNumber,
} from '../../lib/cli/options.ts';
import { recordingTerminal } from '../support/fakes/terminal.ts';
import { temporaryFolder } from '../support/service-process.ts';

const dayMilliseconds = 86_400_000;

test.each([
  [() => wholeNumber(2, 9)('2'), 2],
  [() => wholeNumber(2, 9)('9'), 9],
  [() => port('0'), 0],
  [() => port('65535'), 65_535],
  [() => overlap('0s'), 0],
  [() => overlap('90s'), 90],
  [() => overlap('15m'), 900],
  [() => overlap('24h'), 86_400],
  [() => overlap('30d'), 2_592_000],
  [() => name('x'), 'x'],
  [() => tier('high'), 'high'],
  [() => hostName('a', []), ['a']],
  [() => hostName('a_b.test-1', ['a']), ['a', 'a_b.test-1']],
  [() => hostName('a', ['a', 'b']), ['a', 'b']],
  [() => hostName('[::1]', []), ['[::1]']],
])('%s gives %j', (read, value) => {
  expect(read()).toEqual(value);
});

test.each([
  () => wholeNumber(2, 9)('1'),
  () => wholeNumber(2, 9)('10'),
  () => wholeNumber(2, 9)('2.0'),
  () => wholeNumber(2, 9)(''),
  () => port('65536'),
  () => overlap('31d'),
  () => overlap('2592001s'),
  () => overlap('5'),
  () => overlap('d'),
  () => overlap('1w'),
  () => name(' \t'),
  () => tier('gold'),
  () => tier('constructor'),
  () => hostName('a:1', []),
  () => hostName('-a', []),
  () => hostName('', []),
  () => pointInTime('tomorrow'),
  () => pointInTime('2026-05-04'),
  () => pointInTime('2026-13-04T09:00:00Z'),
])('%s is refused', read => {
  expect(read).toThrow(InvalidArgumentError);
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
  expect([nearestData(folder.path), nearestData(below)]).toEqual(['.sombus', join('..', '..', '.sombus')]);
  folder.remove();
});

test('a command that is run below a data folder is about that folder', async () => {
  const folder = temporaryFolder();
  const below = join(folder.path, 'deep');
  for (const made of [below, join(folder.path, '.sombus')]) mkdirSync(made);
  writeFileSync(join(folder.path, '.sombus/sombus.json'), '{}');
  const cwd = jest.spyOn(process, 'cwd').mockReturnValue(below);
  const { terminal, errors } = recordingTerminal();
  expect(await main(['node', 'sombus', 'tail'], terminal)).toBe(2);
  expect(errors.join()).toContain(`There is no local service in ${join('..', '.sombus')}`);
  cwd.mockRestore();
  folder.remove();
});

describe('a point in time', () => {
  const now = new Date(2026, 4, 4, 15, 30).getTime();

  test.each([
    ['now', 0],
    ['90s', 90_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['7d', 7 * dayMilliseconds],
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

const optionsOf = (command: Command, ...args: readonly string[]): Command =>
  command
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .parse(args, { from: 'user' });

test('permissions are repeatable, and duplicates count once', () => {
  const lists = ['--system-id', 'a', '--system-id', 'b', '--system-id', 'a', '--grant', '*'];
  const more = ['--receive', 'x', '--source', 's', '--force'];
  expect(optionsOf(permissionOptions(new Command()), ...lists, ...more).opts()).toEqual({
    systemId: ['a', 'b'],
    grant: ['*'],
    receive: ['x'],
    source: ['s'],
    force: true,
  });
  expect(optionsOf(permissionOptions(new Command())).opts()).toEqual({
    systemId: [],
    grant: [],
    receive: [],
    source: [],
  });
});

describe('a scope', () => {
  const scopeIn = (...args: readonly string[]) => {
    const command = optionsOf(scoped(new Command()), ...args);
    return scopeOf(command.opts(), command);
  };

  test('is the operator, or one workspace', () => {
    expect(scopeIn('--operator')).not.toEqual(scopeIn('--workspace', 'waaaaaaaaaaaa'));
    expect(String(scopeIn('--workspace', 'waaaaaaaaaaaa'))).toContain('waaaaaaaaaaaa');
  });

  test('must be one of them, and not both', () => {
    expect(() => scopeIn()).toThrow('give either --workspace or --operator');
    expect(() => scopeIn('--workspace', 'waaaaaaaaaaaa', '--operator')).toThrow(/cannot be used with/);
    expect(() => scopeIn('--workspace', 'caaaaaaaaaaaa')).toThrow('is not a workspace id');
  });
});
