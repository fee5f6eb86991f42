import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { objectOf, textMapOf } from '../aws-json/json-input.ts';
import { isUnchanged, withChecksum } from '../checked-json.ts';
import { errorMessage } from '../error-message.ts';
import { draftSuffix, removeDurably, writeDurably } from '../write-durably.ts';
import { decodeKey, encodeKey, type KmsKey } from './kms-key.ts';

const aliasesFile = 'aliases.json';
const keyFile = (id: string) => `${id}.key.json`;

/** A draft, also one of versions that called them otherwise. */
const isDraft = (name: string) => [draftSuffix, '.tmp'].some(suffix => name.endsWith(`.json${suffix}`));

/** Keys and aliases, each key in a file of its own. What a method returned from is on disk. */
export class KeyStore {
  readonly #folder: string;
  readonly #keys = new Map<string, KmsKey>();
  #aliases: ReadonlyMap<string, string> = new Map();

  /** Throws an Error that names the file when one cannot be read. */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // A folder that was there may be open to others.
    chmodSync(folder, 0o700);
    for (const name of readdirSync(folder)) {
      // What a crash left of a write that was never answered; it may hold a key.
      if (isDraft(name)) removeDurably(join(folder, name));
      if (name.endsWith('.key.json')) this.#load(name, text => this.#keep(decodeKey(text)));
      if (name === aliasesFile) this.#load(name, text => this.#readAliases(text));
    }
    this.#checkComplete();
  }

  /** Oldest first. */
  get keys(): readonly KmsKey[] {
    return [...this.#keys.values()].sort((one, other) => one.createdAt - other.createdAt);
  }

  /** Key ids by alias name, which begins with `alias/`. */
  get aliases(): ReadonlyMap<string, string> {
    return this.#aliases;
  }

  key(id: string): KmsKey | undefined {
    return this.#keys.get(id);
  }

  put(key: KmsKey): void {
    writeDurably(join(this.#folder, keyFile(key.id)), encodeKey(key));
    this.#keep(key);
  }

  setAliases(aliases: ReadonlyMap<string, string>): void {
    const value = withChecksum({ aliases: Object.fromEntries(aliases) });
    const text = `${JSON.stringify(value, null, 2)}\n`;
    writeDurably(join(this.#folder, aliasesFile), text);
    this.#aliases = aliases;
  }

  /** Deletes keys whose time has come, with their aliases. */
  deleteDue(now: number): void {
    const due = this.keys.filter(({ deletionAt }) => deletionAt !== undefined && deletionAt <= now);
    if (due.length === 0) return;
    const ids = due.map(({ id }) => id);
    this.setAliases(new Map([...this.#aliases].filter(([, id]) => !ids.includes(id))));
    for (const id of ids) {
      removeDurably(join(this.#folder, keyFile(id)));
      this.#keys.delete(id);
    }
  }

  #keep(key: KmsKey): void {
    this.#keys.set(key.id, key);
  }

  /** An alias is made after its key and deleted before it. */
  #checkComplete(): void {
    const lost = [...this.#aliases.values()].find(id => !this.#keys.has(id));
    if (lost === undefined) return;
    const path = join(this.#folder, keyFile(lost));
    throw new Error(`${path} is missing, which ${aliasesFile} names: restore it`);
  }

  #readAliases(text: string): void {
    const value = objectOf(JSON.parse(text), 'the file');
    if (!isUnchanged(value)) throw new Error('its checksum is another');
    const aliases = textMapOf(value, 'aliases');
    if (aliases === undefined) throw new Error('the member aliases is missing');
    this.#aliases = new Map(Object.entries(aliases));
  }

  #load(name: string, read: (text: string) => void): void {
    const path = join(this.#folder, name);
    try {
      read(readFileSync(path, 'utf8'));
    } catch (cause) {
      throw new Error(
        `${path} cannot be read as this engine wrote it (${errorMessage(cause)}): restore it, or remove it`,
        { cause },
      );
    }
  }
}
