import { errorMessage, systemClock } from '../engines/machine.ts';
import { DamagedStore } from '../engines/store/durable-log.ts';
import { type Guard, openGuardedStore, openStore, type Store } from '../engines/store/store.ts';
import type { EngineKeys } from './admission.ts';
import { type Engines, startChecking, startEngines, startSweeping } from './engines.ts';
import type { Endpoints } from './env.ts';
import { type Notes, notesIn, type StoredNotes } from './gateway-limits.ts';
import { localAccessKeys } from './roles.ts';
import { startSignIn } from './sign-in.ts';
import type { SigningKey } from './sigv4.ts';
import { damagedStore, StartRefusal } from './start-refusal.ts';

/** What an engine room starts with: plain values, which can be handed to another thread. */
export interface RoomOptions {
  /** The data folder. */
  readonly folder: string;
  /** The file of the database in it. */
  readonly database: string;
  /** The address of a running DynamoDB, to use instead of the built-in one. */
  readonly databaseElsewhere?: string;
  readonly operator: SigningKey;
  /** Whether the engines answer everybody, whatever the signature. */
  readonly openEngines: boolean;
  /** Host names that they answer to, besides those of the loopback addresses. */
  readonly hosts: readonly string[];
  /** Where the engines listened in the last run. */
  readonly before: Partial<Endpoints>;
  /** The portal's origin. */
  readonly portal: string;
}

/** Everything that works on the database: the engines, the local sign-in, notes of the gateway, upkeep. */
export interface EngineRoom extends Pick<Engines, 'endpoints' | 'operations' | 'failed'> {
  readonly notes: Notes;
  /** The variables of the portal's sign-in. */
  readonly signIn: Readonly<Record<string, string>>;
  /** Resolves when all that was changed so far is on disk. */
  saved(): Promise<void>;
  /** Answers pending long polls at once, so that closing need not wait for them. */
  endPolls(): void;
  close(): Promise<void>;
}

const open = async (path: string, guard: Guard | undefined): Promise<Store> => {
  try {
    return await (guard ? openGuardedStore(path, guard) : openStore(path));
  } catch (fault) {
    if (fault instanceof DamagedStore) throw damagedStore(fault.file);
    throw new StartRefusal(`${errorMessage(fault)}.`, { cause: fault });
  }
};

/** A room in this thread. */
export interface OpenRoom extends EngineRoom {
  readonly notes: StoredNotes;
}

const startIn = async (
  store: Store,
  options: RoomOptions,
  warn: (line: string) => void,
): Promise<OpenRoom> => {
  const { folder, databaseElsewhere, operator, openEngines, hosts, before, portal } = options;
  const keys: EngineKeys = { operator, role: localAccessKeys(folder), now: Date.now };
  const engines = await startEngines(store, {
    hosts,
    before,
    warn,
    clock: systemClock,
    ...(databaseElsewhere === undefined ? {} : { database: databaseElsewhere }),
    ...(openEngines ? {} : { keys }),
  });
  try {
    const notes = notesIn(store);
    const signIn = await startSignIn(store, process.env, { portal, operator, hosts, warn });
    const endUpkeep = [startSweeping(engines, { warn }), startChecking(store)];
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      for (const end of endUpkeep) end();
      await signIn.close();
      await engines.close();
      await store.close();
    };
    return {
      ...engines,
      notes,
      signIn: signIn.variables,
      close() {
        closed ??= close();
        return closed;
      },
    };
  } catch (fault) {
    await engines.close();
    throw fault;
  }
};

/**
 * Opens the database and starts what works on it. The caller holds the folder's lock.
 *
 * @param warn receives warnings of what keeps running
 * @param guard needed in a worker thread
 * @throws StartRefusal when the database cannot be opened
 */
export const openEngineRoom = async (
  options: RoomOptions,
  warn: (line: string) => void,
  guard?: Guard,
): Promise<OpenRoom> => {
  const store = await open(options.database, guard);
  try {
    return await startIn(store, options, warn);
  } catch (fault) {
    // What stopped the start is what to say, whatever closing adds.
    await store.close().catch(() => undefined);
    throw fault;
  }
};
