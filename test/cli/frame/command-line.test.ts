import { messageTypes } from '../../../lib/contract/message-types.ts';
import { sombus, sombusWith } from '../../support/commands.ts';
import { bearer, post } from '../../support/http-client.ts';
import { serviceHere } from '../../support/one-service.ts';
import { program, resultOf } from '../../support/service-process.ts';

const bus = serviceHere();

describe('sombus help', () => {
  test('shows the help of a command at any depth', async () => {
    const { code, stdout } = await sombus('help', 'connection', 'create');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Usage: sombus connection create \[options\]\n/),
    ]);
    for (const name of ['connection', 'connections'])
      expect((await sombus('help', name)).stdout).toMatch(/^Usage: sombus connection/);
    expect((await sombus('help')).stdout).toMatch(/^Usage: sombus \[options\]/);
  });
});

test('the help says what an option is by default, unless that is nothing', async () => {
  const { stdout } = await sombus('connection', 'create', '--help');
  expect(stdout).toMatch(/--grant <type>/);
  expect(stdout).not.toContain('default: []');
  expect(stdout).not.toContain('default: false');
  expect((await sombus('tail', '--help')).stdout).toMatch(/\(default: /);
});

test.each([
  [['pubish', 'message.json'], "error: unknown command 'pubish' (Did you mean publish?)"],
  [
    ['help', 'conection', 'create'],
    "error: unknown command 'conection' (Did you mean connection?)",
  ],
  [['connection', 'lst'], "error: unknown command 'lst' (Did you mean list?)"],
  [['keys', 'list', '--jsno'], "error: unknown option '--jsno' (Did you mean --json?)"],
])('a mistyped command gets a suggestion: %j', async (args, sentence) => {
  expect(await sombus(...args)).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
});

test.each(['retire', 'activate'])(
  'keys %s takes the id of a key that begins with a dash',
  async verb => {
    const kid = '-hJbXeoDl59eXVoJGk0tFwwnqEDuxSsg5VUYpOBPQKI';
    const { code, stderr } = await sombus('keys', verb, kid, '--json', '--data', bus.data);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no key ${kid}`)]);
  },
);

describe('an empty shell variable gets a sentence that says so:', () => {
  const hint = 'is a variable in the command line empty or not set?';

  test.each([
    [['connection', 'show', ''], `error: the argument <id> is empty: ${hint}`],
    [['connection', 'show'], `error: missing required argument 'id': ${hint}`],
    [['connection', 'list', '--workspace', ''], `error: --workspace has no value: ${hint}`],
    [['connection', 'list', '--workspace', '--json'], `error: --workspace has no value: ${hint}`],
    [
      ['connection', 'list', '--workspace'],
      `error: option '--workspace <id>' argument missing: ${hint}`,
    ],
  ])('%j', async (args, sentence) => {
    expect(await sombus(...args)).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
  });

  test('SOMBUS_BASE_URL', async () => {
    const { code, stderr } = await sombusWith(
      { SOMBUS_BASE_URL: '' },
      'tail',
      '--once',
      '--data',
      bus.data,
    );
    expect([code, stderr]).toEqual([
      2,
      'failed: SOMBUS_BASE_URL is empty: set it to the URL of a bus, or unset it to use the local service.\n',
    ]);
  });
});

test('sombus connection list shows the names of apps and workspaces, and so does --json', async () => {
  const { stdout } = await sombus('connections', 'list', '--data', bus.data);
  expect(stdout).toMatch(
    /^connection_id +kind +status +app +workspace +workspace_id +tier +created_at\n/,
  );
  expect(stdout).toMatch(/ producer +active +demo-ncs +Demo Newsroom +w[a-z2-7]{12} /);
  const { record } = await bus.run('connection', 'list');
  expect(record).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ app_name: 'demo-playout', workspace_name: 'Demo Newsroom' }),
    ]),
  );
});

test('an older Node gets a sentence instead of a start', async () => {
  const older = `Object.defineProperty(process, 'version', { value: 'v18.20.8' })`;
  const args = ['-e', `${older}; require(${JSON.stringify(program)})`];
  expect(await resultOf([process.execPath, ...args])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'som-bus needs Node.js 20.19 or newer, and this is v18.20.8.\n',
  });
});

describe('sombus example', () => {
  test('is of the system that the shell names, or of the demo producer of the data folder', async () => {
    const systemOf = ({ stdout }: { stdout: string }) =>
      JSON.parse(stdout).originating_system.system_id;
    const named = await sombusWith({ SOMBUS_SYSTEM_ID: 'my-ncs' }, 'example', '--data', bus.data);
    const demo = await sombus('example', '--data', bus.data);
    expect([systemOf(named), systemOf(demo)]).toEqual(['my-ncs', 'demo-ncs']);
  });

  const verdict = async (message: string) =>
    post(`${bus.tenant}/messages`, await bearer(bus.base, bus.ready.producer), message);

  test.each(messageTypes)(
    '--type %s prints a message that the bus accepts as it is',
    async type => {
      const { code, stdout } = await sombus('example', '--type', type);
      const { status, body } = await verdict(stdout);
      expect([code, status, body]).toMatchObject([0, 202, { accepted: true, message_type: type }]);
      expect(body['tolerated']).toBeUndefined();
    },
  );

  test('--story prints a message of each type, one a line, and the bus accepts all of them in order', async () => {
    const lines = (await sombus('example', '--story')).stdout.trim().split('\n');
    const responses: unknown[] = [];
    for (const line of lines) responses.push((await verdict(line)).body['message_type']);
    expect([...responses].sort()).toEqual([...messageTypes]);
  });

  test('an unknown type gets the list of those there are', async () => {
    const { code, stderr } = await sombus('example', '--type', 'story.contxt');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('story.context, skill.warning.raised'),
    ]);
  });
});
