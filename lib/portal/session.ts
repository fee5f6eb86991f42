import { createHash } from 'node:crypto';
import { limits } from '../contract/limits.ts';
import type { Clock, Ids } from '../contract/outside.ts';

/** Somebody whom an identity provider knows. Everything that a person may do hangs on issuer and subject. */
export interface Person {
  readonly issuer: string;
  readonly subject: string;
  /** For people; may change. */
  readonly name: string;
  /** Only if the issuer has verified it. */
  readonly email?: string;
}

export interface Session {
  readonly person: Person;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds; it may end earlier, without use. */
  readonly endsAt: number;
}

/** The sessions. They are known by the hashes of their ids only. */
export interface Sessions {
  create(hash: string, session: Session): Promise<void>;
  /** Counts one request of a session. Undefined: there is none, or it has ended; `busy`: it makes too many requests. */
  use(hash: string, now: number): Promise<Session | 'busy' | undefined>;
  end(hash: string): Promise<void>;
  /** Counts a publish of a connection by a person in the portal; false: there were too many in a short time. */
  countPublish(connection: string, now: number): Promise<boolean>;
}

/** 256 random bits. */
const idBytes = 32;

const form = /^[\w-]{43}$/;

/** The name under which a session is stored: its id has 256 random bits, so a slow hash would only add cost. */
export const sessionHash = (id: string): string | undefined =>
  form.test(id) ? createHash('sha256').update(id).digest('base64url') : undefined;

/** Starts a session of so many seconds, always under a new id; returns the only copy of the id. */
export const startSession = async (
  {
    clock,
    ids,
    sessions,
  }: { readonly clock: Clock; readonly ids: Ids; readonly sessions: Pick<Sessions, 'create'> },
  person: Person,
  seconds: number,
): Promise<string> => {
  const id = Buffer.from(ids.random(idBytes)).toString('base64url');
  const createdAt = clock.now();
  await sessions.create(sessionHash(id) ?? '', { person, createdAt, endsAt: createdAt + seconds * 1000 });
  return id;
};

/** The earliest time at which a session that is still valid was last used; epoch milliseconds. */
export const usedAfter = (now: number): number => now - limits.sessionIdleSeconds * 1000;
