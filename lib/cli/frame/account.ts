import { problemWithUrl, versioned } from '../../kit/client/bus-url.ts';
import { keptSecret, readSeed } from '../../local/seed.ts';
import { notedBaseUrl, notedPortalUrl } from '../../local/service-note.ts';
import type { Env } from '../../wiring/env.ts';
import { dataOption, option } from './options.ts';

export interface BusAccount {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly client: { readonly id: string; readonly secret: string };
  readonly portalUrl?: string;
  readonly systemId?: string;
  readonly isDemo?: true;
}

export interface AccountOptions {
  readonly data: string;
  readonly baseUrl?: string;
  readonly connection?: string;
}

type Kind = 'producer' | 'consumer';

const localAccount = (data: string, kind: Kind): BusAccount => {
  const baseUrl = notedBaseUrl(data);
  const seed = readSeed(data);
  if (baseUrl === undefined || seed === undefined)
    throw new Error(
      `There is no local service in ${data}: start one with npm start or "sombus dev". For ` +
        'another bus, set SOMBUS_BASE_URL, SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET.',
    );
  const { client_id: id, client_secret: secret } = seed[kind];
  return { baseUrl, client: { id, secret }, systemId: seed.producer.system_id, isDemo: true };
};

/** What cannot be a URL stays as it was typed: the error is about that. */
const busUrlIn = (given: string): string =>
  problemWithUrl(given) === undefined ? versioned(given) : given;

/** A connection that an option names, with the secret of the shell or of the data folder. */
const namedClient = (id: string, data: string, { SOMBUS_CLIENT_SECRET }: Env) => {
  const secret = keptSecret(readSeed(data), id) ?? SOMBUS_CLIENT_SECRET;
  if (secret) return { id, secret };
  throw new Error(
    `This machine does not have the secret of ${id}; it was shown when it was issued. Set ` +
      'SOMBUS_CLIENT_SECRET to it.',
  );
};

const clientIn = ({ SOMBUS_CLIENT_ID: id, SOMBUS_CLIENT_SECRET: secret }: Env) => {
  if (id === undefined && secret === undefined) return undefined;
  if (id && secret) return { id, secret };
  throw new Error(
    'Set both SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET: one of them is missing or empty.',
  );
};

const accountWithoutPortal = (
  { data, baseUrl, connection }: AccountOptions,
  kind: Kind,
  env: Env,
): BusAccount => {
  const given = baseUrl ?? env['SOMBUS_BASE_URL'];
  if (given === '' && baseUrl === undefined)
    throw new Error(
      'SOMBUS_BASE_URL is empty: set it to the URL of a bus, or unset it to use the local service.',
    );
  const named = given === undefined ? undefined : busUrlIn(given);
  const noted = notedBaseUrl(data);
  const url = named ?? noted;
  const client = connection === undefined ? clientIn(env) : namedClient(connection, data, env);
  if (client !== undefined && url !== undefined) return { baseUrl: url, client };
  if (named !== undefined && named !== noted)
    throw new Error('Set SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET for the bus at that URL.');
  return localAccount(data, kind);
};

/**
 * The URL of the bus that an option, the environment or the local service names.
 *
 * @throws Error when there is none
 */
export const busUrl = ({ data, baseUrl }: AccountOptions, env: Env): string => {
  const given = baseUrl ?? env['SOMBUS_BASE_URL'];
  if (given) return busUrlIn(given);
  return localAccount(data, 'producer').baseUrl;
};

/**
 * The account of the environment (anyone on the machine can read a command line), or else a demo
 * connection of the local service.
 *
 * @throws Error when there is neither
 */
export const uncheckedAccount = (options: AccountOptions, kind: Kind, env: Env): BusAccount => {
  const account = accountWithoutPortal(options, kind, env);
  const portalUrl = notedPortalUrl(options.data, account.baseUrl);
  if (portalUrl === undefined) return account;
  return { ...account, portalUrl };
};

/** @throws Error when there is no account, or no secret may be sent to the URL */
export const busAccount = (
  options: AccountOptions,
  kind: Kind,
  env: Env = process.env,
): BusAccount => {
  const account = uncheckedAccount(options, kind, env);
  const error = problemWithUrl(account.baseUrl);
  if (error !== undefined) throw new Error(error);
  return account;
};

export const accountHelp = `
The credentials come from SOMBUS_CLIENT_ID (or --connection) and
SOMBUS_CLIENT_SECRET, and must be for the bus at --base-url or SOMBUS_BASE_URL.
If none of these is set, the command uses a demo connection of the local service.`;

export const accountOptions = {
  baseUrl: option(
    '--base-url <url>',
    'URL of the bus, with or without /v1 (default: SOMBUS_BASE_URL, or the local service)',
  ),
  connection: option(
    '--connection <id>',
    'the connection to use (default: SOMBUS_CLIENT_ID, or that of the demo)',
  ),
  data: dataOption,
};
