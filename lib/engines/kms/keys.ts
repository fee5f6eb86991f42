import { createPrivateKey } from 'node:crypto';
import { textMapOf } from '../aws-json/input.ts';
import type { Store } from '../store.ts';
import type { KmsKey } from './key.ts';

/** How a key is stored. */
interface KeyRow {
  readonly id: string;
  readonly createdAt: number;
  readonly description: string;
  readonly enabled: number;
  readonly deletionAt: number | null;
  readonly tags: string;
  readonly privateKey: string;
}

/** An alias; its name begins with `alias/`. */
interface Alias {
  readonly name: string;
  readonly keyId: string;
}

const tables = `
  CREATE TABLE IF NOT EXISTS kms_keys (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, description TEXT NOT NULL, enabled INTEGER NOT NULL,
    deletion_at INTEGER, tags TEXT NOT NULL, private_key TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS kms_keys_to_delete ON kms_keys (deletion_at) WHERE deletion_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS kms_aliases (name TEXT PRIMARY KEY, key_id TEXT NOT NULL) STRICT, WITHOUT ROWID;`;

/** Reading a private key takes as long as signing with it: the last few are kept at hand. */
const maxRead = 20;

/** Keys and aliases in the database, which only its owner may read. */
export class Keys {
  readonly #store: Store;
  readonly #read = new Map<string, KmsKey>();

  constructor(store: Store) {
    this.#store = store;
    store.define(tables);
  }

  /** Oldest first. */
  get ids(): readonly string[] {
    const rows = this.#store.sql<{ id: string }>('SELECT id FROM kms_keys ORDER BY created_at, id').all();
    return rows.map(({ id }) => id);
  }

  /** By name. */
  get aliases(): readonly Alias[] {
    return this.#store.sql<Alias>('SELECT name, key_id AS keyId FROM kms_aliases ORDER BY name').all();
  }

  find(id: string): KmsKey | undefined {
    const known = this.#read.get(id);
    if (known !== undefined) return known;
    const row = this.#store
      .sql<KeyRow>(
        `SELECT id, created_at AS createdAt, description, enabled, deletion_at AS deletionAt, tags,
           private_key AS privateKey FROM kms_keys WHERE id = ?`,
      )
      .get(id);
    if (row === undefined) return undefined;
    const key = keyOf(row);
    if (this.#read.size >= maxRead) this.#read.clear();
    this.#read.set(id, key);
    return key;
  }

  /** The id of the key that an alias names. */
  target(alias: string): string | undefined {
    return this.#store.sql<Alias>('SELECT key_id AS keyId FROM kms_aliases WHERE name = ?').get(alias)?.keyId;
  }

  put(key: KmsKey): void {
    const { id, createdAt, description, enabled, deletionAt, tags, privateKey } = key;
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    this.#read.delete(id);
    this.#store
      .sql('INSERT OR REPLACE INTO kms_keys VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(id, createdAt, description, Number(enabled), deletionAt ?? null, JSON.stringify(tags), pem);
  }

  point(alias: string, keyId: string): void {
    this.#store.sql('INSERT OR REPLACE INTO kms_aliases VALUES (?, ?)').run(alias, keyId);
  }

  deleteAlias(alias: string): void {
    this.#store.sql('DELETE FROM kms_aliases WHERE name = ?').run(alias);
  }

  /** Deletes keys whose time has come, with their aliases. */
  deleteDue(now: number): void {
    const due = this.#store.sql<{ id: string }>('SELECT id FROM kms_keys WHERE deletion_at <= ?').all(now);
    if (due.length === 0) return;
    this.#store.transaction(() => {
      for (const { id } of due) {
        this.#store.sql('DELETE FROM kms_aliases WHERE key_id = ?').run(id);
        this.#store.sql('DELETE FROM kms_keys WHERE id = ?').run(id);
        this.#read.delete(id);
      }
    });
  }
}

const keyOf = ({ enabled, deletionAt, tags, privateKey, ...facts }: KeyRow): KmsKey => ({
  ...facts,
  enabled: enabled === 1,
  ...(deletionAt === null ? {} : { deletionAt }),
  tags: textMapOf({ tags: JSON.parse(tags) }, 'tags') ?? {},
  privateKey: createPrivateKey(privateKey),
});
