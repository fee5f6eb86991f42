import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { eventually } from '../support/eventually.ts';
import { bearer, call, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { devOn, program, resultOf } from '../support/service-process.ts';
import { services } from '../support/services.ts';
import { testUnless } from '../support/where.ts';
import { lackOfFullDisks } from '../torture/disturb.ts';

const { folder } = services();

const limitFiles = (pid: number | undefined, size: string): void => {
  const { status } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${size}:`]);
  expect(status).toBe(0);
};

const started = async () => {
  const data = folder();
  const args = [program, ...devOn(['--data', data, '--json', '--no-limits'])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const warnings: string[] = [];
  createInterface(child.stderr).on('line', line => warnings.push(line));
  const [first] = await once(createInterface(child.stdout), 'line');
  return { data, child, warnings, ready: JSON.parse(first) };
};

testUnless(
  lackOfFullDisks(),
  'a full disk is told once, refused at once, and forgotten',
  async () => {
    const { data, child, warnings, ready } = await started();
    const { base_url, workspace, producer } = ready;
    const messages = `${base_url}/tenants/${workspace}/messages`;
    const authorization = await bearer(base_url, producer);
    const publish = () => post(messages, authorization, linkCommitted());
    const health = () => call(`${base_url}/health`);
    expect((await publish()).status).toBe(202);

    limitFiles(child.pid, '512');
    const [first, second, at] = [await publish(), await publish(), await health()];
    const full = (rule: string) => ({
      status: 503,
      body: {
        violations: [{ rule, message: expect.stringMatching(/^The disk of the service is full/) }],
      },
    });
    expect(first).toMatchObject(full('bus.publish_failed'));
    expect(second).toMatchObject(full('registry.unavailable'));
    expect(at).toMatchObject(full('registry.unavailable'));
    await eventually(() => warnings.length > 0);
    expect(warnings).toEqual([
      expect.stringContaining(`There is no room for the data folder ${data}:`),
    ]);

    limitFiles(child.pid, 'unlimited');
    expect([(await health()).status, (await publish()).status]).toEqual([200, 202]);
    await eventually(() => warnings.length > 1);
    expect(warnings).toEqual([
      expect.anything(),
      `There is room again for the data folder ${data}.`,
    ]);

    const ended = once(child, 'close');
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  },
);

testUnless(
  lackOfFullDisks(),
  'a start on a full disk names the folder, and what to do',
  async () => {
    const data = folder();
    const start = [process.execPath, program, ...devOn(['--data', data])];
    const { code, stderr } = await resultOf(['prlimit', '--fsize=512', ...start]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^There is no room for the data folder \S+ \(.*\): free some space on its disk, or choose [^\n]+\n$/,
    );
    expect(stderr).toContain(` ${data} (`);
  },
);
