import { sombus } from '../../support/commands.ts';

test('exec names a command that is not there', async () => {
  const { code, stderr } = await sombus('exec', '--', 'no-such-program');
  expect([code, stderr]).toEqual([2, expect.stringContaining('no-such-program cannot be started')]);
});

test('exec ends as its command did', async () => {
  const { code } = await sombus('exec', '--', process.execPath, '-e', 'process.exit(7)');
  expect(code).toBe(7);
});
