import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceProcess, startService, temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
const program = join(__dirname, '../../dist/sombus.js');
const [, block = ''] = /```sh\n(eval[\s\S]*?)```/.exec(readFileSync('README.md', 'utf8')) ?? [];
const lines = block.trim().split('\n');
let service: ServiceProcess;

beforeAll(async () => {
  service = await startService(join(folder.path, '.sombus'));
});

afterAll(async () => {
  await service.stop();
  folder.remove();
});

/** The README's lines in one shell, in the folder of the data folder; each answer on a line of its own. */
const paste = (): readonly string[] => {
  const script = lines
    .map(line => `${line}; echo`)
    .join('\n')
    .replaceAll('npx --no sombus', `node ${program}`);
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', script], { cwd: folder.path, encoding: 'utf8' });
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
