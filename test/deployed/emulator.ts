import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { account, here, region, type Tools, withPath, workFolder } from './tools.ts';

export interface Emulator {
  readonly port: number;
  /** What programs need to reach it at AWS's host names, with no endpoint configured. */
  readonly env: Readonly<Record<string, string>>;
  readonly decisions: string;
  readonly log: string;
  /** The file that names the tables whose calls are refused as too many. */
  readonly throttled: string;
  /** Resolves when somebody has ended it. */
  ended(): Promise<void>;
  stop(): Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/**
 * A `node` that functions are run with: Node 24, which finds AWS's host names at the emulator. The
 * emulator gives functions an endpoint, which AWS does not.
 */
const writeNode = (folder: string, node24: string): void => {
  mkdirSync(folder, { recursive: true });
  const hosts = join(here, 'aws-hosts.cjs');
  const program = join(folder, 'node');
  writeFileSync(
    program,
    `#!/bin/sh\nunset AWS_ENDPOINT_URL\nexec "${node24}" --require "${hosts}" "$@"\n`,
  );
  chmodSync(program, 0o755);
};

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode === null && child.signalCode === null
    ? new Promise(resolve => child.once('exit', () => resolve()))
    : Promise.resolve();

/** Copies what a program prints to a file, until it prints these words. */
const untilSaid = (child: ChildProcess, words: string, log: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const file = createWriteStream(log);
    let printed = '';
    const note = (text: string) => {
      file.write(text);
      if (printed.includes(words)) return;
      printed += text;
      if (printed.includes(words)) resolve();
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', note);
    child.once('exit', () => reject(new Error(`The emulator ended:\n${printed.slice(-2_000)}`)));
  });

/** Starts MiniStack with IAM enforced, on a port of its own of this machine. */
export const startEmulator = async ({ python, node24, certificate }: Tools): Promise<Emulator> => {
  const port = await freePort();
  const folder = join(workFolder, 'emulator');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'tmp'), { recursive: true });
  writeNode(join(folder, 'bin'), node24);
  const [log, decisions] = [join(folder, 'log.txt'), join(folder, 'decisions.jsonl')];
  const throttled = join(folder, 'throttled.txt');
  const reached = {
    EMULATOR_PORT: String(port),
    EMULATOR_CERTIFICATE: certificate.certFile,
  };
  const root = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
  const child = spawn(join(python, 'python'), [join(here, 'emulator/launch.py')], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: withPath(join(folder, 'bin')),
      HOME: folder,
      TMPDIR: join(folder, 'tmp'),
      ...reached,
      ...root,
      DECISIONS: decisions,
      THROTTLED: throttled,
      AUTH: 'true',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      MINISTACK_REGION: region,
      MINISTACK_ACCOUNT_ID: account,
      USE_SSL: '1',
      MINISTACK_SSL_CERT: certificate.certFile,
      MINISTACK_SSL_KEY: certificate.keyFile,
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      LOG_LEVEL: 'INFO',
      S3_DATA_DIR: join(folder, 's3'),
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
  });
  await untilSaid(child, 'Running on https', log);
  return {
    port,
    decisions,
    log,
    throttled,
    env: {
      ...reached,
      ...root,
      AWS_REGION: region,
      AWS_DEFAULT_REGION: region,
      AWS_CA_BUNDLE: certificate.certFile,
      NODE_OPTIONS: `--require ${join(here, 'aws-hosts.cjs')}`,
      PYTHONPATH: join(here, 'python'),
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    ended: () => ended(child),
    async stop() {
      if (child.pid === undefined) return;
      const gone = ended(child);
      // With the functions that it started. It keeps nothing.
      process.kill(-child.pid, 'SIGKILL');
      await gone;
    },
  };
};
