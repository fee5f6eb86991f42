import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ServiceProcess, startService, temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
const program = join(__dirname, '../../dist/sombus.js');
const readme = readFileSync('README.md', 'utf8');
let service: ServiceProcess;

beforeAll(async () => {
  service = await startService(join(folder.path, '.sombus'));
  symlinkSync(resolve('examples'), join(folder.path, 'examples'));
});

afterAll(async () => {
  await service.stop();
  folder.remove();
});

/** Runs a script in a shell, in the folder that holds the data folder. */
const shell = (script: string) =>
  spawnSync('/bin/sh', ['-c', script.replaceAll('npx --no sombus', `node ${program}`)], {
    cwd: folder.path,
    encoding: 'utf8',
  });

/** A text in which `…` stands for what the README leaves out. */
const shortened = (text: string): RegExp => {
  const kept = text.split('…').map(part => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${kept.join('.+')}$`);
};

test("the README's first publish and pull print what it shows", () => {
  const blocks = /```sh\n(npx --no sombus publish [\s\S]*?)```\s+```text\n([\s\S]*?)```/.exec(
    readme,
  );
  const [, commands = '', response = 'no such blocks'] = blocks ?? [];
  const { stdout, stderr } = shell(commands);
  expect(stderr + stdout).toMatch(shortened(response));
});

test("the README's refusal is what the bus answers", () => {
  const [, command = '', response] = /```console\n\$ (sed .*)\n([\s\S]*?)```/.exec(readme) ?? [];
  const { stdout, stderr } = shell(command);
  expect([stdout, stderr.replaceAll(service.ready.portal_url, 'http://127.0.0.1:8788')]).toEqual([
    '',
    response,
  ]);
});
