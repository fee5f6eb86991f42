import { limits } from '../../contract/limits.ts';
import { isJsonObject, type JsonObject } from '../../domain/message/json-object.ts';
import { parseJson } from '../../domain/message/parse-json.ts';
import type { IdentityProvider } from '../../domain/registry/identity-provider.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeySets } from '../../ports/key-sets.ts';

/** Fetches one document, guarded; `insecureLocal` is the provider's wish. */
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
 * Key sets, remembered for five minutes. An unknown `kid`, or a fetch that failed, leads to a new fetch at most every 30
 * seconds, however many tokens ask for it.
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
