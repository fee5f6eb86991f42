import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { devOn, program, resultOf, temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
/** As npm lays the package out. */
const dist = join(folder.path, 'dist');
const installed = join(dist, 'sombus.js');
const binding = join(folder.path, 'node_modules/libsql');

beforeAll(() => {
  for (const path of [dist, binding]) mkdirSync(path, { recursive: true });
  for (const file of ['sombus.js', 'main.js'])
    copyFileSync(join(dirname(program), file), join(dist, file));
  copyFileSync('package.json', join(folder.path, 'package.json'));
});

afterAll(() => folder.remove());

test('where npm has no SQLite for the platform, one sentence says so', async () => {
  writeFileSync(join(binding, 'index.js'), "require('@libsql/plan9-mips');");
  const data = join(folder.path, 'data');
  const { code, stderr } = await resultOf([
    process.execPath,
    installed,
    ...devOn(['--data', data]),
  ]);
  expect([code, stderr]).toEqual([
    2,
    `SQLite (npm package libsql) cannot be loaded on ${process.platform}-${process.arch}: run npm ci here, on a platform of its list.\n`,
  ]);
  expect(readdirSync(data)).not.toContain('lock');
});
