import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../json/value.ts';
import { AwsError, integerOf, objectOf, textMapOf, textOf } from '../aws-json/input.ts';
import { draftSuffix, isUnchanged, removeDurably, withChecksum, writeDurably } from '../durable-files.ts';
import { type EngineClock, errorMessage, localPlace } from '../machine.ts';
import { decodeKey, encodeKey, type KmsKey, stateOf } from './key.ts';

/** KMS's errors as the AWS SDKs' service model names them; all are answered with 400. */
type KmsErrorName =
  | 'AlreadyExistsException'
  | 'DisabledException'
  | 'InvalidAliasNameException'
  | 'InvalidKeyUsageException'
  | 'InvalidMarkerException'
  | 'KMSInvalidSignatureException'
  | 'KMSInvalidStateException'
  | 'NotFoundException'
  | 'UnsupportedOperationException'
  | 'ValidationException';

export const kmsError = (name: KmsErrorName, message: string): AwsError =>
  new AwsError({ type: name, status: 400 }, message);

export const requiredMember = <T>(value: T | undefined, member: string): T => {
  if (value !== undefined) return value;
  const constraint = 'failed to satisfy constraint: Member must not be null';
  throw kmsError(
    'ValidationException',
    `1 validation error detected: Value null at '${member}' ${constraint}`,
  );
};

const aliasesFile = 'aliases.json';
const keyFile = (id: string) => `${id}.key.json`;

/** A draft, also one of versions that called them otherwise. */
const isDraft = (name: string) => [draftSuffix, '.tmp'].some(suffix => name.endsWith(`.json${suffix}`));

/** Keys and aliases, one file per key. A change is on disk when its method returns. */
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
    if (!isUnchanged(value)) throw new Error('it does not match its checksum');
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

const arnPrefix = `arn:aws:kms:${localPlace.region}:${localPlace.account}:`;

export const keyArn = (id: string) => `${arnPrefix}key/${id}`;
export const aliasArn = (name: string) => `${arnPrefix}${name}`;

/** What the operations work on. */
export interface KmsState {
  readonly store: KeyStore;
  readonly clock: EngineClock;
  /** A UUID for a new key. */
  readonly newId: () => string;
}

/** The key that KeyId names by id, ARN, alias or alias ARN, in any state. */
export const keyOf = (state: KmsState, input: JsonObject): KmsKey => {
  const keyId = requiredMember(textOf(input, 'KeyId'), 'keyId');
  const name = keyId.startsWith(arnPrefix) ? keyId.slice(arnPrefix.length) : keyId;
  if (!name.startsWith('alias/')) return keyById(state, keyId);
  const target = state.store.aliases.get(name);
  if (target === undefined) throw kmsError('NotFoundException', `Alias ${aliasArn(name)} is not found.`);
  return keyById(state, target);
};

/** The key that an id or ARN names: operations that change a key take no alias. */
export const keyById = (state: KmsState, keyId: string): KmsKey => {
  state.store.deleteDue(state.clock.now());
  const prefix = keyArn('');
  const id = keyId.startsWith(prefix) ? keyId.slice(prefix.length) : keyId;
  const key = state.store.key(id);
  if (key !== undefined) return key;
  const isId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id);
  throw kmsError(
    'NotFoundException',
    isId ? `Key '${keyArn(id)}' does not exist` : `Invalid keyId '${keyId}'`,
  );
};

/** Refuses a key that must not be used as it is (AWS docs, "Key states of AWS KMS keys"). */
export const usable = (key: KmsKey): KmsKey => {
  const state = stateOf(key);
  if (state === 'Disabled') throw kmsError('DisabledException', `${keyArn(key.id)} is disabled.`);
  return notPendingDeletion(key);
};

export const notPendingDeletion = (key: KmsKey): KmsKey => {
  if (stateOf(key) !== 'PendingDeletion') return key;
  throw kmsError('KMSInvalidStateException', `${keyArn(key.id)} is pending deletion.`);
};

/** A page of a list under `member`, with AWS's `Limit`, `Marker`, `NextMarker` and `Truncated`. */
export const pageOf = (member: string, items: readonly JsonObject[], input: JsonObject): JsonObject => {
  const limit = integerOf(input, 'Limit') ?? 100;
  if (limit < 1 || limit > 1000) throw kmsError('ValidationException', 'Limit must be between 1 and 1000');
  const marker = textOf(input, 'Marker') ?? '0';
  if (!/^\d{1,9}$/.test(marker))
    throw kmsError('InvalidMarkerException', `Could not read marker '${marker}'`);
  const end = Number(marker) + limit;
  const more = end < items.length;
  return {
    [member]: items.slice(Number(marker), end),
    Truncated: more,
    ...(more && { NextMarker: String(end) }),
  };
};
