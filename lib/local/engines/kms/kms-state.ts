import type { JsonObject } from '../../../domain/message/json-object.ts';
import { textOf } from '../aws-json/json-input.ts';
import type { EngineClock } from '../engine-clock.ts';
import { localPlace } from '../local-place.ts';
import type { KeyStore } from './key-store.ts';
import { kmsError, requiredMember } from './kms-error.ts';
import { type KmsKey, stateOf } from './kms-key.ts';

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

/** The key that KeyId names by its id or ARN, or by an alias or alias ARN; whatever its state. */
export function keyOf(state: KmsState, input: JsonObject): KmsKey {
  const keyId = requiredMember(textOf(input, 'KeyId'), 'keyId');
  const name = keyId.startsWith(arnPrefix) ? keyId.slice(arnPrefix.length) : keyId;
  if (!name.startsWith('alias/')) return keyById(state, keyId);
  const target = state.store.aliases.get(name);
  if (target === undefined) throw kmsError('NotFoundException', `Alias ${aliasArn(name)} is not found.`);
  return keyById(state, target);
}

/** The key that an id or ARN names: operations that change a key take no alias. */
export function keyById(state: KmsState, keyId: string): KmsKey {
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
}

/** Refuses a key that must not be used as it is (AWS docs, "Key states of AWS KMS keys"). */
export function usable(key: KmsKey): KmsKey {
  const state = stateOf(key);
  if (state === 'Disabled') throw kmsError('DisabledException', `${keyArn(key.id)} is disabled.`);
  return notPendingDeletion(key);
}

export function notPendingDeletion(key: KmsKey): KmsKey {
  if (stateOf(key) !== 'PendingDeletion') return key;
  throw kmsError('KMSInvalidStateException', `${keyArn(key.id)} is pending deletion.`);
}
