import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Store } from '../store.ts';

/** A P-256 signing key. */
export interface KmsKey {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly description: string;
  readonly enabled: boolean;
  readonly privateKey: KeyObject;
}

export const newKey = (facts: Pick<KmsKey, 'id' | 'createdAt' | 'description'>): KmsKey => ({
  ...facts,
  enabled: true,
  privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
});

/** DER-encoded SubjectPublicKeyInfo. */
export const publicKeyOf = (key: KmsKey): Buffer =>
  createPublicKey(key.privateKey).export({ type: 'spki', format: 'der' });

/** How a key is stored. */
interface KeyRow extends Omit<KmsKey, 'enabled' | 'privateKey'> {
  readonly enabled: number;
  readonly privateKey: string;
}

const tables = `
  CREATE TABLE IF NOT EXISTS kms_keys (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, description TEXT NOT NULL, enabled INTEGER NOT NULL,
    private_key TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
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

  find(id: string): KmsKey | undefined {
    const known = this.#read.get(id);
    if (known !== undefined) return known;
    const row = this.#store
      .sql<KeyRow>(
        `SELECT id, created_at AS createdAt, description, enabled, private_key AS privateKey FROM kms_keys WHERE id = ?`,
      )
      .get(id);
    if (row === undefined) return undefined;
    const key = { ...row, enabled: row.enabled === 1, privateKey: createPrivateKey(row.privateKey) };
    if (this.#read.size >= maxRead) this.#read.clear();
    this.#read.set(id, key);
    return key;
  }

  /** The id of the key that an alias names. */
  target(alias: string): string | undefined {
    const find = this.#store.sql<{ id: string }>('SELECT key_id AS id FROM kms_aliases WHERE name = ?');
    return find.get(alias)?.id;
  }

  put({ id, createdAt, description, enabled, privateKey }: KmsKey): void {
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    this.#store
      .sql('INSERT OR REPLACE INTO kms_keys VALUES (?, ?, ?, ?, ?)')
      .run(id, createdAt, description, Number(enabled), pem);
    this.#read.delete(id);
  }

  point(alias: string, keyId: string): void {
    this.#store.sql('INSERT INTO kms_aliases VALUES (?, ?)').run(alias, keyId);
  }
}
