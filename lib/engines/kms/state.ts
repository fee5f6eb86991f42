import type { JsonObject } from '../../json/value.ts';
import { AwsError, integerOf, textOf } from '../aws-json/input.ts';
import { type EngineClock, localPlace } from '../machine.ts';
import { type KmsKey, stateOf } from './key.ts';
import type { Keys } from './keys.ts';

/** KMS's errors as the AWS SDKs' service model names them; all are answered with 400. */
type KmsErrorName =
  | 'AlreadyExistsException'
  | 'DisabledException'
  | 'DryRunOperationException'
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

const arnPrefix = `arn:aws:kms:${localPlace.region}:${localPlace.account}:`;

export const keyArn = (id: string) => `${arnPrefix}key/${id}`;
export const aliasArn = (name: string) => `${arnPrefix}${name}`;

/** What the operations work on. */
export interface KmsState {
  readonly keys: Keys;
  readonly clock: EngineClock;
  /** A UUID for a new key. */
  readonly newId: () => string;
}

/** The key that KeyId names by id, ARN, alias or alias ARN, in any state. */
export const keyOf = (state: KmsState, input: JsonObject): KmsKey => {
  const keyId = requiredMember(textOf(input, 'KeyId'), 'keyId');
  const name = keyId.startsWith(arnPrefix) ? keyId.slice(arnPrefix.length) : keyId;
  if (!name.startsWith('alias/')) return keyById(state, keyId);
  const target = state.keys.target(name);
  if (target === undefined) throw kmsError('NotFoundException', `Alias ${aliasArn(name)} is not found.`);
  return keyById(state, target);
};

/** The key that an id or ARN names: operations that change a key take no alias. */
export const keyById = (state: KmsState, keyId: string): KmsKey => {
  state.keys.deleteDue(state.clock.now());
  const prefix = keyArn('');
  const id = keyId.startsWith(prefix) ? keyId.slice(prefix.length) : keyId;
  const key = state.keys.find(id);
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
