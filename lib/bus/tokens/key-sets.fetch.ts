import type { IncomingMessage } from 'node:http';
import type { IdentityProvider } from '../../access/registry/registry.ts';
import {
  type FetchGuard,
  FetchRefused,
  guardedRequest,
  refuseUnless,
} from '../../access/trust/guarded.fetch.ts';
import { limits } from '../../contract/limits.ts';
import type { Clock } from '../../contract/outside.ts';
import { parseJson } from '../../platform/json/parse.ts';
import { isJsonObject, type JsonObject } from '../../platform/json/value.ts';
import type { KeySets } from './foreign-token.ts';

const { cacheSeconds, retrySeconds, fetchMilliseconds, bytes: maxBytes } = limits.foreignKeys;

const bodyOf = async (response: IncomingMessage): Promise<Buffer> => {
  refuseUnless(
    response.statusCode === 200,
    `the response was ${response.statusCode}, and only 200 is taken`,
  );
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    refuseUnless(bytes <= maxBytes, `it is larger than ${maxBytes / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** @throws Error with the reason when it is not fetched within the guard and the limits */
export const guardedFetch = async (address: string, guard: FetchGuard): Promise<Buffer> => {
  const request = {
    guard,
    milliseconds: fetchMilliseconds,
    headers: { accept: 'application/json' },
  };
  try {
    return await guardedRequest(address, request, bodyOf);
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    throw new Error(`The key set was not fetched: ${error.message}.`, { cause: error });
  }
};

type FetchDocument = (address: string, insecureLocal: boolean) => Promise<Uint8Array>;

/** What is known of one key set; times are epoch milliseconds. */
interface KnownSet {
  /** Of the last fetch, which may have failed or be under way. */
  latest: { readonly keys: Promise<readonly JsonObject[]>; readonly at: number };
  /** Of the last fetch that succeeded. */
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

const has = (keys: readonly JsonObject[], kid: string | undefined): boolean =>
  keys.some(key => kid === undefined || key['kid'] === kid);

/**
 * Kept for five minutes, whatever later fetches come to; after an unknown `kid` or a failure,
 * fetched again at most every 30 seconds.
 */
export const webKeySets = (fetchDocument: FetchDocument, clock: Clock): KeySets => {
  const known = new Map<string, KnownSet>();

  const fetchAgain = (
    id: string,
    { jwksUri, insecureLocal }: IdentityProvider,
  ): KnownSet['latest']['keys'] => {
    const at = clock.now();
    const keys = fetchDocument(jwksUri, insecureLocal).then(keysIn);
    const set: KnownSet = known.get(id) ?? { latest: { keys, at } };
    set.latest = { keys, at };
    keys.then(
      good => {
        set.good = { keys: good, at };
      },
      () => undefined,
    );

    if (known.size >= remembered) known.clear();
    known.set(id, set);
    return keys;
  };

  return {
    async keysOf(provider, kid) {
      const id = `${provider.insecureLocal} ${provider.jwksUri}`;
      const { latest, good } = known.get(id) ?? {};
      const isWithin = (seconds: number, from?: { at: number }): boolean =>
        from !== undefined && clock.now() - from.at < seconds * 1000;

      if (good && isWithin(cacheSeconds, good) && has(good.keys, kid)) return good.keys;
      // Too early for another fetch: what the last one comes to, be it an error.
      if (latest && isWithin(retrySeconds, latest)) return latest.keys;
      return fetchAgain(id, provider);
    },
  };
};
