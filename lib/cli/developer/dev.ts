import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { shellWord } from '../../contract/environments.ts';
import { loopback } from '../../local/engines/machine.ts';
import { gatewayEndpoint } from '../../local/gateway-endpoint.ts';
import { operatorKeyIn } from '../../local/roles.ts';
import { runningService } from '../../local/service-note.ts';
import { browserHost, localOwner, signInLink } from '../../local/sign-in.ts';
import { type LocalService, type Ready, startLocalService } from '../../local/start.ts';
import { type CommandRun, command } from '../frame/command.ts';
import { ChildFailed } from '../frame/failures.ts';
import {
  dataOptionOf,
  defaultData,
  flag,
  matching,
  type OptionsOf,
  option,
  repeatable,
  wholeNumber,
  withDefault,
} from '../frame/options.ts';
import { demoVariables } from '../frame/shell.ts';

const exampleFile = 'examples/message.json';

/** One command to copy. Whoever has the package without a clone has no example file. */
const publishCommand = (inFolder: string): string => {
  if (existsSync(exampleFile)) return `npx --no sombus publish ${exampleFile}${inFolder}`;
  return `npx --no sombus example | npx --no sombus publish -${inFolder}`;
};

const trustWords = (tlsCert: string): string =>
  '\nIf you made the certificate yourself, programs need it first:\n\n  export ' +
  `NODE_EXTRA_CA_CERTS=${shellWord(resolve(tlsCert))}\n`;

const startScreen = (
  { base_url, workspace, producer, consumer }: Ready,
  { data, signInLink }: Pick<LocalService, 'data' | 'signInLink'>,
  tlsCert: string | undefined,
): string => {
  const inFolder = data === resolve(defaultData) ? '' : ` --data ${shellWord(data)}`;
  const trust = tlsCert === undefined ? '' : trustWords(tlsCert);
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

More commands, each after "npx --no":

  sombus tail --ack   receive it
  sombus env          ids and secrets as shell variables
  sombus curl         the same steps with curl
  sombus help         everything else
`;
};

const openEnginesLine =
  'The DynamoDB, SQS and KMS ports answer every program on this machine, with any signature ' +
  '(--open-engines).';

const stopSignal = (): Promise<void> =>
  new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });

const port = wholeNumber(0, 65_535);

const hostForm = /^(?:[a-z\d_](?:[a-z\d_.-]*[a-z\d_])?|\[[\da-f:]+\])$/i;
const isHost = matching(hostForm, 'A host is a name without a port, such as host.docker.internal.');
const hostOf = (text: string): string => isHost(text).toLowerCase();

const devOptions = {
  data: dataOptionOf('folder for all data'),
  port: withDefault(option('--port <port>', 'port of the bus (0: any free port)', port), 8787),
  portalPort: withDefault(
    option('--portal-port <port>', 'port of the portal (0: any free port)', port),
    8788,
  ),
  host: withDefault(
    option(
      '--host <name>',
      'name or URL at which other machines reach the bus and the portal',
      hostOf,
    ),
    loopback,
  ),
  tlsCert: option('--tls-cert <file>', 'certificate for --host (PEM)'),
  tlsKey: option('--tls-key <file>', 'its key (PEM)'),
  fresh: flag('--fresh', 'empty the data folder first'),
  limits: flag('--no-limits', 'disable rate limits and quotas, for load tests'),
  openEngines: flag(
    '--open-engines',
    'check no signatures at the DynamoDB, SQS and KMS ports, for experiments',
  ),
  allowHost: repeatable(
    '--allow-host <name>',
    'also answer requests to this host name, such as host.docker.internal (repeatable)',
    hostOf,
  ),
  json: flag('--json', 'print one JSON line when the service is ready, and nothing else'),
};

type DevOptions = OptionsOf<typeof devOptions>;

const readyText = (service: LocalService, { json, tlsCert }: DevOptions): string =>
  json ? JSON.stringify(service.ready) : startScreen(service.ready, service, tlsCert);

const runUntilStopped = async (call: CommandRun<DevOptions>): Promise<void> => {
  const { options, terminal } = call;
  if (options.port !== 0 && options.port === options.portalPort)
    call.misused(`--port and --portal-port are both ${options.port}: give the portal another one`);
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

export const devCommand = command({
  usage: 'dev',
  description: 'run the whole service on this machine',
  target: 'none',
  options: devOptions,
  run: runUntilStopped,
});

const personName = matching(
  /^[a-z0-9][a-z0-9._-]{0,62}$/,
  'A person has a name of at most 63 small letters, digits, dots or hyphens.',
);

export const portalCommand = command({
  usage: 'portal',
  description:
    'print a link that opens the portal of the local service; it works once, for ten minutes',
  target: 'folder',
  options: {
    as: withDefault(option('--as <name>', 'sign in as this local person', personName), localOwner),
  },
  help: `
The owner of the data folder is called ${localOwner}. Any other name is another
person, who belongs to no organisation until somebody invites her: use a second
browser profile to try that.`,
  run({ terminal, options: { data, as: name } }) {
    const { portal } = runningService(data);
    const operator = operatorKeyIn(data);
    terminal.out(signInLink(portal, operator, { name, now: Date.now() }));
    terminal.error(
      'If your browser does not find that host, add this line to the hosts file of its ' +
        `machine: 127.0.0.1 ${browserHost(operator)}`,
    );
  },
});

/** As shells count it: 128 and the signal's number. */
const signalCode = (signal: NodeJS.Signals | null): number =>
  128 + (signal ? constants.signals[signal] : 0);

const run = ([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  new Promise((resolve, reject) => {
    // Windows starts npm and npx, which are scripts there, only through its shell.
    const child = spawn(program, args, {
      env,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    const pass = (signal: NodeJS.Signals) => void child.kill(signal);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, pass);
    child.once('error', error =>
      reject(new Error(`${program} cannot be started: ${error.message}.`)),
    );
    child.once('exit', (code, signal) => resolve(code ?? signalCode(signal)));
  });

/** Does something with a fresh service on free ports, of which nothing is left afterwards. */
export const withFreshService = async <Result>(
  settings: { limits: boolean; warn(line: string): void },
  use: (service: LocalService, data: string) => Promise<Result>,
): Promise<Result> => {
  const data = mkdtempSync(join(tmpdir(), 'sombus-fresh-'));
  const options = { port: 0, portalPort: 0, data, fresh: false, openEngines: false, hosts: [] };
  try {
    const service = await startLocalService({ ...options, ...settings, print: () => undefined });
    return await use(service, data).finally(() => service.close());
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
};

export const execCommand = command({
  usage: 'exec <command...>',
  arguments: { command: 'what to run; after --, its own options are left alone' },
  description:
    'run a command with a fresh bus beside it, and SOMBUS_* variables that say where it is',
  target: 'none',
  options: { limits: flag('--no-limits', 'disable rate limits and quotas') },
  help: "\nIts exit code is the command's. Example: npx --no sombus exec -- npm test",
  async run(
    { terminal, options: { limits } }: CommandRun<{ limits: boolean }>,
    command: string | readonly string[],
  ) {
    const code = await withFreshService({ limits, warn: terminal.error }, (_, data) => {
      // These would belong to another bus.
      const { SOMBUS_CLIENT_ID: _id, SOMBUS_CLIENT_SECRET: _secret, ...inherited } = process.env;
      return run([command].flat(), { ...inherited, ...demoVariables(data), SOMBUS_DATA: data });
    });
    if (code !== 0) throw new ChildFailed(code);
  },
});
