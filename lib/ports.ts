import type { Quota, Tier } from './contract/limits.ts';
import type { DeliveryFault } from './domain/delivery/delivery-fault.ts';
import type { AcceptedId, Entry, Head, Lease, PendingLog } from './domain/delivery/log.ts';
import type { ReceiptGroup } from './domain/delivery/receipt.ts';
import type { Replay } from './domain/delivery/replay.ts';
import type { JsonObject } from './domain/message/parse-json.ts';
import type { Connection } from './domain/registry/connection.ts';
import type { Credential, SecretUse } from './domain/registry/credential.ts';
import type { ClientBinding, IdentityProvider } from './domain/registry/identity-provider.ts';
import type { Party, PartyKind } from './domain/registry/organisation.ts';
import type { Principal, Scope } from './domain/registry/principal.ts';
import type { Role } from './domain/registry/role.ts';
import type { SkillRegistration } from './domain/skills/registration.ts';
import type { StoryState } from './domain/story/story-state.ts';
import type { KeyRing, RingKey } from './domain/token/key-ring.ts';

/** Time. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** Randomness. */
export interface Ids {
  /** `bytes` random bytes from a cryptographic source. */
  random(bytes: number): Uint8Array;
}

/** Who exists and what they may do; answers may be up to `limits.registryCacheSeconds` old. */
export interface Registry {
  connection(id: string): Promise<Connection | undefined>;
  /** The registrations of a cloud role, whatever their status. Fresh. */
  principalsOf(scope: Scope, role: Role): Promise<readonly Principal[]>;
  /** The identity provider of an issuer. Fresh. */
  provider(scope: Scope, issuer: string): Promise<IdentityProvider | undefined>;
  /** The connection that a provider's client is bound to. Fresh. */
  boundConnection(provider: IdentityProvider, client: string): Promise<string | undefined>;
  /** The consumers of a workspace that are not revoked: active or paused. */
  consumersOf(workspace: string): Promise<readonly Connection[]>;
  /** The skill instances registered for a consumer, the oldest first; never cached. */
  registrationsOf(connection: string): Promise<readonly SkillRegistration[]>;
}

/** Cloud roles registered on connections, as they are registered and verified. Reads are fresh. */
export interface Principals {
  list(scope: Scope): Promise<readonly Principal[]>;
  /** Adds a registration, or replaces the one of the same role and connection. */
  put(principal: Principal): Promise<void>;
  /** Marks it verified and uses up its challenge; false when that was used or replaced meanwhile. */
  verify(principal: Principal, verifiedAt: string): Promise<boolean>;
  /** Marks it verified while its challenge still counts, for `verify` to follow; false as there. */
  admit(principal: Principal, verifiedAt: string): Promise<boolean>;
  /** Makes one that was admitted pending again; nothing happens when its challenge was used or replaced meanwhile. */
  withdraw(principal: Principal): Promise<void>;
}

/** Identity providers and the clients bound to connections, as owners and the operator keep them. Reads are fresh. */
export interface IdentityProviders {
  list(scope: Scope): Promise<readonly IdentityProvider[]>;
  /** False when the issuer is registered already. */
  add(provider: IdentityProvider): Promise<boolean>;
  /** Removes its bindings with it; false when there is no such issuer. */
  remove(scope: Scope, issuer: string): Promise<boolean>;
  /** Replaces the binding of the same client. */
  bind(binding: ClientBinding): Promise<void>;
  bindings(scope: Scope): Promise<readonly ClientBinding[]>;
}

/** The published keys of identity providers, a few minutes old at most. */
export interface KeySets {
  /** The keys of a provider; fetched again, now and then, when none has the `kid`. */
  keysOf(provider: IdentityProvider, kid: string | undefined): Promise<readonly JsonObject[]>;
}

/** Credentials as the token route reads them: never cached. */
export interface Credentials {
  find(connection: string): Promise<{ connection: Connection; credential: Credential } | undefined>;
  /** Notes when a secret was last used; does nothing when it is gone or a later use is known. */
  noteUse(connection: string, use: SecretUse): Promise<void>;
}

/** A public key whose tokens verify. */
export type SigningKey = Pick<RingKey, 'kid' | 'jwk'>;

/** The token service's keys; the set may be up to `limits.registryCacheSeconds` old. */
export interface Signer {
  /** The keys whose tokens verify, the signing one first. The same array as long as they are the same. */
  keys(): Promise<readonly [SigningKey, ...SigningKey[]]>;
  /** ES256 over `input` with one of the keys: r ‖ s, 64 bytes (RFC 7518 section 3.4). */
  sign(kid: string, input: Uint8Array): Promise<Uint8Array>;
}

/** The ring of the token service's keys, as the operator changes it. Reads are fresh. */
export interface KeyRings {
  find(): Promise<KeyRing>;
  /** False when somebody else changed the ring since version `ring.version - 1`. */
  replace(ring: KeyRing): Promise<boolean>;
  /** Makes a key that nobody knows yet. */
  create(): Promise<Pick<RingKey, 'kid' | 'keyId' | 'jwk'>>;
  /** Ends a key for good. */
  disable(keyId: string): Promise<void>;
}

export interface LedgerKey {
  readonly workspace: string;
  readonly messageId: string;
  readonly correlationId: string;
  readonly storyId?: string;
}

export interface LedgerState {
  readonly accepted?: AcceptedId;
  readonly head: Head;
  readonly story?: { readonly state: StoryState; readonly version: number };
}

export interface Commit {
  readonly entry: Entry;
  readonly contentHash: string;
  /** The owner that commits, to be found again in the ledger. */
  readonly attempt: string;
  /** The head that was read: the write holds only if it is unchanged. */
  readonly head: Head;
  /** Taken in the same write; absent when another sender holds it. */
  readonly lease?: Lease;
  /** The story's new state, and the version that was read (0: none). */
  readonly story?: { readonly state: StoryState; readonly version: number };
}

/** What stopped a commit: nothing of it was written. */
export interface CommitConflict {
  readonly id: boolean;
  readonly head: boolean;
  readonly story: boolean;
}

/** Which messages were accepted, in which order. */
export interface Ledger {
  /** Each part is strongly consistent; together they are no single moment. */
  read(key: LedgerKey): Promise<LedgerState>;
  /** All or nothing; undefined when it was written. A fault leaves open whether it was, or yet will be. */
  commit(commit: Commit): Promise<CommitConflict | undefined>;
}

/** Names one log. */
export interface Correlation {
  readonly workspace: string;
  readonly correlationId: string;
}

/** The part of the ledger that delivery works on. */
export interface Log {
  head(log: Correlation): Promise<Head>;
  /** The entries `from`..`to` in order, both included: the first `limits.entriesPerPage` of them at most. */
  entries(log: Correlation, from: number, to: number): Promise<readonly Entry[]>;
  /**
   * Takes a lease that is free, over (see `takeoverTime`) or the owner's own earlier one, and gives the head as it is then; undefined
   * when somebody else holds it or nothing is left to send.
   */
  acquire(log: Correlation, lease: Lease, now: number): Promise<Head | undefined>;
  /** Moves `published` and gives the lease back; false when the lease was lost. `now` begins the wait of what is left. */
  release(log: Correlation, lease: Lease, facts: { published: number; now: number }): Promise<boolean>;
  /** Records that a target's queue was gone. Repeating it changes nothing. */
  skip(entry: Entry, connections: readonly string[]): Promise<void>;
}

/** The logs with something left to send, as the relay sees them: a moment late. */
export interface Backlog {
  /** Those that are pending since `until` or longer, the longest first; `most` of them. */
  oldest(until: number, most: number): Promise<readonly PendingLog[]>;
  count(): Promise<number>;
}

/** What the relay found; one report per run. */
export interface BacklogReport {
  readonly pendingHeads: number;
  /** 0 when nothing is pending. */
  readonly oldestPendingSeconds: number;
  readonly finished: number;
  /** The last of what kept logs from being finished. */
  readonly lastFault?: DeliveryFault;
}

/** The relay's metrics. */
export interface RelayMetrics {
  report(report: BacklogReport): void;
}

/** Where an entry is in a workspace's archive. */
export interface ArchivePlace {
  readonly correlationId: string;
  readonly number: number;
  readonly acceptedAt: number;
  /** Opaque; later places have greater texts. */
  readonly position: string;
}

export interface ArchivePage {
  readonly places: readonly ArchivePlace[];
}

/** What was accepted, workspace by workspace in the order of time, and per correlation in the log's order. */
export interface Archive {
  /** The first `most` places from `from` on and before `to`, after a position; a moment behind the ledger. */
  page(
    range: { workspace: string; from: number; to: number; after?: string },
    most: number,
  ): Promise<ArchivePage>;
  /** The entries at some places of a page, in the order given; those that expired are left out. */
  entries(
    workspace: string,
    places: readonly ArchivePlace[],
  ): Promise<readonly { readonly place: ArchivePlace; readonly entry: Entry }[]>;
}

/** Replay jobs. Reads are consistent, but for `running`, which may be a moment late. */
export interface Replays {
  add(replay: Replay): Promise<void>;
  find(id: string): Promise<Replay | undefined>;
  /** Newest last. */
  running(): Promise<readonly string[]>;
  /** Takes a free or expired lease of a running replay; undefined when there is none to take. */
  acquire(id: string, lease: Lease, now: number): Promise<Replay | undefined>;
  /** Notes progress and prolongs the lease; false when it was lost or the replay does not run any more. */
  progress(
    id: string,
    lease: Lease,
    done: { readonly sent: number; readonly position?: string; readonly reached?: number },
  ): Promise<boolean>;
  release(id: string, owner: string): Promise<void>;
  /** False when it was not running. */
  end(
    id: string,
    outcome: { readonly status: Exclude<Replay['status'], 'running'>; readonly reason?: string },
  ): Promise<boolean>;
}

/** A message as a consumer's queue hands it out. */
export interface Received {
  readonly receiptHandle: string;
  readonly messageId: string;
  readonly messageType: string;
  readonly correlationId: string;
  readonly producer: string;
  readonly systemId: string;
  /** Epoch milliseconds. */
  readonly enqueuedAt: number;
  readonly receiveCount: number;
  readonly body: string;
}

export interface ReceiveOptions {
  readonly max: number;
  readonly waitSeconds: number;
  readonly visibilitySeconds: number;
}

/** Consumers' queues. `delete` and `release` answer with the receipt handles that failed. */
export interface Queues {
  /** Puts an entry into one queue, as part of a replay where that is given; `gone` when there is no such queue. */
  send(queue: string, entry: Entry, replay?: string): Promise<'sent' | 'gone'>;
  receive(queue: string, options: ReceiveOptions): Promise<readonly Received[]>;
  delete(queue: string, receiptHandles: readonly string[]): Promise<readonly string[]>;
  release(queue: string, receiptHandles: readonly string[], delaySeconds: number): Promise<readonly string[]>;
}

/** Receipts of calls that handed out several messages of one correlation_id, for as long as they can be used. */
export interface Receipts {
  save(connection: string, groups: readonly ReceiptGroup[]): Promise<void>;
  /** Those that are known, in any order. */
  find(connection: string, groups: readonly string[]): Promise<readonly ReceiptGroup[]>;
  /** Blocks a group from a position on; one that is blocked from an earlier position, or not known, stays as it is. */
  block(connection: string, group: string, from: number): Promise<void>;
}

/** Organisations, workspaces and apps, as the operator keeps them. */
export interface Directory {
  add(party: Party): Promise<void>;
  find(kind: PartyKind, id: string): Promise<Party | undefined>;
  /** Newest last; `parent` is the organisation of workspaces and apps. */
  list(kind: PartyKind, parent?: string): Promise<readonly Party[]>;
  /** What an organisation's connections start with; false when there is no such organisation. */
  setQuota(organisation: string, allotment: Allotment): Promise<boolean>;
  /** False when there is no such party. */
  revoke(kind: PartyKind, id: string): Promise<boolean>;
}

/** A tier, or numbers of its own instead of the tier's. */
export interface Allotment {
  readonly tier: Tier;
  readonly quota?: Quota;
}

/** Connections with their credentials, as the operator keeps them. Reads are fresh. */
export interface Connections extends Credentials {
  /** Answers with the system_id that another app of the workspace owns, when there is one: nothing is added then. */
  add(connection: Connection, credential: Credential): Promise<{ readonly owned: string } | undefined>;
  /** The connections of a workspace or of an app, whatever their status. */
  of(parent: string): Promise<readonly Connection[]>;
  revoke(id: string): Promise<boolean>;
  /** Pauses or resumes; false when there is no such connection, or it is revoked. */
  setPaused(id: string, paused: boolean): Promise<boolean>;
  /** False when the credential has another version than the one before `credential`'s. */
  replaceCredential(id: string, credential: Credential): Promise<boolean>;
  /** False when there is no such connection. */
  setQuota(id: string, allotment: Allotment): Promise<boolean>;
}

/** Skill instances registered for consumers, as the operator keeps them. Reads are fresh. */
export interface SkillRegistrations {
  /** The oldest first. */
  of(connection: string): Promise<readonly SkillRegistration[]>;
  /** Adds all or none; answers with a label that the connection has already, when there is one. */
  add(registrations: readonly SkillRegistration[]): Promise<{ readonly taken: string } | undefined>;
  /** False when there is no such registration any more. */
  remove(registration: SkillRegistration): Promise<boolean>;
  /** False when there is no such registration any more. */
  setPaused(registration: SkillRegistration, paused: boolean): Promise<boolean>;
}

/** How setting the readers of a queue ended; `refused`: AWS does not know one of the roles, and nothing was changed. */
export type ReadersSet = 'set' | 'refused' | 'gone';

/** Who may read a consumer's queue with an SQS client of their own. */
export interface QueueReaders {
  /** Lets these roles read, by their ARNs, and nobody else but the bus; in force within a minute. */
  letRead(queue: string, roleArns: readonly string[]): Promise<ReadersSet>;
}

/** Makes and removes the queues of consumers. */
export interface QueueAdmin extends QueueReaders {
  /** Nobody but the bus sends to it or reads it. */
  create(queue: string): Promise<void>;
  remove(queue: string): Promise<void>;
  /** What an SQS client calls the queue. */
  url(queue: string): string;
}

/** The gateway's plans: which quota each connection's key is held to. Only on AWS; the local gateway reads the registry. */
export interface UsagePlans {
  /** Puts a connection on a tier, or on a plan of its own numbers; makes its key, and that plan, where they are missing. */
  assign(connection: string, quota: Tier | Quota): Promise<void>;
  /** Ends a connection's key; nothing happens where it has none. */
  remove(connection: string): Promise<void>;
}

/** A request that a rule of the firewall matched: who sent what, and never its headers or body. */
export interface FirewallHit {
  readonly at: Date;
  readonly rule: string;
  readonly action: string;
  readonly address: string;
  readonly method: string;
  readonly path: string;
}

/** What the firewall of an environment does now. Only on AWS. */
export interface Firewall {
  /** The addresses that a rate rule refuses at this moment. */
  blocked(): Promise<readonly { readonly rule: string; readonly address: string }[]>;
  /** A sample of what rules matched between two times, newest first; the firewall remembers three hours. */
  sampled(from: Date, to: Date): Promise<readonly FirewallHit[]>;
}
