import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-addresses.ts';

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

/** Together less than the time of a request. */
const patience = { timeout: 500, tries: 2 };

const noRecords: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND']);

const addressesIn = (
  result: PromiseSettledResult<readonly string[]>,
  family: 4 | 6,
): readonly LookupAddress[] => {
  if (result.status === 'rejected') return [];
  return result.value.map(address => ({ address, family }));
};

/**
 * `lookup` would block one of four threads that the process shares: the slow names of one tenant
 * would hold up everybody.
 */
export const resolveOutside =
  (newResolver = () => new Resolver(patience)): Resolve =>
  async host => {
    const resolver = newResolver();
    const [four, six] = await Promise.allSettled([
      resolver.resolve4(host),
      resolver.resolve6(host),
    ]);
    const found = [...addressesIn(four, 4), ...addressesIn(six, 6)];
    if (found.length > 0) return found;

    for (const result of [four, six])
      if (result.status === 'rejected' && !noRecords.has(result.reason.code)) throw result.reason;
    return [];
  };

/** @param insecureLocal allows http and this machine as well, which the local service may */
export const fetchGuard = (insecureLocal: boolean): FetchGuard => ({
  allowHttp: insecureLocal,
  allows: insecureLocal ? () => true : isPublicAddress,
  resolve: insecureLocal ? systemResolve : resolveOutside(),
});

/**
 * A request that was not made, or had no usable response; its message is a clause for the person
 * who chose the URL.
 */
export class FetchRefused extends Error {
  override readonly name = 'FetchRefused';
}

export const refuseUnless = (allowed: boolean, why: string): void => {
  if (!allowed) throw new FetchRefused(why);
};

/** Resolved once: a name that resolves differently the next time changes nothing. */
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

const only =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, options, done) => {
    const [{ address = '', family = 0 } = {}] = addresses;
    if (options.all) done(null, [...addresses]);
    else done(null, address, family);
  };

/** The response, once the address of the other end was looked at again. */
const responseOf = (
  request: ClientRequest,
  guard: FetchGuard,
  body: string | undefined,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('error', reject);
    request.once('socket', socket =>
      socket.once('connect', () => {
        if (!guard.allows(socket.remoteAddress ?? ''))
          request.destroy(new FetchRefused('the connection led to a private address'));
      }),
    );
    request.once('response', resolve);
    request.end(body);
  });

interface GuardedRequest {
  readonly guard: FetchGuard;
  /** For all of it, the body of the response included. */
  readonly milliseconds: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Follows no redirect.
 *
 * @throws FetchRefused if it was not made or took too long; what the network throws otherwise
 */
export const guardedRequest = async <T>(
  address: string,
  { guard, milliseconds, headers, body }: GuardedRequest,
  read: (response: IncomingMessage) => Promise<T>,
): Promise<T> => {
  const url = new URL(address);
  const secure = url.protocol === 'https:';
  refuseUnless(secure || (guard.allowHttp && url.protocol === 'http:'), 'its address is not https');
  const signal = AbortSignal.timeout(milliseconds);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(new FetchRefused(`it took longer than ${milliseconds / 1000} seconds`)),
    );
  });
  late.catch(() => undefined);
  const made = async (): Promise<T> => {
    const lookup = only(await checkedAddresses(url, guard));
    const options = { lookup, signal, agent: false, headers };
    const request = (secure ? httpsRequest : httpRequest)(url, {
      ...options,
      ...(body !== undefined && { method: 'POST' }),
    });
    try {
      return await read(await responseOf(request, guard, body));
    } finally {
      request.destroy();
    }
  };
  return Promise.race([made(), late]);
};
