import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../../lib/cli/main.ts';
import { dataFiles } from '../../../lib/local/data-folder.ts';
import { operatorKeyIn } from '../../../lib/local/roles.ts';
import { browserHost } from '../../../lib/local/sign-in.ts';
import { type LocalService, startLocalService } from '../../../lib/local/start.ts';
import { sombus, sombusWith } from '../../support/commands.ts';
import { eventually } from '../../support/eventually.ts';
import { recordingTerminal } from '../../support/fakes/terminal.ts';
import { startOptions } from '../../support/start-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'sombus-local-'));
const data = join(folder, 'data');
let service: LocalService;

beforeAll(async () => {
  service = await startLocalService(startOptions(data));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const run = (...args: readonly string[]) => sombus(...args, '--data', data);
const printed = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

describe('sombus faults', () => {
  const consumer = () => service.ready.consumer.client_id;
  const producer = () => service.ready.producer.client_id;

  test('sets all that can go wrong, lists it, and ends it for one connection or for all', async () => {
    const late = ['--duplicate', '--delay', '250ms', '--hold', '--redeliver', '2s'];
    const refusing = ['--refuse', '503', '--times', '3', '--retry-after', '7', '--slow', '1ms'];
    const ofConsumer = {
      connection_id: consumer(),
      faults: {
        duplicate: true,
        delay: '250ms',
        hold: true,
        redeliver: '2s',
        slow: '1ms',
        refuse: { status: 503, times: 3, retryAfter: 7 },
      },
    };
    const ofProducer = {
      connection_id: producer(),
      faults: { loseResponses: 2, refuse: { status: 429, times: 1 } },
    };
    expect(await printed('faults', 'set', 'consumer', ...late, ...refusing)).toEqual([ofConsumer]);
    const more = ['--refuse', '429', '--lose-responses', '2'];
    const both = await printed('faults', 'set', producer(), ...more);
    expect(both).toHaveLength(2);
    expect(both).toEqual(expect.arrayContaining([ofConsumer, ofProducer]));
    expect(await printed('faults', 'list')).toEqual(both);
    expect(await printed('faults', 'clear', 'producer')).toEqual([ofConsumer]);
    await printed('faults', 'set', 'producer', ...more);
    expect(await printed('faults', 'clear')).toEqual([]);
  });

  test('refuses what is no fault of this connection, and connections that are not there', async () => {
    expect(await run('faults', 'set', 'producer', '--hold')).toEqual({
      code: 1,
      stdout: '',
      stderr: `refused: ${producer()} is a producer. The fault "hold" is for consumers.\n`,
    });
    expect(await run('faults', 'set', 'cnone', '--hold')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'refused: There is no connection cnone.\n',
    });
    expect(await run('faults', 'set', 'consumer')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: say what is to go wrong, such as --duplicate\n',
    });
  });

  test('says so where the service has another key', async () => {
    const path = join(data, dataFiles.operatorKey);
    const key = readFileSync(path, 'utf8');
    const { secretAccessKey } = JSON.parse(key);
    const other = `${secretAccessKey}`.split('').reverse().join('');
    writeFileSync(path, key.replace(secretAccessKey, other));
    const { origin } = new URL(service.ready.base_url);
    const refused = await run('faults', 'list');
    writeFileSync(path, key);
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: `refused: The service at ${origin} does not take faults from here: is it the one that runs on the data folder ${data}, and of this version?\n`,
    });
  });
});

test('sombus portal prints a link for a person, and how a browser finds its host', async () => {
  const { code, stdout, stderr } = await run('portal', '--as', 'nora');
  const host = browserHost(operatorKeyIn(data));
  const { port } = new URL(service.ready.portal_url);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^http://${host}:${port}/api/sign/in\\?key=\\S+\n$`)),
  ]);
  expect(stderr).toBe(
    `If your browser does not find that host, add this line to the hosts file of its machine: 127.0.0.1 ${host}\n`,
  );
  const signed = await fetch(stdout.trim().replace(host, '127.0.0.1'), {
    headers: { host: `${host}:${port}` },
    redirect: 'manual',
  });
  expect(signed.status).toBe(303);
});

describe('sombus example', () => {
  const example = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await sombus('example', ...args);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };

  test('prints the first snapshot of a story, from the system that is named', async () => {
    const first = JSON.parse(await example('--data', 'none'));
    expect(first).toMatchObject({
      message_type: 'story.context',
      originating_system: { system_id: 'demo-ncs' },
      payload: { sequence_number: 1 },
    });
    const named = JSON.parse(await example('--system-id', 'desk-1', '--data', data));
    expect(named.originating_system.system_id).toBe('desk-1');
    const again = JSON.parse(await example('--type', 'story.context', '--data', 'none'));
    expect(Object.keys(again)).toEqual(Object.keys(first));
  });

  test('prints one message of a type, on many lines, or a chain of all, a line each', async () => {
    const text = await example('--type', 'link.committed', '--data', 'none');
    expect(text.split('\n')[1]).toMatch(/^ {2}"/);
    expect(JSON.parse(text).message_type).toBe('link.committed');
    const lines = (await example('--story', '--data', 'none')).trimEnd().split('\n');
    expect(lines.map(line => JSON.parse(line).message_type)).toEqual([
      'story.context',
      'skill.warning.raised',
      'delivery.media_available',
      'link.committed',
      'link.gate_changed',
      'system.audit',
      'telling.started',
      'telling.ended',
      'telling.exposed',
      'link.withdrawn',
    ]);
  });
});

describe('sombus exec', () => {
  const script = (text: string) => ['exec', '--', process.execPath, '-e', text];

  test('gives the command a bus of its own, and removes its data afterwards', async () => {
    const file = join(folder, 'env.json');
    const write = `require('fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env))`;
    const as = { SOMBUS_CLIENT_ID: 'cother', SOMBUS_CLIENT_SECRET: 'x', KEPT: 'yes' };
    expect(await sombusWith(as, ...script(write))).toEqual({ code: 0, stdout: '', stderr: '' });
    const env: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));
    expect(env['KEPT']).toBe('yes');
    const own = Object.keys(env).filter(name => /^SOMBUS_(?!TEST_RUN)/.test(name));
    expect(own.sort()).toEqual([
      'SOMBUS_BASE_URL',
      'SOMBUS_DATA',
      'SOMBUS_PUBLISHER_ID',
      'SOMBUS_PUBLISHER_SECRET',
      'SOMBUS_READER_ID',
      'SOMBUS_READER_SECRET',
      'SOMBUS_SYSTEM_ID',
      'SOMBUS_TOKEN_URL',
      'SOMBUS_WORKSPACE',
    ]);
    expect(() => readFileSync(join(env['SOMBUS_DATA'] ?? '', 'credentials.json'))).toThrow(
      'ENOENT',
    );
    await expect(fetch(env['SOMBUS_BASE_URL'] ?? '')).rejects.toThrow('fetch failed');
  });

  test.each([
    [['--', process.execPath, '-e', 'process.exit(7)'], 7, ''],
    [['--', 'sh', '-c', 'kill -9 $$'], 137, ''],
    [
      ['no-such-program'],
      2,
      'failed: no-such-program cannot be started: spawn no-such-program ENOENT.\n',
    ],
  ])('%j ends with %i', async (args, code, stderr) => {
    expect(await sombus('exec', ...args)).toEqual({ code, stdout: '', stderr });
  });

  test.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('passes %s on to the command', async (signal, code) => {
    const file = join(folder, signal);
    const ended = sombus('exec', '--', 'sh', '-c', `echo > '${file}'; exec tail -f /dev/null`);
    await eventually(() => {
      try {
        return readFileSync(file, 'utf8') === '\n';
      } catch {
        return false;
      }
    });
    process.emit(signal, signal);
    expect((await ended).code).toBe(code);
  });
});

describe('sombus dev', () => {
  /** Starts a service, and stops it as a person does once it says that it runs. */
  const served = async (...args: readonly string[]) => {
    const { terminal, printed, errors } = recordingTerminal();
    const out = (line: string) => {
      printed.push(line);
      if (/som-bus is running|"ready":true/.test(line))
        setImmediate(() => process.emit('SIGTERM', 'SIGTERM'));
    };
    const ports = ['--port', '0', '--portal-port', '0'];
    const argv = ['node', 'sombus', 'dev', ...ports, '--data', join(folder, 'own'), ...args];
    const code = await main(argv, { ...terminal, out });
    const shown = printed.map(line =>
      line
        .replaceAll(folder, 'FOLDER')
        .replaceAll(/(?<=127\.0\.0\.1:|localhost:)\d+/g, 'PORT')
        .replaceAll(/sombus-[\da-f]{12}/g, 'HOST')
        .replaceAll(/key=\S+/g, 'key=KEY')
        .replaceAll(/\b([wc])[a-z2-7]{12}\b/g, '$1…'),
    );
    return { code, shown, errors };
  };

  test('says where everything is, and what to do first', async () => {
    const { code, shown, errors } = await served();
    expect([code, errors]).toEqual([0, []]);
    expect(shown).toEqual([
      '',
      'som-bus is running. Press Ctrl-C to stop it.',
      '',
      '  bus        http://127.0.0.1:PORT/v1/',
      '  portal     http://HOST.localhost:PORT/api/sign/in?key=KEY',
      '  workspace  w…',
      '  producer   c…  sends as demo-ncs',
      '  consumer   c…',
      '  data       FOLDER/own',
      '',
      'Publish a message from another terminal:',
      '',
      "  npx --no sombus publish examples/message.json --data 'FOLDER/own'",
      '',
      'More commands, each after "npx --no":',
      '',
      '  sombus tail --ack   receive it',
      '  sombus env          ids and secrets as shell variables',
      '  sombus curl         the same steps with curl',
      '  sombus help         everything else',
      '',
    ]);
  });

  test('--json prints one line, and --open-engines a warning', async () => {
    const { code, shown, errors } = await served('--json', '--open-engines');
    expect([code, shown.length, errors]).toEqual([
      0,
      1,
      [
        'The DynamoDB, SQS and KMS ports answer every program on this machine, with any signature (--open-engines).',
      ],
    ]);
  });

  test('wants two ports', async () => {
    const same = ['dev', '--port', '9999', '--portal-port', '9999', '--data', join(folder, 'x')];
    expect(await sombus(...same)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: --port and --portal-port are both 9999: give the portal another one\n',
    });
  });
});
