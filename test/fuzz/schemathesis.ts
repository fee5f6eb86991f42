import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { basic, bearer } from '../support/http-client.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { outputOf } from '../support/service-process.ts';
import { signingProxy } from './signing-proxy.ts';

/** The version whose words are read here. */
const version = '4.32.5';

export const howToInstall = `Install schemathesis: python3 -m venv .fuzz && .fuzz/bin/pip install schemathesis==${version}`;

/** Where schemathesis may be: named, in a venv of this folder, or installed. */
const candidates = [
  process.env['SOMBUS_SCHEMATHESIS'],
  resolve('.fuzz/bin/schemathesis'),
  'schemathesis',
];

/** The program, where it is installed. */
export const schemathesis = (): string | undefined =>
  candidates.find(
    path =>
      path !== undefined &&
      (existsSync(path) || !path.includes('/')) &&
      spawnSync(path, ['--version']).status === 0,
  );

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

const header = (authorization: string): string =>
  `headers = { Authorization = ${JSON.stringify(authorization)} }`;

/** Real identifiers and tokens, so that requests get past the first checks. */
const settings = async ({ ready }: ServiceProcess): Promise<string> => {
  const { base_url, workspace, producer, consumer } = ready;
  return [
    header(await bearer(base_url, producer)),
    '[parameters]',
    `t = ${JSON.stringify(workspace)}`,
    `c = ${JSON.stringify(consumer.client_id)}`,
    '[[operations]]',
    'include-path-regex = "/consumers/"',
    header(await bearer(base_url, consumer)),
    'parameters = { wait = 0 }', // what waits for a message would wait for most of the run
    '[[operations]]',
    'include-path-regex = "/oauth/token"',
    header(basic(producer)),
  ].join('\n');
};

export interface Round {
  readonly api: 'bus' | 'portal';
  readonly seed: number;
  /** Generated examples per operation, at most. */
  readonly examples: number;
  readonly phases: string;
}

export interface Outcome {
  readonly requests: number;
  readonly failures: number;
  /** Requests to signed routes that were signed. */
  readonly signatures: number;
  readonly code: number;
  readonly output: string;
}

const counted = (output: string, pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? 0);

/** One bounded run against a service of this machine. */
export const fuzz = async (
  program: string,
  service: ServiceProcess,
  { api, seed, examples, phases }: Round,
  folder: string,
): Promise<Outcome> => {
  const { base_url, portal_url } = service.ready;
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'schemathesis.toml');
  writeFileSync(config, await settings(service));
  const proxy = await signingProxy(new URL(base_url).origin, service.ready.role);
  const url = api === 'bus' ? proxy.origin : portal_url;
  const limits = [
    '--max-examples',
    String(examples),
    '--seed',
    String(seed),
    '--request-timeout',
    '30',
  ];
  const quietly = ['--workers', '1', '--generation-database', 'none', '--no-color'];
  const { code, output } = await outputOf(
    program,
    [
      ...['--config-file', config, 'run', resolve(`docs/openapi/${api}.yaml`), '--url', url],
      ...['--phases', phases, '--checks', checks.join(','), ...limits, ...quietly],
    ],
    // It writes its caches where it runs.
    { cwd: folder, timeout: 15 * 60_000 },
  );
  await proxy.close();
  return {
    requests: counted(output, /(\d+) generated/),
    failures: counted(output, /found (\d+) unique failures/),
    code: code ?? -1,
    signatures: proxy.signatures(),
    output,
  };
};
