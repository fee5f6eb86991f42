import { type LookupAddress, lookup } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { limits } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import { parseJson } from '../json/parse.ts';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import { isPublicAddress } from '../registry/public-addresses.ts';
import type { IdentityProvider } from '../registry/registry.ts';
import type { KeySets } from './foreign-token.ts';

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export interface FetchGuard {
  readonly allowHttp: boolean;
  allows(address: string): boolean;
  readonly resolve: Resolve;
}

const systemResolve: Resolve = host =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
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
  refuseUnless(response.statusCode === 200, `the response was ${response.statusCode}, and only 200 is taken`);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    refuseUnless(bytes <= max.bytes, `it is larger than ${max.bytes / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** The response, once the address of the other end was looked at again. */
const responseOf = (request: ClientRequest, guard: FetchGuard): Promise<IncomingMessage> =>
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
      return await bodyOf(await responseOf(request, guard));
    } finally {
      request.destroy();
    }
  };
  return Promise.race([fetched(), late]);
};

/** Fetches one document, guarded; `insecureLocal` is what the provider's registration asks for. */
export type FetchDocument = (address: string, insecureLocal: boolean) => Promise<Uint8Array>;

interface Entry {
  /** Of the last fetch, which may have failed or be under way. */
  latest: { readonly keys: Promise<readonly JsonObject[]>; readonly at: number };
  /** Of the last fetch that succeeded; epoch milliseconds. */
  good?: { readonly keys: readonly JsonObject[]; readonly at: number };
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

/** Whether a set responses for a `kid`; a token without one takes any. */
const has = (keys: readonly JsonObject[], kid: string | undefined): boolean =>
  keys.some(key => kid === undefined || key['kid'] === kid);

/**
 * Key sets, remembered for five minutes, whatever later fetches come to. After an unknown `kid` or a failed fetch the set is fetched again,
 * at most every 30 seconds for all tokens together.
 */
export const webKeySets = (fetchDocument: FetchDocument, clock: Clock): KeySets => {
  const known = new Map<string, Entry>();

  const fetched = (id: string, { jwksUri, insecureLocal }: IdentityProvider): Entry['latest']['keys'] => {
    const at = clock.now();
    const keys = fetchDocument(jwksUri, insecureLocal).then(keysIn);
    const entry: Entry = known.get(id) ?? { latest: { keys, at } };
    entry.latest = { keys, at };
    keys.then(
      good => {
        entry.good = { keys: good, at };
      },
      () => undefined,
    );
    if (known.size >= remembered) known.clear();
    known.set(id, entry);
    return keys;
  };

  return {
    async keysOf(provider, kid) {
      const id = `${provider.insecureLocal} ${provider.jwksUri}`;
      const { latest, good } = known.get(id) ?? {};
      const isWithin = (seconds: number, from?: { readonly at: number }): boolean =>
        from !== undefined && clock.now() - from.at < seconds * 1000;
      if (good && isWithin(cacheSeconds, good) && has(good.keys, kid)) return good.keys;
      return latest && isWithin(retrySeconds, latest) ? latest.keys : fetched(id, provider);
    },
  };
};
