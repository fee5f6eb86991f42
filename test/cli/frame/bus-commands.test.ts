import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../../../lib/cli/frame/bus.ts';
import { main } from '../../../lib/cli/main.ts';
import { publishCommandLine, tailCommandLine } from '../../../lib/contract/environments.ts';
import { sombus, sombusWith } from '../../support/commands.ts';
import { recordingTerminal } from '../../support/fakes/terminal.ts';
import { linkCommitted, storyContext } from '../../support/messages.ts';
import { serviceHere } from '../../support/one-service.ts';
import { scriptedServer } from '../../support/scripted-server.ts';
import { resultOf } from '../../support/service-process.ts';

const bus = serviceHere();

const here = () => ['--data', bus.data];

const saved = (message: object): string => {
  const path = join(bus.data, 'message.json');
  writeFileSync(path, JSON.stringify(message));
  return path;
};

const account = (client: { client_id: string; client_secret: string }) => ({
  baseUrl: bus.ready.base_url,
  client: { id: client.client_id, secret: client.client_secret },
  systemId: 'demo-ncs',
});

describe('sombus publish', () => {
  test('publishes a file; a dry run publishes nothing', async () => {
    const path = saved(storyContext());
    const publish = (...options: readonly string[]) => bus.run('publish', path, ...options);
    expect(await publish('--dry-run')).toMatchObject({
      code: 0,
      record: { accepted: true, dry_run: true },
    });
    expect(await publish()).toMatchObject({
      code: 0,
      record: { accepted: true, family: 'story-context' },
    });
    expect(await publish()).toMatchObject({ code: 0, record: { duplicate: true } });
  });

  test('says in words what became of a message, and what was tolerated', async () => {
    const message = storyContext({ sequence_number: 1 });
    const path = saved(message);
    const said = async (...options: readonly string[]) =>
      (await sombus('publish', path, ...options, ...here())).stdout;
    expect(await said('--dry-run')).toBe(
      `would be accepted: story.context ${message['message_id']}\n`,
    );
    expect(await said()).toBe(`accepted: story.context ${message['message_id']}\n`);
    expect(await said()).toBe(`accepted before: ${message['message_id']}\n`);
    const { payload } = message as { payload: object };
    saved({ ...storyContext(), payload: { ...payload, sequence_number: 3 } });
    expect(await said()).toMatch(
      /^accepted: story\.context \S+\n {2}tolerated: \/payload\/sequence_number {2}.*\[sequence_number\.gap: http:.*\/docs\/rules\/sequence_number\.gap\]\n$/,
    );
  });

  test('prints each reason of a refusal on a line: place, found and expected, what was meant, rule and page', async () => {
    const { headline, ...payload } = (storyContext() as { payload: Record<string, unknown> })
      .payload;
    const path = saved({
      ...storyContext({}, { topic: 'story' }),
      payload: { ...payload, haedline: headline, story_type: 'PLANED' },
    });
    const { code, stdout, stderr } = await sombus('publish', path, ...here());
    expect([code, stdout]).toEqual([1, '']);
    const [summary, ...lines] = stderr.trimEnd().split('\n');
    expect(summary).toBe('refused: status 400, 4 reasons');
    expect(lines).toEqual([
      expect.stringMatching(
        /^ {2}\/topic {15}Found "story"; expected a topic on one line that starts with som\., .* \[envelope\.pattern: http:.*\/docs\/rules\/envelope\]$/,
      ),
      expect.stringMatching(
        /^ {2}\/payload\/story_type {2}Found "PLANED"; expected one of PLANNED, .* Did you mean "PLANNED"\? \[story-context\.enum: /,
      ),
      expect.stringMatching(
        /^ {2}\/payload {13}SOM 1\.0 has no member "haedline" here; .* \[story-context\.additionalProperties: /,
      ),
      expect.stringMatching(
        /^ {2}\/payload {13}The member "headline" is missing; add it\. Is "haedline" a misspelling of it\? \[story-context\.required: /,
      ),
    ]);
    const pages = [...stderr.matchAll(/\[\S+: (http:\S+)\]/g)].map(([, page = '']) => page);
    const statuses = await Promise.all(pages.map(async page => (await fetch(page)).status));
    expect(statuses).toEqual([200, 200, 200, 200]);
  });

  test('suggests a message type, and prints the response of the bus with --json', async () => {
    const path = saved(storyContext({}, { message_type: 'story.contxt' }));
    expect((await sombus('publish', path, ...here())).stderr).toMatch(
      / Did you mean "story\.context"\? \[message_type\.unknown: /,
    );
    const { code, stdout, stderr } = await sombus('publish', path, '--json', ...here());
    expect([code, stderr]).toEqual([1, 'refused: status 400, 1 reason\n']);
    expect(JSON.parse(stdout)).toMatchObject({
      accepted: false,
      violations: [{ rule: 'message_type.unknown' }],
    });
  });

  test('reports a file that cannot be read', async () => {
    const { code, stderr } = await sombus('publish', '/nowhere/message.json', ...here());
    expect([code, stderr]).toEqual([2, 'failed: The file /nowhere/message.json cannot be read.\n']);
  });
});

describe('sombus tail', () => {
  test('prints a message until it is acknowledged', async () => {
    const message = linkCommitted();
    await sombus('tail', '--ack', '--once', '--wait', '0', ...here());
    await sombus('publish', saved(message), ...here());
    const { code, stdout } = await sombus(
      'tail',
      '--ack',
      '--count',
      '1',
      '--wait',
      '5',
      ...here(),
    );
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { envelope: message, receive_count: 1 }]);
    const empty = await sombus('tail', '--once', '--wait', '0', ...here());
    expect(empty).toEqual({ code: 0, stdout: '', stderr: 'the queue is empty\n' });
    const later = await sombus('tail', '--once', '--wait', '1', ...here());
    expect(later).toEqual({ code: 0, stdout: '', stderr: 'nothing arrived within 1 s\n' });
  });

  test('prints a message as its producer wrote it, with every digit', async () => {
    const path = join(bus.data, 'digits.json');
    const text = JSON.stringify(
      storyContext({ sequence_number: 1, extensions: { 'com.example.n': 'n' } }),
    );
    const digits = text.replace('"n"', '12345678901234567890.120');
    writeFileSync(path, digits);
    await sombus('publish', path, ...here());
    const { stdout } = await sombus('tail', '--ack', '--count', '1', '--wait', '5', ...here());
    expect(stdout).toContain(`"envelope":${digits}`);
  });

  test('leaves in the queue what its reader did not take', async () => {
    const messages = Array.from({ length: 15 }, () => linkCommitted());
    const producer = await openSession(account(bus.ready.producer));
    for (const message of messages) await producer.call('messages', JSON.stringify(message));
    const taken: string[] = [];
    const takesOne = async (line: string) => taken.length === 0 && taken.push(line) > 0;
    const terminal = { ...recordingTerminal().terminal, deliver: takesOne };
    expect(
      await main(['node', 'sombus', 'tail', '--ack', '--wait', '1', ...here()], terminal),
    ).toBe(0);
    const pull = async () =>
      (await sombus('tail', '--ack', '--once', '--wait', '1', ...here())).stdout;
    const left = `${await pull()}${await pull()}`.trim().split('\n');
    const ids = [...taken, ...left].map(line => JSON.parse(line).message_id);
    expect(ids.sort()).toEqual(messages.map(({ message_id }) => message_id).sort());
  });

  test('ends quietly when the reader of its pipe leaves', async () => {
    for (const message of [linkCommitted(), linkCommitted()])
      await sombus('publish', saved(message), ...here());
    const script = '"$0" dist/sombus.js tail --ack --once --wait 1 --data "$1" | head -1';
    const { stdout, stderr } = await resultOf(['sh', '-c', script, process.execPath, bus.data]);
    expect([stdout.trim().split('\n').length, stderr]).toEqual([1, '']);
  });
});

test('where nothing listens on this machine, a command says how to start the service', async () => {
  const { baseUrl, close } = await scriptedServer({});
  await close();
  const { client_id, client_secret } = bus.ready.producer;
  const as = {
    SOMBUS_BASE_URL: baseUrl,
    SOMBUS_CLIENT_ID: client_id,
    SOMBUS_CLIENT_SECRET: client_secret,
  };
  expect(await sombusWith(as, 'tail', '--once')).toMatchObject({
    code: 2,
    stderr: `failed: Cannot reach ${new URL(baseUrl).origin} (ECONNREFUSED). Is the service running? Start it with npm start.\n`,
  });
});

test('a consumer that publishes is told to look with the doctor', async () => {
  const { client_id, client_secret } = bus.ready.consumer;
  const as = { SOMBUS_CLIENT_ID: client_id, SOMBUS_CLIENT_SECRET: client_secret };
  const { code, stderr } = await sombusWith(as, 'publish', saved(storyContext()), ...here());
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /producer\.not_registered[\s\S]*Publishing needs a producer .*`sombus doctor`/,
    ),
  ]);
});

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await sombus('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('sombus connection revoke refuses an unknown connection', async () => {
  const { code, stderr } = await sombus('connection', 'revoke', 'c222222222222', ...here());
  expect([code, stderr]).toEqual([1, 'refused: There is no connection c222222222222.\n']);
});

describe('the commands of the portal’s first steps', () => {
  const create = async (...args: readonly string[]) => (await bus.run(...args)).record;
  /** A line of a shell: each quoted word as one. */
  const words = (line: string) => line.split(' ').map(word => word.replace(/^'(.*)'$/, '$1'));

  test('use the connections of their own workspace', async () => {
    const { organisation_id: org } = await create('org', 'create', '--name', 'Second');
    const { workspace_id: w } = await create(
      'workspace',
      'create',
      '--name',
      'Second',
      '--org',
      org,
    );
    const own = (kind: string) =>
      create('connection', 'create', '--kind', kind, '--workspace', w, '--app', 'second-desk');
    const [producer, consumer] = [await own('producer'), await own('consumer')];
    const as = async (
      { client_secret: SOMBUS_CLIENT_SECRET }: Record<string, string>,
      line: string,
    ) => {
      const [, ...args] = words(line);
      const done = await sombusWith({ SOMBUS_CLIENT_SECRET }, ...args, ...here());
      return done.stdout + done.stderr;
    };
    const line = publishCommandLine(producer.connection_id, { systemIds: ['second-desk'] });
    const [example = '', publish = ''] = line.split(' | ');
    const message = JSON.parse(await as(producer, example));
    expect(message.originating_system.system_id).toBe('second-desk');
    expect(await as(producer, publish.replace(' - ', ` ${saved(message)} `))).toMatch(
      /^accepted: /,
    );
    const tail = tailCommandLine(consumer.connection_id);
    expect(await as(consumer, `${tail} --ack --once`)).toContain(message.message_id);
  });
});
