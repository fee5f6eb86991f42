import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ServiceProcess, startService, temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
const program = join(__dirname, '../../dist/sombus.js');
const readme = readFileSync('README.md', 'utf8');
const [, block = ''] = /```sh\n(eval[\s\S]*?)```/.exec(readme) ?? [];
const lines = block.trim().split('\n');
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

/** Runs the README's lines in one shell; each response is on a line of its own. */
const paste = (): readonly string[] => {
  const { stdout, stderr } = shell(lines.map(line => `${line}; echo`).join('\n'));
  expect(stderr).toBe('');
  return stdout.split('\n').filter(line => line !== '');
};

test.each(['once', 'and once more'])("the README's lines work when they are pasted %s", () => {
  expect(lines).toHaveLength(7);
  const [validated, published, pulled, acked] = paste().map(line => JSON.parse(line));
  expect(validated).toMatchObject({ accepted: true, dry_run: true });
  expect(published).toMatchObject({ accepted: true, family: 'story-context' });
  expect(pulled).toMatchObject({ messages: [{ message_id: published.message_id }] });
  expect(acked).toMatchObject({ ok: [expect.any(String)], failed: [] });
});

test("the README's refusal is what the bus answers", () => {
  const [, command = '', response] = /```console\n\$ (sed .*)\n([\s\S]*?)```/.exec(readme) ?? [];
  const { stdout, stderr } = shell(command);
  expect([stdout, stderr.replaceAll(service.ready.portal_url, 'http://127.0.0.1:8788')]).toEqual([
    '',
    response,
  ]);
});
