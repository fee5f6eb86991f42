import { existsSync } from 'node:fs';
import { sombus, sombusWith } from '../../support/service-process.ts';

const script = (text: string) => ['exec', '--', process.execPath, '-e', text];

test('a command finds a fresh bus in its environment, which ends with it', async () => {
  const told =
    "console.log(JSON.stringify({ ...process.env, health: (await fetch(process.env.SOMBUS_BASE_URL + 'health')).status }))";
  const { code, stdout } = await sombusWith(
    { SOMBUS_CLIENT_ID: 'cofanotherbus', SOMBUS_CLIENT_SECRET: 'x' },
    ...script(`(async () => { ${told} })()`),
  );
  const env = JSON.parse(stdout);
  expect([code, env.health]).toEqual([0, 200]);
  expect(env).toEqual(
    expect.objectContaining({
      SOMBUS_WORKSPACE: expect.stringMatching(/^w/),
      SOMBUS_PUBLISHER_ID: expect.stringMatching(/^c/),
      SOMBUS_PUBLISHER_SECRET: expect.stringMatching(/^sbs_/),
      SOMBUS_READER_ID: expect.stringMatching(/^c/),
      SOMBUS_READER_SECRET: expect.stringMatching(/^sbs_/),
    }),
  );
  expect(env).not.toHaveProperty('SOMBUS_CLIENT_ID');
  await expect(fetch(env.SOMBUS_BASE_URL)).rejects.toThrow();
  expect(existsSync(env.SOMBUS_DATA)).toBe(false);
});

test('commands of sombus inside use that bus', async () => {
  const inside =
    'sombus example > "$SOMBUS_DATA/m.json" && sombus publish "$SOMBUS_DATA/m.json" && sombus tail --ack --once --wait 1';
  const shell = `sombus() { "${process.execPath}" dist/sombus.js "$@"; }; ${inside}`;
  const { code, stdout } = await sombus('exec', '--', 'bash', '-c', shell);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^accepted: story\.context/);
  expect(stdout).toContain('"receipt_handle"');
});

test('the exit code is the command’s', async () => {
  const { code, stderr } = await sombus(...script('process.exit(7)'));
  expect([code, stderr]).toEqual([7, '']);
});

test('a command that a signal ended counts as in a shell', async () => {
  expect((await sombus(...script("process.kill(process.pid, 'SIGKILL')"))).code).toBe(137);
});

test('a command that is not there is named', async () => {
  const { code, stderr } = await sombus('exec', '--', 'no-such-program');
  expect([code, stderr]).toEqual([2, expect.stringContaining('no-such-program cannot be started')]);
});
