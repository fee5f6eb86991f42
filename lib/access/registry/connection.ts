import { createHash, timingSafeEqual } from 'node:crypto';
import { limits, type Quota, type Tier, tiers } from '../../contract/limits.ts';
import type { Declined } from './declined.ts';

interface StoredSecret {
  readonly hash: string;
  /** RFC 3339, accurate to about a minute; absent until it is used. */
  readonly lastUsedAt?: string;
}

export interface Credential {
  readonly version: number;
  /** Absent if it was revoked and no new one was issued. */
  readonly current?: StoredSecret & { readonly issuedAt: string };
  /** The secret before the last rotation, while its overlap lasts. */
  readonly previous?: StoredSecret & { /** Epoch milliseconds. */ readonly until: number };
}

export type SecretSlot = 'current' | 'previous';

export interface SecretUse {
  readonly slot: SecretSlot;
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export const secretBytes = 32;

/** A client secret: `sbs_` and 256 random bits in base64url. */
export const clientSecret = (random: Uint8Array): string =>
  `sbs_${Buffer.from(random).toString('base64url')}`;

export const isClientSecret = (text: string): boolean => /^sbs_[\w-]{43}$/.test(text);

/** SHA-256, base64url. The secret has 256 random bits: a slow hash would only add cost. */
export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret, 'utf8').digest('base64url');

const equal = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/**
 * Compared when there is no secret, so that an unknown client takes the same work as a wrong
 * secret.
 */
const nobody = hashSecret('');

/** Both are always compared, in constant time. @param now epoch milliseconds */
export const matchingSecret = (
  credential: Credential | undefined,
  secret: string,
  now: number,
): SecretSlot | undefined => {
  const { current, previous } = credential ?? {};
  const hash = hashSecret(secret);
  const isCurrent = equal(hash, current?.hash ?? nobody) && current !== undefined;
  const isPrevious =
    equal(hash, previous?.hash ?? nobody) && previous !== undefined && now < previous.until;
  if (isCurrent) return 'current';
  if (isPrevious) return 'previous';
  return undefined;
};

/** Undefined if a use within the last minute is recorded already. @param at epoch milliseconds */
export const useToNote = (
  credential: Credential,
  slot: SecretSlot,
  at: number,
): SecretUse | undefined => {
  const secret = credential[slot];
  const known = secret?.lastUsedAt === undefined ? 0 : Date.parse(secret.lastUsedAt);
  if (secret && at - known >= limits.secretUseSeconds * 1000)
    return { slot, hash: secret.hash, at };
  return undefined;
};

/** Credentials as the token route reads them: never cached. */
export interface Credentials {
  find(connection: string): Promise<{ connection: Connection; credential: Credential } | undefined>;
  /** Does nothing if the secret is gone or a later use is recorded. */
  noteUse(connection: string, use: SecretUse): Promise<void>;
}

export type ConnectionKind = 'producer' | 'consumer';

export type Status = 'active' | 'revoked';

/**
 * `paused`: a producer may not publish, and a consumer gets no new messages, until it is resumed.
 */
type ConnectionStatus = Status | 'paused';

/**
 * Who paused a connection. Whoever comes later in this list may resume what the ones before it
 * paused.
 */
export const pausers = ['guest', 'host', 'operator'] as const;

export type Pauser = (typeof pausers)[number];

/** One copy of a message in a consumer's queue. */
export interface SkippedCopy {
  readonly messageId: string;
  /** The replay that sent it; absent: the publish did. */
  readonly replay?: string | undefined;
}

export interface Skip extends SkippedCopy {
  /** RFC 3339: when the operator asked for it. */
  readonly at: string;
}

export const isSameCopy = (a: SkippedCopy, b: SkippedCopy): boolean =>
  a.messageId === b.messageId && a.replay === b.replay;

export interface Connection {
  readonly id: string;
  readonly kind: ConnectionKind;
  readonly status: ConnectionStatus;
  readonly organisation: string;
  readonly workspace: string;
  /**
   * Of an invited vendor: since when it is a guest of the workspace, RFC 3339. It reads nothing
   * that was accepted before.
   */
  readonly guestSince?: string;
  /**
   * Of an invited vendor: the message types that its invitation was for when the connection was
   * made.
   */
  readonly guestTypes?: readonly string[];
  readonly app: string;
  /** 1 when issued, plus one with each rotation of the secret. */
  readonly credentialVersion: number;
  readonly tier: Tier;
  readonly quota?: Quota;
  /** Producer: the `originating_system.system_id` values it may send as. */
  readonly systemIds: readonly string[];
  readonly grants: readonly string[];
  readonly receives: readonly string[];
  /** Consumer: the system_ids it gets messages from; empty means all. */
  readonly sources: readonly string[];
  readonly queue?: string;
  readonly skips?: readonly Skip[];
  readonly pausedBy?: Pauser;
  /**
   * Its organisation, or that of its workspace, is suspended: it counts as revoked while that
   * lasts, but keeps its queue.
   */
  readonly isSuspended?: true;
  readonly underTest?: string;
  /**
   * The run that it was in, whose instances it may still know until a time in epoch milliseconds.
   */
  readonly testedIn?: { readonly run: string; readonly until: number };
  readonly createdAt: string;
}

/**
 * Whether a connection exists and is active or paused. A revoked one stays revoked; a suspended one
 * counts as revoked.
 */
export const isRegistered = (connection: Connection | undefined): connection is Connection =>
  isKept(connection) && connection.isSuspended !== true;

/** Active, paused or suspended: it still has its queue and its places in the counts. */
export const isKept = (connection: Connection | undefined): connection is Connection =>
  connection !== undefined && connection.status !== 'revoked';

export const quotaOf = ({ quota, tier }: Pick<Connection, 'quota' | 'tier'>): Quota =>
  quota ?? tiers[tier];

/** What people are told: a connection of a suspended organisation keeps its own status. */
export const shownStatus = ({
  isSuspended,
  status,
}: Connection): Connection['status'] | 'suspended' => (isSuspended ? 'suspended' : status);

/** A connection as people see it, in the portal and on the command line. */
export const connectionRecord = (connection: Connection) => {
  const { perSecond, burst, perDay } = quotaOf(connection);
  return {
    connection_id: connection.id,
    kind: connection.kind,
    status: shownStatus(connection),
    organisation_id: connection.organisation,
    app_id: connection.app,
    system_ids: connection.systemIds,
    grants: connection.grants,
    receives: connection.receives,
    sources: connection.sources,
    tier: connection.quota ? ('custom' as const) : connection.tier,
    quota: { per_second: perSecond, burst, per_day: perDay },
    created_at: connection.createdAt,
  };
};

export interface Allotment {
  readonly tier: Tier;
  readonly quota?: Quota;
}

export type PermissionLists = Pick<Connection, 'systemIds' | 'grants' | 'receives' | 'sources'>;

export const noPermissions: PermissionLists = {
  systemIds: [],
  grants: [],
  receives: [],
  sources: [],
};

export type PermissionChange = Partial<PermissionLists>;

/**
 * Connections with their credentials, as the operator manages them. Reads are fresh, except the
 * list of a workspace.
 */
export interface Connections extends Credentials {
  /**
   * Adds nothing if another app of the workspace owns one of the system_ids, which is returned, or
   * if there are too many connections.
   */
  add(
    connection: Connection,
    credential: Credential,
  ): Promise<{ readonly owned: string } | Declined | undefined>;
  /**
   * Of the revoked ones, as many as a page may show. From an index: one created a moment ago may be
   * missing.
   */
  ofWorkspace(id: string): Promise<readonly Connection[]>;
  credentialsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Credential>>;
  ofApp(id: string): Promise<readonly Connection[]>;
  /**
   * Claims the system_ids in `change`; `owned`: that one belongs to another app, and nothing is
   * changed. `gone`: it is revoked, or its lists are not those of `seen` any more.
   */
  setPermissions(
    connection: Connection,
    change: PermissionChange,
    seen?: PermissionLists,
  ): Promise<'set' | 'gone' | { readonly owned: string } | Declined>;
  ownerOf(workspace: string, systemId: string): Promise<string | undefined>;
  release(workspace: string, systemId: string, app: string): Promise<void>;
  revoke(id: string): Promise<boolean>;
  /** `gone`: it is revoked; otherwise who paused it and is not overruled by `by`. */
  setPaused(id: string, paused: boolean, by: Pauser): Promise<'set' | 'gone' | Pauser>;
  /** Notes that its organisation, or that of its workspace, is suspended, or no longer. */
  setSuspended(id: string, organisation: string, isSuspended: boolean): Promise<void>;
  /** False if the stored version is not the one before `credential`'s. */
  replaceCredential(id: string, credential: Credential): Promise<boolean>;
  /** False if they are not `before`, or the connection is revoked. */
  setSkips(
    id: string,
    change: { skips: readonly Skip[]; before: readonly Skip[] },
  ): Promise<boolean>;
  setQuota(id: string, allotment: Allotment): Promise<boolean>;
}
