import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemOutside } from '../../../lib/kit/client/outside.ts';
import { type JsonObject, jsonIn } from '../../../lib/platform/json/value.ts';
import { sombusWith } from '../../support/commands.ts';
import { json, type Reply, tokenResponse } from '../../support/scripted-server.ts';

afterEach(() => void jest.restoreAllMocks());

/** Accepts everything, and gives what was published to the consumer of the role `graphics`. */
const busOf = async (token = tokenResponse()) => {
  const waiting: JsonObject[] = [];
  const accept = (message: JsonObject): Reply => {
    const { message_id, message_type } = message;
    if (message_type === 'story.context') waiting.push(message);
    return json(202, { accepted: true, message_id, message_type });
  };
  const pull = (): Reply => {
    const messages = waiting.splice(0, 1).map(envelope => ({
      message_id: envelope['message_id'],
      message_type: envelope['message_type'],
      correlation_id: envelope['correlation_id'],
      producer_id: 'cncs',
      system_id: 'fennel-ncs',
      enqueued_at: '2026-05-04T09:00:00.000Z',
      receive_count: 1,
      receipt_handle: 'r',
      envelope,
    }));
    return json(200, { messages });
  };
  const replyTo = ({ url = '' }: IncomingMessage, body: string): Reply => {
    if (url.endsWith('/oauth/token')) return token;
    if (url.endsWith('/validate')) return json(200, { accepted: true, dry_run: true });
    if (url.endsWith('/messages')) return accept(jsonIn(body) as JsonObject);
    if (url.includes('/cgraphics/messages')) return pull();
    if (url.includes('/messages')) return json(200, { messages: [] });
    if (url.endsWith('/backlog'))
      return json(200, {
        visible: waiting.length,
        in_flight: 0,
        oldest_seconds: null,
        blocked: [],
      });
    if (/ack$/.test(url)) return json(200, { ok: ['r'], failed: [] });
    return json(200, { registrations: [] });
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    replyTo(request, body)(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
};

let time = 0;

/** Time passes only where somebody waits for it. */
const letTimePass = (meanwhile: () => void = () => undefined): void => {
  time = Date.parse('2026-05-06T09:00:00Z');
  jest.spyOn(systemOutside, 'now').mockImplementation(() => time);
  jest.spyOn(systemOutside, 'sleep').mockImplementation(async milliseconds => {
    await new Promise(resolve => setImmediate(resolve));
    time += milliseconds;
    meanwhile();
  });
};

const credentials = Object.fromEntries(
  ['NCS', 'GRAPHICS'].flatMap(role => [
    [`SOMBUS_NEWSROOM_${role}_PRODUCER_ID`, `cp${role.toLowerCase()}`],
    [`SOMBUS_NEWSROOM_${role}_PRODUCER_SECRET`, 's'],
    [`SOMBUS_NEWSROOM_${role}_CONSUMER_ID`, `c${role.toLowerCase()}`],
    [`SOMBUS_NEWSROOM_${role}_CONSUMER_SECRET`, 's'],
  ]),
);

const newsroom = async (token: Reply, ...args: readonly string[]) => {
  const bus = await busOf(token);
  const as = { SOMBUS_BASE_URL: bus.baseUrl, SOMBUS_WORKSPACE: 'wtest', ...credentials };
  const { code, stdout, stderr } = await sombusWith(as, 'newsroom', ...args, '--data', 'none');
  await bus.close();
  return { code, said: stdout.split('\n').slice(0, -1), stderr };
};

const day = ['--day', '2026-05-04', '--speed', '1000'];

test('a day of two systems, a line for each message', async () => {
  letTimePass();
  const roles = ['--only', 'ncs', '--only', 'graphics', '--only', 'cms', '--without', 'cms'];
  const { code, said, stderr } = await newsroom(tokenResponse(), ...day, ...roles);
  expect([code, stderr]).toEqual([0, '']);
  expect(said.slice(0, 2)).toEqual([
    'Fennel Quay News, 2026-05-04, 1000 times as fast',
    'cms is yours: its connections are SOMBUS_NEWSROOM_CMS_* in your shell',
  ]);
  // Which of two systems is the first to say something is left to chance.
  expect(said.filter(line => line.includes('  ncs  '))).toEqual([
    '06:50:00  ncs         story.context             sorrel-bridge 1   accepted     63c745fe-b05e-8e44-831e-fee96fcbbafe  the bridge is shut; priority HIGH',
    '08:20:00  ncs         story.context             sorrel-bridge 3   accepted     60d1793b-65d8-81bf-b764-924e316e3c3c  phase BREAKING, URGENT; the press feed is being captured',
    '09:40:00  ncs         story.context             sorrel-bridge 4   accepted     cd0b64d4-695e-86da-810c-00814c361284  the press feed is captured',
    '10:25:00  ncs         story.context             sorrel-bridge 5   accepted     ef631f61-edd1-86dc-88af-154ea4d84a63  a second source, the county works; FLASH',
    '11:00:00  ncs         story.context             sorrel-bridge 6   accepted     894efbcb-1d6f-8755-bd8f-0d230f95ed0f  a transcript of the feed, made by a model, not reviewed yet',
    '11:45:00  ncs         story.context             night-market 1    accepted     9ae6d6a3-4166-8c36-9f41-10cecc060ae8  the council has voted; priority HIGH',
    '12:20:00  ncs         story.context             sorrel-bridge 7   accepted     bd8087ac-5e9e-8d04-b1c6-410ca85f1e7b  a lower third with the open figure; its gate is PENDING',
    '14:00:00  ncs         story.context             sorrel-bridge 8   accepted     0258ed8b-0df5-8690-b192-c7bb10363f9a  the figure is confirmed, the gate APPROVED; the lower third is in use',
    '14:40:00  ncs         story.context             night-market 3    accepted     bc916f7e-6839-8e55-aa4f-03b95ee363f5  the headline says "rejects" now',
    '16:15:00  ncs         story.context             sorrel-bridge 9   accepted     f3bb1b24-3346-81bd-91c2-e8f6d0e825cc  the closing time is corrected',
    '18:05:00  ncs         story.context             sorrel-bridge 10  accepted     cdced845-933d-8758-88a1-13b7f93d2f33  the line is paint: the story is KILLED',
  ]);
  expect(said.filter(line => line.includes('  graphics  '))).toEqual([
    '12:20:20  graphics    link.committed            sorrel-bridge     accepted     f836b8dd-458a-8ea1-ae47-f6383d58b872  after story.context from fennel-ncs',
    '18:05:10  graphics    link.withdrawn            sorrel-bridge     accepted     937403a8-dc95-87ca-a3bd-50052f50c138  after story.context from fennel-ncs',
  ]);
  expect([said.length, said.at(-1)]).toEqual([16, 'the day is over: 13 accepted']);
});

test('a newsroom that is stopped says so', async () => {
  letTimePass(() => process.emit('SIGTERM', 'SIGTERM'));
  expect(await newsroom(tokenResponse(), ...day, '--only', 'graphics')).toEqual({
    code: 0,
    said: ['Fennel Quay News, 2026-05-04, 1000 times as fast', 'stopped: nothing was published'],
    stderr: '',
  });
});

test('a role that gets no token, and a newsroom without roles, are refused', async () => {
  letTimePass();
  const token = json(401, { error: 'invalid_client', error_description: 'No such client.' });
  expect(await newsroom(token, ...day, '--only', 'graphics')).toMatchObject({
    code: 1,
    stderr:
      'refused: graphics gets no token (invalid_client: No such client.): are its id and secret those of this bus?\n',
  });
  expect(await newsroom(token, '--only', 'ncs', '--without', 'ncs')).toEqual({
    code: 1,
    said: [],
    stderr: 'refused: No role is left to play.\n',
  });
});
