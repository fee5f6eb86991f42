import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { databaseOption } from '../local/database.ts';
import { type LocalService, type Ready, startLocalService } from '../local/start.ts';
import type { CommandContext } from './command.ts';
import { dataOption, port } from './options.ts';

/** What makes the message of the screen a new one: ids that this data folder has not seen. */
interface ScreenIds {
  readonly messageId: string;
  readonly correlationId: string;
  readonly storyId: string;
}

const message = (systemId: string, { messageId, correlationId, storyId }: ScreenIds): string =>
  JSON.stringify({
    som_version: '1.0.0',
    message_id: messageId,
    correlation_id: correlationId,
    message_type: 'story.context',
    timestamp: '2026-05-04T09:00:00Z',
    originating_system: { system_id: systemId, system_type: 'ncs' },
    topic: 'som.story',
    payload: {
      story_id: storyId,
      slug: 'HARBOUR-FIRE',
      headline: 'Fire at the old harbour',
      story_type: 'PLANNED',
      sequence_number: 1,
      updated_at: '2026-05-04T09:00:00Z',
    },
  });

/** The first value of a JSON member in an answer, with what every system has. */
const member = (name: string): string => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`;

/** Five lines for a shell, each of which works as it stands: token, dry run, publish, pull, acknowledge. */
const curlLines = ({ base_url, workspace, producer, consumer }: Ready, ids: ScreenIds): readonly string[] => {
  const token = ({ client_id, client_secret }: { client_id: string; client_secret: string }) =>
    `$(printf 'user = "%s"' ${client_id}:${client_secret} | curl -s -K - -d grant_type=client_credentials ${base_url}/oauth/token | ${member('access_token')})`;
  const call = (variable: string) => `printf 'Authorization: Bearer %s' "$${variable}" | curl -s -H @-`;
  const send = `-H 'Content-Type: application/json' -d '${message(producer.system_id, ids)}'`;
  const queue = `${base_url}/tenants/${workspace}/consumers/${consumer.client_id}`;
  return [
    `P=${token(producer)} C=${token(consumer)}; echo "$P"`,
    `${call('P')} ${base_url}/tenants/${workspace}/validate ${send}; echo`,
    `${call('P')} ${base_url}/tenants/${workspace}/messages ${send}; echo`,
    `M=$(${call('C')} "${queue}/messages?max=1&wait=5"); echo "$M"`,
    `${call('C')} ${queue}/ack -H 'Content-Type: application/json' -d "{\\"receipt_handles\\":[\\"$(echo "$M" | ${member('receipt_handle')})\\"]}"; echo`,
  ];
};

/** What a person sees when the service is up. */
const devScreen = (ready: Ready, data: string, ids: ScreenIds): string => {
  const { base_url, portal_url, workspace, producer, consumer, endpoints, role, region } = ready;
  const [token = '', validate = '', publish = '', pull = '', ack = ''] = curlLines(ready, ids);
  return `
som-bus is running. Stop it with Ctrl-C; everything is kept in ${data}

  bus        ${base_url}
  portal     ${portal_url}   API pages: ${portal_url}/docs
  DynamoDB   ${endpoints.dynamodb}
  SQS        ${endpoints.sqs}
  KMS        ${endpoints.kms}

  workspace  ${workspace}
  producer   ${producer.client_id}  secret ${producer.client_secret}  sends as ${producer.system_id}
  consumer   ${consumer.client_id}  secret ${consumer.client_secret}
  queue      ${consumer.queue_url}
  role       ${role.role_arn}  signs requests for the producer, with these keys:
             export AWS_REGION=${region} AWS_ACCESS_KEY_ID=${role.access_key_id} AWS_SECRET_ACCESS_KEY=${role.secret_access_key} AWS_SESSION_TOKEN=${role.session_token}

Try it: paste these into another terminal, one after the other.

# 1. access tokens of the producer (P) and the consumer (C)
${token}

# 2. dry run: the verdict, and nothing is sent
${validate}

# 3. publish
${publish}

# 4. pull it as the consumer
${pull}

# 5. acknowledge it
${ack}
`;
};

interface DevOptions {
  readonly port: number;
  readonly portalPort: number;
  readonly data: string;
  readonly fresh: boolean;
  readonly limits: boolean;
  readonly json: boolean;
}

/** Resolves at the first SIGINT or SIGTERM. */
const stopSignal = (): Promise<void> =>
  new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });

/** New ones at every start, so that the lines of the screen work on a folder that has seen them before. */
const newIds = (): ScreenIds => ({
  messageId: randomUUID(),
  correlationId: randomUUID(),
  storyId: `harbour-fire-${randomUUID().slice(0, 8)}`,
});

const show = (service: LocalService, json: boolean): string =>
  json ? JSON.stringify(service.ready) : devScreen(service.ready, service.data, newIds());

/** `sombus dev`: the whole service on this machine until it is stopped. */
export const devCommand = ({ terminal }: CommandContext): Command =>
  dataOption(new Command('dev'), 'where everything durable is kept')
    .description('run the whole service on this machine')
    .option('--port <port>', 'the bus (0: any free port)', port, 8787)
    .option('--portal-port <port>', 'the portal (0: any free port)', port, 8788)
    .option('--fresh', 'begin with an empty data folder', false)
    .option('--no-limits', 'never answer 429: for load tests')
    .option('--json', 'print one JSON line when ready, and nothing else', false)
    .action(async (options: DevOptions) => {
      const stopped = stopSignal();
      const service = await startLocalService({
        ...options,
        ...databaseOption(process.env),
        print: options.json ? () => undefined : line => terminal.out(line),
        warn: line => terminal.error(line),
      });
      terminal.out(show(service, options.json));
      const failure = await Promise.race([stopped, service.failed]);
      await service.close();
      if (failure) throw failure;
    });
