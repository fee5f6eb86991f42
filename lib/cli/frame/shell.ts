import { shellWord } from '../../contract/environments.ts';
import { defined } from '../../contract/outside.ts';
import { dataFiles } from '../../local/data-folder.ts';
import { keptSecret, readSeed, type Seed } from '../../local/seed.ts';
import { runningService } from '../../local/service-note.ts';
import { missingParts } from '../../local/start-refusal.ts';
import { demoStory } from '../../som/messages/demo-messages.ts';
import { type CommandRun, command } from './command.ts';
import { found } from './failures.ts';
import { environmentOption, option } from './options.ts';

export const shellLines = (variables: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);

const demoOf = (data: string): Seed & { base: string; portal: string } => {
  const { origin, portal } = runningService(data);
  const seed = readSeed(data);
  if (seed === undefined) throw missingParts(data, [dataFiles.credentials]);
  return { ...seed, base: `${origin}/v1`, portal };
};

/**
 * The running service and its demo credentials (`id:secret`), under the names that the README uses.
 */
const shellVariables = (data: string): Readonly<Record<string, string>> => {
  const { base, portal, workspace, producer, consumer } = demoOf(data);
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

/** Where a bus is, under the names that public clients read. @param issuer ends in `/v1/oauth` */
export const busVariables = (issuer: string, workspace: string): Record<string, string> => ({
  // With its slash: clients resolve paths against it, as against a folder (RFC 3986 section 5.2.3).
  SOMBUS_BASE_URL: `${issuer.replace(/oauth$/, '')}`,
  SOMBUS_TOKEN_URL: `${issuer}/token`,
  SOMBUS_WORKSPACE: workspace,
});

export const demoVariables = (data: string): Readonly<Record<string, string>> => {
  const { base, workspace, producer, consumer } = demoOf(data);
  return {
    ...busVariables(`${base}/oauth`, workspace),
    SOMBUS_SYSTEM_ID: producer.system_id,
    SOMBUS_PUBLISHER_ID: producer.client_id,
    SOMBUS_PUBLISHER_SECRET: producer.client_secret,
    SOMBUS_READER_ID: consumer.client_id,
    SOMBUS_READER_SECRET: consumer.client_secret,
  };
};

const connectionVariables = async ({ ports, terminal, options }: CommandRun, named: string) => {
  const { data, environment } = options;
  const seed = environment === undefined ? readSeed(data) : undefined;
  const id = seed && (named === 'producer' || named === 'consumer') ? seed[named].client_id : named;
  const { workspace, systemIds } = found(
    await ports.connections.find(id),
    'connection',
    id,
  ).connection;
  const secret = keptSecret(seed, id);
  if (secret === undefined)
    terminal.error(
      `note: this machine does not have the secret of ${id}; it was shown when it was issued. ` +
        'Set SOMBUS_CLIENT_SECRET yourself.',
    );
  return {
    ...busVariables(ports.busIssuer, workspace),
    SOMBUS_CLIENT_ID: id,
    ...defined({ SOMBUS_CLIENT_SECRET: secret, SOMBUS_SYSTEM_ID: systemIds[0] }),
  };
};

export const envCommand = command({
  usage: 'env',
  description: 'print URLs, ids and secrets as shell variables, under the names that clients use',
  target: 'folder',
  options: {
    environment: environmentOption,
    connection: option(
      '--connection <id>',
      'only this connection; producer and consumer mean those of the demo',
    ),
  },
  help: '\nTo hand them on to programs: set -a; eval "$(npx --no sombus env)"; set +a',
  async run(call) {
    const { data, environment, connection } = call.options;
    if (environment !== undefined && connection === undefined)
      return call.misused('with --environment, name a connection with --connection');
    const variables =
      connection === undefined
        ? { ...shellVariables(data), ...demoVariables(data) }
        : await connectionVariables(call, connection);
    for (const line of shellLines(variables)) call.terminal.out(line);
  },
});

/**
 * On one line, and of a new story each time, so that the lines also work on a data folder that was
 * used before.
 */
const message = (systemId: string): string =>
  JSON.stringify(JSON.parse(demoStory(systemId)[0] ?? ''));

/** Prints the first value of a JSON member, using only tools that every system has. */
const member = (name: string): string => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`;

/**
 * Shell lines that work as they are. Secrets and tokens are never arguments: every user of a
 * machine can read those.
 */
const curlLines = (data: string): readonly string[] => {
  const { base, workspace, producer, consumer } = demoOf(data);
  const token = ({ client_id, client_secret }: Seed['consumer']) =>
    `$(printf 'user = "%s"' ${shellWord(`${client_id}:${client_secret}`)} | curl -s -K - -d ` +
    `grant_type=client_credentials "$BASE/oauth/token" | ${member('access_token')})`;
  const call = (variable: string) =>
    `printf 'Authorization: Bearer %s' "$${variable}" | curl -s -H @-`;
  const send = (path: string) =>
    `${call('P')} "$BASE/tenants/${workspace}/${path}" -H 'Content-Type: application/json' -d ` +
    '"$MESSAGE"; echo';
  const queue = `$BASE/tenants/${workspace}/consumers/${consumer.client_id}`;
  return [
    '# 1. get access tokens for the producer (P) and the consumer (C)',
    `BASE=${shellWord(base)}`,
    `P=${token(producer)}`,
    `C=${token(consumer)}`,
    '',
    '# 2. dry run: see the verdict; nothing is published',
    `MESSAGE=${shellWord(message(producer.system_id))}`,
    send('validate'),
    '',
    '# 3. publish the message',
    send('messages'),
    '',
    '# 4. pull it as the consumer',
    `M=$(${call('C')} "${queue}/messages?max=1&wait=5"); echo "$M"`,
    '',
    '# 5. acknowledge it',
    `${call('C')} "${queue}/ack" -H 'Content-Type: application/json' -d ` +
      `"{\\"receipt_handles\\":[\\"$(echo "$M" | ${member('receipt_handle')})\\"]}"; echo`,
  ];
};

export const curlCommand = command({
  usage: 'curl',
  description: 'print the way of one message as curl commands, to paste into a shell',
  target: 'folder',
  run({ terminal, options: { data } }) {
    for (const line of curlLines(data)) terminal.out(line);
  },
});
