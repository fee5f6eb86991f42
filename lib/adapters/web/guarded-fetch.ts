import { type LookupAddress, lookup } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { limits } from '../../contract/limits.ts';
import { isPublicAddress } from './public-address.ts';

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
 * The guard of addresses that somebody else chose: https and the public internet only.
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

const most = limits.foreignKeys;

/**
 * The addresses to connect to, every one of them checked. They are resolved once and the connection is made to one of them:
 * a name that resolves differently the next time changes nothing.
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
    refuseUnless(bytes <= most.bytes, `it is larger than ${most.bytes / 1024} KiB`);
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
 * Fetches a small document as far as the guard allows: no redirect, and no more time and bytes than `limits.foreignKeys` allows.
 *
 * @throws Error with the reason when it is not fetched
 */
export const guardedFetch = async (address: string, guard: FetchGuard): Promise<Buffer> => {
  const url = new URL(address);
  const secure = url.protocol === 'https:';
  refuseUnless(secure || (guard.allowHttp && url.protocol === 'http:'), 'its address is not https');
  const signal = AbortSignal.timeout(most.fetchMilliseconds);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(
        new Error(
          `The key set was not fetched: it took longer than ${most.fetchMilliseconds / 1000} seconds.`,
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
