import { Command } from 'commander';
import { dataFiles } from '../local/data-folder.ts';
import { demoStory } from '../local/demo-story.ts';
import { readSeed, type Seed } from '../local/seed.ts';
import { runningService } from '../local/service-note.ts';
import { missingParts } from '../local/start-refusal.ts';
import type { CommandContext } from './command.ts';
import { dataOption } from './options.ts';

/** A text as one word of a POSIX shell, whatever it contains (POSIX.1-2024, Shell Command Language, 2.2.2 Single-Quotes). */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Variables as lines that a shell or a `.env` reader takes. */
export const shellLines = (variables: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);

/** The running service of a data folder, and its demo credentials. */
const demoOf = (data: string): Seed & { readonly base: string; readonly portal: string } => {
  const { origin, portal } = runningService(data);
  const seed = readSeed(data);
  if (seed === undefined) throw missingParts(data, [dataFiles.credentials]);
  return { ...seed, base: `${origin}/v1`, portal };
};

/** The running service and its demo credentials (`id:secret`), under the names that the README uses. */
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

/** `sombus env`, for `eval "$(sombus env)"`. */
export const envCommand = ({ terminal }: CommandContext): Command =>
  dataOption(new Command('env'))
    .description('print the addresses and demo credentials of the running service as shell variables')
    .action(({ data }: { data: string }) => {
      for (const line of shellLines(shellVariables(data))) terminal.out(line);
    });

/** On one line, and of a new story each time, so that the lines also work on a data folder that was used before. */
const message = (systemId: string): string => JSON.stringify(JSON.parse(demoStory(systemId)[0] ?? ''));

/** Prints the first value of a JSON member, using only tools that every system has. */
const member = (name: string): string => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`;

/** Shell lines that work as they are. Secrets and tokens are never arguments: every user of a machine can read those. */
const curlLines = (data: string): readonly string[] => {
  const { base, workspace, producer, consumer } = demoOf(data);
  const token = ({ client_id, client_secret }: Seed['consumer']) =>
    `$(printf 'user = "%s"' ${shellWord(`${client_id}:${client_secret}`)} | curl -s -K - -d grant_type=client_credentials "$BASE/oauth/token" | ${member('access_token')})`;
  const call = (variable: string) => `printf 'Authorization: Bearer %s' "$${variable}" | curl -s -H @-`;
  const send = (path: string) =>
    `${call('P')} "$BASE/tenants/${workspace}/${path}" -H 'Content-Type: application/json' -d "$MESSAGE"; echo`;
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
    `${call('C')} "${queue}/ack" -H 'Content-Type: application/json' -d "{\\"receipt_handles\\":[\\"$(echo "$M" | ${member('receipt_handle')})\\"]}"; echo`,
  ];
};

/** `sombus curl`: the first message without the command line. */
export const curlCommand = ({ terminal }: CommandContext): Command =>
  dataOption(new Command('curl'))
    .description('print the way of one message as curl commands, to paste into a shell')
    .action(({ data }: { data: string }) => {
      for (const line of curlLines(data)) terminal.out(line);
    });
