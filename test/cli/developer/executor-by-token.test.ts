import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sombusWith } from '../../support/commands.ts';
import { storyContext } from '../../support/messages.ts';
import { json, type Reply, tokenResponse } from '../../support/scripted-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'sombus-executor-'));
afterAll(() => rmSync(folder, { recursive: true }));

const house = join(folder, 'house.yaml');
writeFileSync(
  house,
  `skills:
  - skill_id: smart-stories/raise-flag-on-match
    instance_label: house-breaking
    authority_scale: [legal, duty-editor]
    values: { match_field: lifecycle.phase, match_value: BREAKING, flag_name: unsettled, clearing_authority: duty-editor }
`,
);
const lifecycle = { phase: 'BREAKING', phase_entered_at: '2026-11-22T09:00:00Z' };
const message = storyContext({ story_id: 'fire', story_type: 'ACTIVE', lifecycle });

/** Gives its consumer one message, and is stopped once that is acknowledged. */
const executed = async (
  variables: Readonly<Record<string, string>>,
  ...args: readonly string[]
) => {
  const asked: string[] = [];
  let waiting: readonly object[] = [message];
  const pulled = () => {
    const messages = waiting.map(envelope => ({
      message_id: message['message_id'],
      message_type: 'story.context',
      correlation_id: message['correlation_id'],
      producer_id: 'cp',
      system_id: 'desk-1',
      enqueued_at: '2026-05-04T09:00:00.000Z',
      receive_count: 1,
      receipt_handle: 'r',
      envelope,
    }));
    waiting = [];
    return json(200, { messages });
  };
  const replyTo = (url: string, body: string): Reply => {
    if (url.endsWith('/oauth/token')) return tokenResponse();
    if (url.endsWith('/messages')) {
      const { message_id, message_type } = JSON.parse(body);
      asked.push(body);
      return json(202, { accepted: true, message_id, message_type });
    }
    if (url.endsWith('/ack')) setImmediate(() => process.emit('SIGTERM', 'SIGTERM'));
    if (/n?ack$/.test(url)) return json(200, { ok: ['r'], failed: [] });
    if (url.includes('/messages')) return pulled();
    return json(200, { registrations: [] });
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    replyTo(request.url ?? '', body)(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const SOMBUS_BASE_URL = `http://127.0.0.1:${port}/v1`;
  const as = { SOMBUS_BASE_URL, SOMBUS_WORKSPACE: 'wtest', ...variables };
  const run = await sombusWith(as, 'executor', ...args, '--data', 'none');
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
  return { ...run, said: run.stdout.split('\n').slice(0, -1), asked };
};

const named = (reader: string, publisher: string) => ({
  [`${reader}_ID`]: 'cr',
  [`${reader}_SECRET`]: 's',
  [`${publisher}_ID`]: 'cp',
  [`${publisher}_SECRET`]: 's',
});
const usual = named('SOMBUS_READER', 'SOMBUS_PUBLISHER');

test('a warning is published, and told with what led to it', async () => {
  const state = ['--state', join(folder, 'state.json')];
  const other = named('MY_READER', 'MY_PUBLISHER');
  const options = ['--consumer', 'MY_READER', '--producer', 'MY_PUBLISHER', '--system', 'skills-1'];
  const run = await executed(other, ...state, ...options, '--instances', house);
  const warning = JSON.parse(run.asked[0] ?? '{}');
  expect(warning).toMatchObject({
    message_type: 'skill.warning.raised',
    originating_system: { system_id: 'skills-1', system_type: 'skill_worker' },
    payload: { rule_id: 'house-breaking', scope: 'story:fire', severity: 'flag' },
  });
  expect({ ...run, asked: run.asked.length }).toMatchObject({
    asked: 1,
    code: 0,
    stderr: '',
    said: [
      'instances: house-breaking',
      `flag    house-breaking  story:fire  accepted  ${warning.message_id}  after story.context ${message['message_id']}`,
    ],
  });
});

test('without instances it says so, and acknowledges what comes', async () => {
  const variables = { ...usual, SOMBUS_SYSTEM_ID: 'skills-2' };
  expect(await executed(variables, '--state', join(folder, 'none.json'))).toMatchObject({
    asked: [],
    code: 0,
    said: ['no instances'],
    stderr: '',
  });
});

test('wants to know its system, and a file of instances without errors', async () => {
  const state = ['--state', join(folder, 'other.json')];
  expect(await executed(usual, ...state)).toMatchObject({
    code: 1,
    said: [],
    stderr:
      'refused: Name the system that the producer sends as, with --system or SOMBUS_SYSTEM_ID.\n',
  });
  const bad = join(folder, 'bad.yaml');
  writeFileSync(bad, '- skill_id: smart-stories/none\n  instance_label: x\n');
  const refused = await executed(usual, ...state, '--system', 's', '--instances', bad);
  expect([refused.code, refused.stderr.split('\n')[0]]).toEqual([
    1,
    `refused: ${bad} has errors (1).`,
  ]);
});
