import { type LookupAddress, lookup } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from 'node:net';
import { limits } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import { parseJson } from '../json/parse.ts';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import type { IdentityProvider } from '../registry/identity-providers.ts';
import type { KeySets } from './foreign-token.ts';

/** Special-purpose ranges (IANA IPv4 Special-Purpose Address Registry), multicast and reserved ones included. */
const specialIpv4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** The special ranges inside 2000::/3: protocol assignments with Teredo, documentation, 6to4. */
const specialIpv6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const special = new BlockList();
for (const [net, bits] of specialIpv4) special.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of specialIpv6) special.addSubnet(net, bits, 'ipv6');

/** The unicast addresses that IANA hands out; mapped, translated, local and link-local ones are outside. */
const globalIpv6 = new BlockList();
globalIpv6.addSubnet('2000::', 3, 'ipv6');

/** Whether an address, in numbers, belongs to a host of the public internet. */
export const isPublicAddress = (address: string): boolean => {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  return isIPv6(address) && globalIpv6.check(address, 'ipv6') && !special.check(address, 'ipv6');
};

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** What a fetch is allowed. */
export interface FetchGuard {
  readonly allowHttp: boolean;
  /** Whether an address, in numbers, may be connected to. */
  allows(address: string): boolean;
  readonly resolve: Resolve;
}

/** The machine's own way to resolve names. */
const systemResolve: Resolve = host =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (fault, addresses) => (fault ? reject(fault) : resolve(addresses)));
  });

/**
 * The guard for addresses chosen by others: only https and the public internet.
 *
 * @param insecureLocal allows http and this machine as well, which the local service may
 */
export const fetchGuard = (insecureLocal: boolean): FetchGuard => ({
  allowHttp: insecureLocal,
  allows: insecureLocal ? () => true : isPublicAddress,
  resolve: systemResolve,
});

const refuseUnless = (allowed: boolean, why: string): void => {
  if (!allowed) throw new Error(`The key set was not fetched: ${why}.`);
};

const max = limits.foreignKeys;

/**
 * The checked addresses to connect to. The name is resolved once, and the connection goes to one of these addresses: a name that
 * resolves differently the next time changes nothing.
 */
const checkedAddresses = async (url: URL, guard: FetchGuard): Promise<readonly LookupAddress[]> => {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const addresses = family ? [{ address: host, family }] : await guard.resolve(host);
  refuseUnless(addresses.length > 0, `${host} has no address`);
  refuseUnless(
    addresses.every(({ address }) => guard.allows(address)),
    `${host} is at an address that is not public`,
  );
  return addresses;
};

/** Hands out the checked addresses whatever name is asked for. */
const only =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, options, done) => {
    const [{ address = '', family = 0 } = {}] = addresses;
    if (options.all) done(null, [...addresses]);
    else done(null, address, family);
  };

const bodyOf = async (response: IncomingMessage): Promise<Buffer> => {
  refuseUnless(response.statusCode === 200, `the answer was ${response.statusCode}, and only 200 is taken`);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    refuseUnless(bytes <= max.bytes, `it is larger than ${max.bytes / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** The answer, once the address of the other end was looked at again. */
const answerOf = (request: ClientRequest, guard: FetchGuard): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('error', reject);
    request.once('socket', socket =>
      socket.once('connect', () => {
        if (!guard.allows(socket.remoteAddress ?? ''))
          request.destroy(new Error('The key set was not fetched: the connection led to a private address.'));
      }),
    );
    request.once('response', resolve);
    request.end();
  });

/**
 * Fetches a small document within the guard: it follows no redirect, and keeps to the time and size of `limits.foreignKeys`.
 *
 * @throws Error with the reason when it is not fetched
 */
export const guardedFetch = async (address: string, guard: FetchGuard): Promise<Buffer> => {
  const url = new URL(address);
  const secure = url.protocol === 'https:';
  refuseUnless(secure || (guard.allowHttp && url.protocol === 'http:'), 'its address is not https');
  const signal = AbortSignal.timeout(max.fetchMilliseconds);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(
        new Error(
          `The key set was not fetched: it took longer than ${max.fetchMilliseconds / 1000} seconds.`,
        ),
      ),
    );
  });
  late.catch(() => undefined);
  const fetched = async (): Promise<Buffer> => {
    const lookup = only(await checkedAddresses(url, guard));
    const options = { lookup, signal, agent: false, headers: { accept: 'application/json' } };
    const request = (secure ? httpsRequest : httpRequest)(url, options);
    try {
      return await bodyOf(await answerOf(request, guard));
    } finally {
      request.destroy();
    }
  };
  return Promise.race([fetched(), late]);
};

/** Fetches one document, guarded; `insecureLocal` is what the provider's registration asks for. */
export type FetchDocument = (address: string, insecureLocal: boolean) => Promise<Uint8Array>;

interface Entry {
  readonly keys: Promise<readonly JsonObject[]>;
  /** Epoch milliseconds. */
  readonly fetchedAt: number;
}

/** The keys of a JWK Set (RFC 7517 section 5). */
const keysIn = (document: Uint8Array): readonly JsonObject[] => {
  const parsed = parseJson(document);
  const keys = parsed.ok ? parsed.value['keys'] : undefined;
  if (!Array.isArray(keys)) throw new Error('The key set is no JSON object with a list of keys.');
  return keys.filter(isJsonObject);
};

const remembered = 1_000;
const { cacheSeconds, retrySeconds } = limits.foreignKeys;

/**
 * Key sets, remembered for five minutes. After an unknown `kid` or a failed fetch the set is fetched again, at most every 30
 * seconds for all tokens together.
 */
export const webKeySets = (fetchDocument: FetchDocument, clock: Clock): KeySets => {
  const known = new Map<string, Entry>();

  const fetched = (id: string, { jwksUri, insecureLocal }: IdentityProvider): Entry => {
    const entry = { keys: fetchDocument(jwksUri, insecureLocal).then(keysIn), fetchedAt: clock.now() };
    entry.keys.catch(() => undefined);
    if (known.size >= remembered) known.clear();
    known.set(id, entry);
    return entry;
  };

  /** Whether an entry answers for a `kid`; one that failed does not. */
  const answers = async ({ keys }: Entry, kid: string | undefined): Promise<boolean> => {
    const found = await keys.catch(() => undefined);
    return found?.some(key => kid === undefined || key['kid'] === kid) ?? false;
  };

  return {
    async keysOf(provider, kid) {
      const id = `${provider.insecureLocal} ${provider.jwksUri}`;
      const entry = known.get(id);
      const age = entry ? clock.now() - entry.fetchedAt : Number.POSITIVE_INFINITY;
      if (!entry || age >= cacheSeconds * 1000) return fetched(id, provider).keys;
      if (age < retrySeconds * 1000 || (await answers(entry, kid))) return entry.keys;
      const latest = known.get(id);
      return latest && latest !== entry ? latest.keys : fetched(id, provider).keys;
    },
  };
};
