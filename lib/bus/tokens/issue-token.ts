import {
  type Connection,
  type Credential,
  type Credentials,
  isRegistered,
  matchingSecret,
  type SecretSlot,
  useToNote,
} from '../../access/registry/connection.ts';
import type { TestRuns } from '../../access/registry/test-runs.ts';
import { isConnectionId } from '../../contract/identifiers.ts';
import { limits } from '../../contract/limits.ts';
import type { Clock, Ids } from '../../contract/outside.ts';
import type { TokenRefusal } from '../../contract/refusals.ts';
import type { Recorder } from '../activity/records.ts';
import { accessTokenClaims, accessTokenHeader } from './access-token.ts';
import { signingInput } from './jws.ts';
import type { Signer } from './key-ring.ts';

export interface Window {
  readonly requests: number;
  readonly seconds: number;
}

interface Counted {
  readonly allowed: boolean;
  /** Arrival times of the counted requests, epoch milliseconds, oldest first. */
  readonly times: readonly number[];
  readonly waitMilliseconds: number;
}

/** @param times arrival times of the key's earlier requests */
export const countRequest = (window: Window, times: readonly number[], now: number): Counted => {
  const begins = now - window.seconds * 1000;
  const recent = times.filter(time => time > begins);
  const [oldest] = recent;
  if (recent.length < window.requests || oldest === undefined)
    return { allowed: true, times: [...recent, now], waitMilliseconds: 0 };
  return { allowed: false, times: recent, waitMilliseconds: oldest - begins };
};

export interface CountedClient {
  readonly clientId: string;
  readonly known: boolean;
}

export interface TokenRequests {
  /** @returns if the client has none left, the milliseconds until it has one again */
  count(client: CountedClient): Promise<number | undefined>;
}

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Sent by HTTP Basic: the client's requests are counted. */
  readonly counted: boolean;
}

/** `invalid_client` does not reveal the cause. */
type TokenResult =
  | {
      readonly kind: 'issued';
      readonly accessToken: string;
      readonly expiresInSeconds: number;
      readonly client: string;
    }
  | { readonly kind: 'invalid_client' }
  | { readonly kind: 'limited'; readonly waitMilliseconds: number };

export interface TokenPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly credentials: Credentials;
  readonly tokenRequests: TokenRequests;
  readonly signer: Signer;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly testRuns: Pick<TestRuns, 'note'>;
}

const jtiBytes = 16;
/** Looked up instead of a malformed client id, so that it costs as much as an unknown client. */
const nobody = 'c000000000000';
/**
 * Where the requests of unknown clients are recorded, for nobody to see: they must not be faster
 * than those of known ones.
 */
const nowhere = 'w000000000000';

interface Grant {
  readonly connection: Connection;
  readonly credential: Credential;
  readonly slot: SecretSlot;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** A client; undefined if its id is unknown. */
type Found = Pick<Grant, 'connection' | 'credential'> | undefined;

const granted = (found: Found, client: ClientCredentials, now: number): Grant | undefined => {
  const slot = matchingSecret(found?.credential, client.clientSecret, now);
  if (slot && found && isRegistered(found.connection)) return { ...found, slot, now };
  return undefined;
};

const recordRefusal = (
  ports: Pick<TokenPorts, 'recorder' | 'clock'>,
  found: Found,
  reason: TokenRefusal,
): Promise<void> =>
  ports.recorder.record({
    kind: 'token_refused',
    connection: found?.connection.id ?? nobody,
    workspace: found?.connection.workspace ?? nowhere,
    at: ports.clock.now(),
    reason,
  });

const signed = async (ports: TokenPorts, origin: string, grant: Grant): Promise<string> => {
  const { connection, credential, now } = grant;
  const [key] = await ports.signer.keys();
  const jti = Buffer.from(ports.ids.random(jtiBytes)).toString('base64url');
  const facts = { origin, now, jti, credentialVersion: credential.version };
  const claims = accessTokenClaims(connection, facts);
  const input = signingInput(accessTokenHeader(key.kid), claims);
  const signature = await ports.signer.sign(key.kid, Buffer.from(input, 'latin1'));
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
};

/** Owners see when a secret was last used. A token is issued even when this cannot be written. */
const noteUse = async (
  ports: TokenPorts,
  { connection, credential, slot, now }: Grant,
): Promise<void> => {
  const use = useToNote(credential, slot, now);
  if (use) await ports.credentials.noteUse(connection.id, use).catch(() => undefined);
};

const noteRequest = async (
  { testRuns, clock }: TokenPorts,
  found: Found,
  refused: boolean,
): Promise<void> => {
  const run = found?.connection.underTest;
  if (run !== undefined) await testRuns.note(run, { kind: 'token', at: clock.now(), refused });
};

export const countTokenRequest = async (
  ports: Pick<TokenPorts, 'credentials' | 'tokenRequests' | 'recorder' | 'clock'>,
  { clientId, counted }: ClientCredentials,
): Promise<{ found: Found; waitMilliseconds?: number | undefined }> => {
  const found = await ports.credentials.find(isConnectionId(clientId) ? clientId : nobody);
  if (!counted) return { found };

  const known = found !== undefined;
  const waitMilliseconds = await ports.tokenRequests.count({ clientId, known });
  if (waitMilliseconds !== undefined) await recordRefusal(ports, found, 'too_many');
  return { found, waitMilliseconds };
};

/**
 * RFC 6749 section 4.4. The credential is never cached, and requests are counted before the secret
 * is looked at: wrong ones count too.
 */
export const issueToken = (ports: TokenPorts, origin: string) =>
  async function issueToken(client: ClientCredentials): Promise<TokenResult> {
    const { found, waitMilliseconds } = await countTokenRequest(ports, client);
    if (waitMilliseconds !== undefined) return { kind: 'limited', waitMilliseconds };

    const grant = granted(found, client, ports.clock.now());
    await noteRequest(ports, found, grant === undefined);
    if (!grant) {
      const reason = isRegistered(found?.connection) ? 'wrong_secret' : 'not_registered';
      await recordRefusal(ports, found, reason);
      return { kind: 'invalid_client' };
    }

    const [accessToken] = await Promise.all([signed(ports, origin, grant), noteUse(ports, grant)]);
    return {
      kind: 'issued',
      accessToken,
      expiresInSeconds: limits.accessTokenSeconds,
      client: client.clientId,
    };
  };
