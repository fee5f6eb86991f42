import type { AcceptedId, Entry, Head, Lease } from './domain/delivery/log.ts';
import type { Connection } from './domain/registry/connection.ts';
import type { Credential } from './domain/registry/credential.ts';
import type { StoryState } from './domain/story/story-state.ts';

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
  /** The active consumers of a workspace. */
  consumersOf(workspace: string): Promise<readonly Connection[]>;
}

/** Credentials as the token route reads them: never cached. */
export interface Credentials {
  find(connection: string): Promise<{ connection: Connection; credential: Credential } | undefined>;
}

/** A key that signs access tokens. `jwk` is public. */
export interface SigningKey {
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly jwk: { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string };
}

/** The token service's keys. */
export interface Signer {
  /** The keys whose tokens verify, the signing one first. */
  keys(): Promise<readonly [SigningKey, ...SigningKey[]]>;
  /** ES256 over `input` with the signing key: r ‖ s, 64 bytes (RFC 7518 section 3.4). */
  sign(input: Uint8Array): Promise<Uint8Array>;
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

/** Which messages were accepted, in which order. Reads are strongly consistent. */
export interface Ledger {
  read(key: LedgerKey): Promise<LedgerState>;
  /** All or nothing; undefined when it was written. */
  commit(commit: Commit): Promise<CommitConflict | undefined>;
}

/** The part of the ledger that delivery works on. */
export interface Log {
  head(workspace: string, correlationId: string): Promise<Head>;
  /** The entries `from`..`to`, in order, both included. */
  entries(
    log: { workspace: string; correlationId: string },
    from: number,
    to: number,
  ): Promise<readonly Entry[]>;
  /** Takes a free or expired lease; false when somebody else holds it. */
  acquire(log: { workspace: string; correlationId: string }, lease: Lease, now: number): Promise<boolean>;
  /** Moves `published` and gives the lease back; false when the lease was lost. */
  release(
    log: { workspace: string; correlationId: string },
    lease: Lease,
    published: number,
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
  /** Puts an entry into one queue; `gone` when the queue was removed with its connection. */
  send(queue: string, entry: Entry): Promise<'sent' | 'gone'>;
  receive(queue: string, options: ReceiveOptions): Promise<readonly Received[]>;
  delete(queue: string, receiptHandles: readonly string[]): Promise<readonly string[]>;
  release(queue: string, receiptHandles: readonly string[], delaySeconds: number): Promise<readonly string[]>;
}
