import { Command } from 'commander';
import { dataFiles } from '../local/data-folder.ts';
import { databaseOption } from '../local/database.ts';
import { demoStory } from '../local/demo-story.ts';
import { readSeed } from '../local/seed.ts';
import { runningService } from '../local/service-note.ts';
import { type LocalService, type Ready, startLocalService } from '../local/start.ts';
import { missingParts } from '../local/start-refusal.ts';
import type { CommandContext } from './command.ts';
import { dataOption, port } from './options.ts';
import { shellLines } from './shell.ts';

/** On one line, with a new story at every start, so that the lines also work on a data folder that was used before. */
const message = (systemId: string): string => JSON.stringify(JSON.parse(demoStory(systemId)[0] ?? ''));

/** Prints the first value of a JSON member, using only tools that every system has. */
const member = (name: string): string => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`;

/** Five shell lines that work as they are: token, dry run, publish, pull, acknowledge. */
const curlLines = ({ base_url, workspace, producer, consumer }: Ready): readonly string[] => {
  const token = ({ client_id, client_secret }: { client_id: string; client_secret: string }) =>
    `$(printf 'user = "%s"' ${client_id}:${client_secret} | curl -s -K - -d grant_type=client_credentials ${base_url}/oauth/token | ${member('access_token')})`;
  const call = (variable: string) => `printf 'Authorization: Bearer %s' "$${variable}" | curl -s -H @-`;
  const send = `-H 'Content-Type: application/json' -d '${message(producer.system_id)}'`;
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
const startScreen = (ready: Ready, data: string): string => {
  const { base_url, portal_url, workspace, producer, consumer, endpoints, role, region } = ready;
  const [token = '', validate = '', publish = '', pull = '', ack = ''] = curlLines(ready);
  return `
som-bus is running. Press Ctrl-C to stop it; all data is kept in ${data}

  bus        ${base_url}
  portal     ${portal_url}   API reference: ${portal_url}/docs
  DynamoDB   ${endpoints.dynamodb}
  SQS        ${endpoints.sqs}
  KMS        ${endpoints.kms}

  workspace  ${workspace}
  producer   ${producer.client_id}  secret ${producer.client_secret}  sends as ${producer.system_id}
  consumer   ${consumer.client_id}  secret ${consumer.client_secret}
  queue      ${consumer.queue_url}
  role       ${role.role_arn}  signs requests for the producer, with these credentials:
             export AWS_REGION=${region} AWS_ACCESS_KEY_ID=${role.access_key_id} AWS_SECRET_ACCESS_KEY=${role.secret_access_key} AWS_SESSION_TOKEN=${role.session_token}

Try it: paste these lines into another terminal, one at a time.

# 1. get access tokens for the producer (P) and the consumer (C)
${token}

# 2. dry run: see the verdict; nothing is published
${validate}

# 3. publish the message
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

const readyText = ({ ready, data }: LocalService, json: boolean): string =>
  json ? JSON.stringify(ready) : startScreen(ready, data);

/** `sombus dev`: the whole service on this machine until it is stopped. */
export const devCommand = ({ terminal }: CommandContext): Command =>
  dataOption(new Command('dev'), 'folder for all data')
    .description('run the whole service on this machine')
    .option('--port <port>', 'port of the bus (0: any free port)', port, 8787)
    .option('--portal-port <port>', 'port of the portal (0: any free port)', port, 8788)
    .option('--fresh', 'empty the data folder first', false)
    .option('--no-limits', 'disable rate limits and quotas, for load tests')
    .option('--json', 'print one JSON line when the service is ready, and nothing else', false)
    .action(async (options: DevOptions) => {
      const stopped = stopSignal();
      const service = await startLocalService({
        ...options,
        ...databaseOption(process.env),
        print: options.json ? () => undefined : line => terminal.out(line),
        warn: line => terminal.error(line),
      });
      terminal.out(readyText(service, options.json));
      const failure = await Promise.race([stopped, service.failed]);
      await service.close();
      if (failure) throw failure;
    });

/** The running service and its demo credentials (`id:secret`), under the names that the README uses. */
const shellVariables = (data: string): Readonly<Record<string, string>> => {
  const { origin, portal } = runningService(data);
  const seed = readSeed(data);
  if (seed === undefined) throw missingParts(data, [dataFiles.credentials]);
  const { workspace, producer, consumer } = seed;
  const base = `${origin}/v1`;
  return {
    BASE: base,
    TENANT: `${base}/tenants/${workspace}`,
    QUEUE: `${base}/tenants/${workspace}/consumers/${consumer.client_id}`,
    PORTAL: portal,
    WORKSPACE: workspace,
    PRODUCER: `${producer.client_id}:${producer.client_secret}`,
    CONSUMER: `${consumer.client_id}:${consumer.client_secret}`,
  };
};

/** `sombus env`, for `eval "$(sombus env)"`. */
export const envCommand = ({ terminal }: CommandContext): Command =>
  dataOption(new Command('env'))
    .description('print the addresses and demo credentials of the running service as shell variables')
    .action(({ data }: { data: string }) => {
      for (const line of shellLines(shellVariables(data))) terminal.out(line);
    });
