import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { handWritten, missing, runExample } from '../support/example-programs.ts';
import {
  cut,
  json,
  type Reply,
  refusal,
  scriptedServer,
  tokenResponse,
} from '../support/scripted-server.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { needOf, testUnless } from '../support/where.ts';

const folder = temporaryFolder();
const message = join(folder.path, 'message.json');
const bytes = '{"message_id": "m-1",  "n": 1.50}';
const open: (() => Promise<void>)[] = [];

beforeAll(() => writeFileSync(message, bytes));
afterAll(() => folder.remove());
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const secret = 'sbs_only_for_the_token_service';
const now = { 'retry-after': '0' };
const accepted = json(202, { accepted: true });
const unavailable = json(
  503,
  { error: 'temporarily_unavailable', error_description: 'Later.' },
  now,
);
const unauthenticated = refusal(401, 'producer.unauthenticated');
const settled = json(200, { ok: [], failed: [] });

/**
 * A delivery of a story's snapshot; its sequence number is JSON text, since JavaScript has none so
 * big.
 */
const snapshot = (id: string, correlation: string, payload: string): string =>
  `{"receipt_handle":"receipt-${id}","message_id":"${id}","message_type":"story.context",` +
  `"correlation_id":"${correlation}","envelope":{"payload":${payload}}}`;

const pulled =
  (...messages: readonly string[]): Reply =>
  response =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"messages":[${messages}]}`);

type Script = Readonly<Record<string, readonly Reply[]>>;

/** What came of a command, with a bus that answers as told. */
const outcomeOf = async (
  command: readonly string[],
  script: Script,
  variables: NodeJS.ProcessEnv = {},
) => {
  const bus = await scriptedServer({ '/oauth/token': [tokenResponse()], ...script });
  open.push(bus.close);
  const result = await runExample(command, {
    SOMBUS_BASE_URL: bus.baseUrl,
    SOMBUS_WORKSPACE: 'wtest',
    SOMBUS_CLIENT_ID: 'ctest',
    SOMBUS_CLIENT_SECRET: secret,
    ...variables,
  });
  return { bus, ...result };
};

describe.each(handWritten)(
  'in hard times, the examples in $name',
  ({ needs, run: runner, file }) => {
    const lacking = needOf(missing(needs));

    const outcome = (
      script: Script,
      [kind = '', ...args]: readonly string[],
      variables?: NodeJS.ProcessEnv,
    ) => outcomeOf([...runner, file(kind), ...args], script, variables);

    /** A test that says why where it cannot run. */
    const ifPresent = (title: string, body: () => Promise<void>) =>
      testUnless(lacking, title, body);

    ifPresent('send the same bytes again after no response, a cut one, 429 and 503', async () => {
      const gone: Reply = response => response.destroy();
      const replies = [gone, cut(202), refusal(429, 'rate.limited', now), unavailable, accepted];
      const { code, output, bus } = await outcome({ '/messages': replies }, ['producer', message]);
      expect([code, output]).toEqual([0, expect.stringMatching(/^202 \{"accepted":true\}$/m)]);
      const sent = bus.calls.filter(({ line }) => line === '/messages');
      expect(sent.map(({ body }) => body)).toEqual(Array(5).fill(bytes));
      expect(bus.count('/oauth/token')).toBe(1);
    });

    ifPresent('wait for a token service that is busy or unavailable', async () => {
      const tokens = [unavailable, refusal(429, 'rate.limited', now), tokenResponse()];
      const { code, bus } = await outcome({ '/oauth/token': tokens, '/messages': [accepted] }, [
        'producer',
        message,
      ]);
      expect([code, bus.count('/oauth/token'), bus.count('/messages')]).toEqual([0, 3, 1]);
    });

    ifPresent('renew a token that is refused once, and then give up', async () => {
      const { code, output, bus } = await outcome({ '/messages': [unauthenticated] }, [
        'producer',
        message,
      ]);
      expect([code, output]).toEqual([1, expect.stringContaining('producer.unauthenticated')]);
      expect([bus.count('/oauth/token'), bus.count('/messages')]).toEqual([2, 2]);
    });

    ifPresent("report a day's quota that is used up, and do not wait for tomorrow", async () => {
      const used = refusal(429, 'quota.exceeded', { 'retry-after': '40000' });
      const { code, output, bus } = await outcome({ '/messages': [used] }, ['producer', message]);
      expect([code, output]).toEqual([1, expect.stringMatching(/^429 .*quota\.exceeded/m)]);
      expect(bus.count('/messages')).toBe(1);
    });

    ifPresent(
      'give back what cannot be handled, with what follows it, and acknowledge the rest',
      async () => {
        const pulls = [
          refusal(429, 'rate.limited', now),
          refusal(503, 'registry.unavailable', now),
          unauthenticated,
          pulled(
            snapshot('m-1', 'story-a', '{"story_id":"a","sequence_number":1}'),
            snapshot('m-2', 'story-b', 'null'),
            snapshot('m-3', 'story-b', '{"story_id":"b","sequence_number":2}'),
            snapshot('m-4', 'story-a', '{"story_id":"a","sequence_number":2}'),
          ),
          pulled(),
        ];
        const script = { '/messages': pulls, '/nack': [settled], '/ack': [settled] };
        const { code, output, bus } = await outcome(script, ['consumer']);
        expect(output.match(/^story\.context .*$/gm)).toEqual([
          'story.context m-1',
          'story.context m-4',
        ]);
        expect([code, output]).toEqual([0, expect.stringMatching(/^failed m-2/m)]);
        const bodies = (line: string) =>
          bus.calls.filter(call => call.line === line).map(({ body }) => JSON.parse(body));
        expect(bodies('/ack')).toEqual([{ receipt_handles: ['receipt-m-1', 'receipt-m-4'] }]);
        expect(bodies('/nack')).toEqual([
          { receipt_handles: ['receipt-m-2', 'receipt-m-3'], delay_seconds: 30 },
        ]);
      },
    );

    ifPresent(
      'handle each message once, the newest snapshot last, whatever its number and story',
      async () => {
        const first = snapshot('m-1', 'c', '{"story_id":"","sequence_number":9223372036854775808}');
        const pulls = [
          pulled(first, snapshot('m-2', 'd', '{"story_id":"","sequence_number":7}')),
          pulled(
            first,
            snapshot('m-3', 'c', '{"story_id":"","sequence_number":9223372036854777856}'),
          ),
          pulled(),
        ];
        const script = {
          '/oauth/token': [tokenResponse(1)],
          '/messages': pulls,
          '/ack': [settled],
        };
        const { code, output, bus } = await outcome(script, ['consumer']);
        expect([code, output]).toEqual([0, 'story.context m-1\nstory.context m-3\n']);
        // A token that is about to end is not used: each of the five calls got a new one.
        expect([bus.count('/ack'), bus.count('/oauth/token')]).toEqual([2, 5]);
      },
    );

    ifPresent('send no secret over plain http to another machine', async () => {
      const elsewhere = { SOMBUS_BASE_URL: 'http://bus.invalid/v1' };
      const { code, output } = await outcome({}, ['producer', message], elsewhere);
      expect([code, output]).toEqual([2, 'http://bus.invalid/v1 is not https.\n']);
    });

    ifPresent('name the variable that is not set, and nothing else', async () => {
      for (const variable of ['BASE_URL', 'WORKSPACE', 'CLIENT_ID', 'CLIENT_SECRET']) {
        const { code, output } = await outcome({}, ['producer', message], {
          [`SOMBUS_${variable}`]: '',
        });
        expect([code, output]).toEqual([2, `Set SOMBUS_${variable}.\n`]);
      }
      const { code, output } = await outcome({}, ['consumer'], { SOMBUS_BASE_URL: '' });
      expect([code, output]).toEqual([2, 'Set SOMBUS_BASE_URL.\n']);
    });

    ifPresent('say in one line that there is no token, or that a pull was refused', async () => {
      const unknown = json(401, { error: 'invalid_client', error_description: 'No.' });
      const none = await outcome({ '/oauth/token': [unknown] }, ['producer', message]);
      expect(none).toMatchObject({
        code: 1,
        output: expect.stringMatching(/^No token: 401 [^\n]+\n$/),
      });
      const refused = refusal(403, 'producer.not_registered');
      const pull = await outcome({ '/messages': [refused] }, ['consumer']);
      expect(pull).toMatchObject({ code: 1, output: expect.stringMatching(/^403 [^\n]+\n$/) });
    });
  },
);

const bashLacks = needOf(missing(['bash', 'curl', 'jq']));

testUnless(
  bashLacks,
  'no program that the examples in bash start has a secret among its arguments',
  async () => {
    const seen = join(folder.path, 'arguments');
    const programs = join(folder.path, 'bin');
    mkdirSync(programs);
    for (const program of ['curl', 'jq']) {
      const path = join(programs, program);
      writeFileSync(
        path,
        `#!/bin/bash\nprintf '%s\\n' "$@" >>'${seen}'\nPATH=\${PATH#*:} exec ${program} "$@"\n`,
      );
      chmodSync(path, 0o755);
    }
    const command = ['bash', 'examples/bash/producer.sh', message];
    const path = { PATH: `${programs}:${process.env['PATH']}` };
    const { bus, code } = await outcomeOf(command, { '/messages': [accepted] }, path);
    expect([code, existsSync(seen)]).toEqual([0, true]);
    const all = readFileSync(seen, 'utf8');
    expect(all).toContain('grant_type');
    expect(all).not.toMatch(/sbs_|Bearer|Basic|c2ln/);
    expect(bus.calls.at(-1)?.authorization).toMatch(/^Bearer e30\./);
  },
);
