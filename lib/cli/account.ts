import type { Command } from 'commander';
import { dataOption } from './options.ts';
import { demoSeed, notedBaseUrl } from './target.ts';

/** Whether a host of an address is this machine. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

/** Why an address is none of a bus, or no secret may be sent there; undefined where one may. */
export const addressFault = (baseUrl: string): string | undefined => {
  // `localhost:8787/v1` parses too, with `localhost:` as its scheme: only its host is missing.
  if (!URL.canParse(baseUrl) || new URL(baseUrl).host === '')
    return `${baseUrl || 'An empty text'} is no address: it begins with https:// (or http:// for this machine).`;
  const { protocol, hostname, pathname } = new URL(baseUrl);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    return `${baseUrl} is not https: a secret would travel in the clear.`;
  return pathname.endsWith('/v1')
    ? undefined
    : `${baseUrl} does not end in /v1, as the address of a bus does.`;
};

/** Where a bus is, and as whom to speak to it. */
export interface BusAccount {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** The system a producer sends as, where it is known. */
  readonly systemId?: string;
  /** Whether it is a demo connection of the local service. */
  readonly isDemo?: true;
}

export interface AccountOptions {
  readonly data: string;
  readonly baseUrl?: string;
}

/** Environment variables with the credentials: a secret on a command line would be seen by everybody on the machine. */
export type Environment = Readonly<Record<string, string | undefined>>;

const localAccount = (data: string, kind: 'producer' | 'consumer'): BusAccount => {
  const baseUrl = notedBaseUrl(data);
  const seed = demoSeed(data);
  if (baseUrl === undefined || seed === undefined)
    throw new Error(
      `There is no local service in ${data}. For another bus set SOMBUS_BASE_URL, SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET.`,
    );
  const { client_id: id, client_secret: secret } = seed[kind];
  return { baseUrl, client: { id, secret }, systemId: seed.producer.system_id, isDemo: true };
};

/** The client that the environment names, if it names one. */
const clientIn = ({ SOMBUS_CLIENT_ID: id, SOMBUS_CLIENT_SECRET: secret }: Environment) => {
  if (id === undefined && secret === undefined) return undefined;
  if (id && secret) return { id, secret };
  throw new Error(
    'SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET belong together: one of them is missing or empty.',
  );
};

/**
 * The account of the environment variables SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET, or else the demo connection of the
 * local service, at an address that nobody has looked at yet.
 *
 * @throws Error when neither is there
 */
export const uncheckedAccount = (
  { data, baseUrl }: AccountOptions,
  kind: 'producer' | 'consumer',
  env: Environment,
): BusAccount => {
  const named = baseUrl ?? env['SOMBUS_BASE_URL'];
  const url = named ?? notedBaseUrl(data);
  const client = clientIn(env);
  if (client !== undefined && url !== undefined) return { baseUrl: url.replace(/\/+$/, ''), client };
  if (named !== undefined)
    throw new Error('Set SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET for the bus at that address.');
  return localAccount(data, kind);
};

/**
 * The account of the environment or of the local service, as `uncheckedAccount` finds it.
 *
 * @throws Error when neither is there, or its secret may not be sent to the address
 */
export const busAccount = (
  options: AccountOptions,
  kind: 'producer' | 'consumer',
  env: Environment,
): BusAccount => {
  const account = uncheckedAccount(options, kind, env);
  const fault = addressFault(account.baseUrl);
  if (fault !== undefined) throw new Error(fault);
  return account;
};

const whoseConnection = `
The connection is the one of SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET, which go
with SOMBUS_BASE_URL or --base-url; where none of them is set, a demo connection
of the local service.`;

/** The options of every command that speaks to a bus as a client. */
export const accountOptions = (command: Command): Command =>
  dataOption(
    command.option(
      '--base-url <url>',
      'the bus, ending in /v1 (default: SOMBUS_BASE_URL, or the local service)',
    ),
  ).addHelpText('after', whoseConnection);
