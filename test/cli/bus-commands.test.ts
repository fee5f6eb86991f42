import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { diagnose } from '../../lib/cli/doctor-checks.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { oneService } from '../support/one-service.ts';
import { sombus } from '../support/service-process.ts';

const bus = oneService('--no-limits');

const here = () => ['--data', bus.data];

const saved = (message: object): string => {
  const path = join(bus.data, 'message.json');
  writeFileSync(path, JSON.stringify(message));
  return path;
};

const account = (client: { client_id: string; client_secret: string }, baseUrl = bus.ready.base_url) => ({
  baseUrl,
  client: { id: client.client_id, secret: client.client_secret },
  systemId: 'demo-ncs',
});

const states = (findings: Awaited<ReturnType<typeof diagnose>>) =>
  Object.fromEntries(findings.map(({ check, state }) => [check, state]));

describe('sombus publish', () => {
  test('sends a file, and a dry run sends nothing', async () => {
    const path = saved(storyContext());
    const dry = await sombus('publish', path, '--dry-run', ...here());
    expect([dry.code, JSON.parse(dry.stdout)]).toMatchObject([0, { accepted: true, dry_run: true }]);
    const sent = await sombus('publish', path, ...here());
    expect([sent.code, JSON.parse(sent.stdout)]).toMatchObject([
      0,
      { accepted: true, family: 'story-context' },
    ]);
    const again = await sombus('publish', path, ...here());
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { duplicate: true }]);
  });

  test('says which rules a refused message broke', async () => {
    const { code, stderr } = await sombus('publish', saved({}), ...here());
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^refused: envelope\.required/)]);
  });

  test('says that a file cannot be read', async () => {
    const { code, stderr } = await sombus('publish', '/nowhere/message.json', ...here());
    expect([code, stderr]).toEqual([2, 'failed: The file /nowhere/message.json cannot be read.\n']);
  });
});

describe('sombus tail', () => {
  test('prints a message again until it is acknowledged', async () => {
    const message = linkCommitted();
    await sombus('tail', '--ack', '--once', '--wait', '0', ...here());
    await sombus('publish', saved(message), ...here());
    const { code, stdout } = await sombus('tail', '--ack', '--count', '1', '--wait', '5', ...here());
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { envelope: message, receive_count: 1 }]);
    const empty = await sombus('tail', '--once', '--wait', '0', ...here());
    expect(empty).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('sombus doctor', () => {
  test('finds nothing wrong with the demo producer and the demo consumer', async () => {
    for (const as of ['producer', 'consumer']) {
      const { code, stdout } = await sombus('doctor', '--as', as, ...here());
      expect([code, stdout]).toEqual([0, expect.not.stringContaining('FAIL')]);
      expect(stdout).toMatch(as === 'producer' ? /^ok {3}dry run/m : /^ok {3}pull/m);
    }
  });

  test('tells a clock that is wrong', async () => {
    const late = await diagnose(account(bus.ready.producer), () => Date.now() - 60_000);
    expect(late).toContainEqual({
      check: 'clock',
      state: 'fail',
      words: expect.stringMatching(/^This machine's clock is (59|60|61) s behind\.$/),
    });
  });

  test('tells a wrong secret', async () => {
    const wrong = { ...bus.ready.producer, client_secret: 'sbs_wrong' };
    const findings = await diagnose(account(wrong), Date.now);
    expect(findings.at(-1)).toMatchObject({
      check: 'token',
      state: 'fail',
      words: expect.stringMatching(/^invalid_client/),
    });
  });

  test('tells a system that the connection may not send as', async () => {
    const findings = await diagnose({ ...account(bus.ready.producer), systemId: 'other' }, Date.now);
    expect(findings).toContainEqual({
      check: 'dry run',
      state: 'fail',
      words: expect.stringContaining('producer.system_id_not_allowed'),
    });
  });

  test('tells a name without an address, an address that is not https, and one that ends elsewhere', async () => {
    const at = async (url: string) => states(await diagnose(account(bus.ready.producer, url), Date.now));
    expect(await at('https://bus.invalid/v1')).toEqual({ address: 'ok', dns: 'fail' });
    expect(await at('http://bus.example/v1')).toEqual({ address: 'fail' });
    expect(await at(new URL(bus.ready.base_url).origin)).toEqual({ address: 'fail' });
    expect(await at('nonsense')).toEqual({ address: 'fail' });
  });

  test('tells a port where nobody listens, and one where something else does', async () => {
    const server = createServer((_request, response) => response.end('<html>'));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1`;
    expect((await diagnose(account(bus.ready.producer, url), Date.now)).at(-1)?.words).toMatch(
      /not answer in JSON/,
    );
    await new Promise(resolve => server.close(resolve));
    expect((await diagnose(account(bus.ready.producer, url), Date.now)).at(-1)).toMatchObject({
      check: 'connection',
      words: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('tells what is not trusted', async () => {
    const findings = await diagnose(
      account(bus.ready.producer, bus.ready.base_url.replace('http:', 'https:')),
      Date.now,
    );
    expect(findings.at(-1)).toMatchObject({ check: 'tls', state: 'fail' });
  });
});
