/** The hosts that no other machine listens at. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

/** The URL of a bus as its calls have it, with `/v1` at its end, whether or not that was given. */
export const versioned = (baseUrl: string): string => {
  const url = baseUrl.replace(/\/+$/, '');
  return url.endsWith('/v1') ? url : `${url}/v1`;
};

/** Why no secret may be sent to a URL; undefined if it may. */
export const problemWithUrl = (url: string): string | undefined => {
  // `localhost:8787/v1` parses too, with `localhost:` as its scheme: only its host is missing.
  if (!URL.canParse(url) || new URL(url).host === '')
    return `"${url}" is not a URL: it must begin with https:// (or http:// on this machine).`;
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return undefined;
  return `${url} does not use https: the secret would travel in the clear.`;
};

type Variables = Readonly<Record<string, string | undefined>>;

/** The proxy of a URL, as environment variables name it. */
export interface ProxyChoice {
  /** The variable, as it is written. */
  readonly variable: string;
  readonly proxy: URL;
  /** Why it is not used for this URL; undefined if it is used. */
  readonly unused?: string;
}

/** The small letters come first, as in curl. */
const variableOf = (name: string, env: Variables): string | undefined =>
  [name.toLowerCase(), name].find(variable => env[variable]);

/** @throws TypeError when it is no proxy that can be used here */
const proxyIn = (variable: string, value: string): URL => {
  const text = value.includes('://') ? value : `http://${value}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  if (proxy?.protocol === 'http:' || proxy?.protocol === 'https:') return proxy;
  // The value may hold a password.
  throw new TypeError(
    `${variable} does not begin with http:// or https://: it names no HTTP proxy.`,
  );
};

/** One entry of NO_PROXY: a host and the hosts below it, perhaps a port, or `*` for all. */
const isNamedBy = (entry: string, { hostname, port }: URL): boolean => {
  if (entry === '*') return true;
  const [, host = '', onlyPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? ['', entry];
  if (onlyPort !== undefined && onlyPort !== (port || '443')) return false;

  const name = host.replace(/^\*?\./, '').toLowerCase();
  if (name === '') return false;
  const bare = hostname.replace(/^\[|\]$/g, '');
  return name === bare || name === hostname || hostname.endsWith(`.${name}`);
};

/**
 * The proxy that HTTPS_PROXY names for a URL, and whether NO_PROXY excepts its host. A URL of this
 * machine has none, and a bus elsewhere is never called by plain HTTP, so HTTP_PROXY is for others.
 *
 * @throws TypeError when the variable names no HTTP proxy
 */
export const proxyFor = (url: URL, env: Variables): ProxyChoice | undefined => {
  const variable = variableOf('HTTPS_PROXY', env);
  const isElsewhere = url.protocol === 'https:' && !isLoopback(url.hostname);
  if (variable === undefined || !isElsewhere) return undefined;

  const choice = { variable, proxy: proxyIn(variable, env[variable] ?? '') };
  const exceptions = variableOf('NO_PROXY', env);
  if (exceptions === undefined) return choice;

  const entries = (env[exceptions] ?? '').split(/[\s,]+/).filter(entry => entry !== '');
  if (!entries.some(entry => isNamedBy(entry, url))) return choice;
  return { ...choice, unused: `${exceptions} names ${url.hostname}` };
};
