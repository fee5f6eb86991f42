import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { gatewayEndpoint, loopback } from '../local/gateway-endpoint.ts';
import { type LocalService, type Ready, startLocalService } from '../local/start.ts';
import type { CommandContext } from './command.ts';
import { dataOption, defaultData, hostName, hostOf, port } from './options.ts';
import { shellWord } from './shell.ts';

const exampleFile = 'examples/message.json';

/** One command to copy. Whoever has the package without a clone has no example file. */
const publishCommand = (inFolder: string): string =>
  existsSync(exampleFile)
    ? `npx --no -- sombus publish ${exampleFile}${inFolder}`
    : `npx --no -- sombus example | npx --no -- sombus publish -${inFolder}`;

/** What a person sees when the service is up: where things are, and one command to copy. */
const startScreen = (
  { base_url, workspace, producer, consumer }: Ready,
  { data, signInLink }: Pick<LocalService, 'data' | 'signInLink'>,
  tlsCert: string | undefined,
): string => {
  const inFolder = data === resolve(defaultData) ? '' : ` --data ${shellWord(data)}`;
  const trust =
    tlsCert === undefined
      ? ''
      : `\nIf you made the certificate yourself, programs need it first:\n\n  export NODE_EXTRA_CA_CERTS=${shellWord(resolve(tlsCert))}\n`;
  return `
som-bus is running. Press Ctrl-C to stop it.

  bus        ${base_url}/
  portal     ${signInLink}
  workspace  ${workspace}
  producer   ${producer.client_id}  sends as ${producer.system_id}
  consumer   ${consumer.client_id}
  data       ${data}
${trust}
Publish a message from another terminal:

  ${publishCommand(inFolder)}

More commands, each after "npx --no --":

  sombus tail --ack   receive it
  sombus env          ids and secrets as shell variables
  sombus curl         the same steps with curl
  sombus help         everything else
`;
};

interface DevOptions {
  readonly port: number;
  readonly portalPort: number;
  readonly host: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly data: string;
  readonly fresh: boolean;
  readonly limits: boolean;
  readonly openEngines: boolean;
  readonly allowHost: readonly string[];
  readonly json: boolean;
}

/** The start says so: nobody should find out later. */
const openEnginesLine =
  'The DynamoDB, SQS and KMS ports answer every program on this machine, with any signature (--open-engines).';

/** Resolves at the first SIGINT or SIGTERM. */
const stopSignal = (): Promise<void> =>
  new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });

const readyText = (service: LocalService, { json, tlsCert }: DevOptions): string =>
  json ? JSON.stringify(service.ready) : startScreen(service.ready, service, tlsCert);

const devOptions = (command: Command): Command =>
  command
    .option('--port <port>', 'port of the bus (0: any free port)', port, 8787)
    .option('--portal-port <port>', 'port of the portal (0: any free port)', port, 8788)
    .option(
      '--host <name>',
      'name or URL at which other machines reach the bus and the portal',
      hostOf,
      loopback,
    )
    .option('--tls-cert <file>', 'certificate for --host (PEM)')
    .option('--tls-key <file>', 'its key (PEM)')
    .option('--fresh', 'empty the data folder first', false)
    .option('--no-limits', 'disable rate limits and quotas, for load tests')
    .option(
      '--open-engines',
      'check no signatures at the DynamoDB, SQS and KMS ports, for experiments',
      false,
    )
    .option(
      '--allow-host <name>',
      'also answer requests to this host name, such as host.docker.internal (repeatable)',
      hostName,
      [],
    )
    .option('--json', 'print one JSON line when the service is ready, and nothing else', false);

/** Runs the service until it is stopped or fails. */
const runUntilStopped = async (options: DevOptions, { terminal }: CommandContext): Promise<void> => {
  const stopped = stopSignal();
  const service = await startLocalService({
    ...options,
    endpoint: gatewayEndpoint(options),
    hosts: options.allowHost,
    print: options.json ? () => undefined : line => terminal.out(line),
    warn: line => terminal.error(line),
  });
  for (const line of readyText(service, options).split('\n')) terminal.out(line);
  if (options.openEngines) terminal.error(openEnginesLine);
  const failure = await Promise.race([stopped, service.failed]);
  const closing = service.close();
  // What stopped the service is what to say, whatever closing adds.
  if (failure) {
    await closing.catch(() => undefined);
    throw failure;
  }
  await closing;
};

/** `sombus dev`: the whole service on this machine until it is stopped. */
export const devCommand = (context: CommandContext): Command =>
  devOptions(
    dataOption(new Command('dev'), 'folder for all data').description(
      'run the whole service on this machine',
    ),
  ).action((options: DevOptions) => runUntilStopped(options, context));
