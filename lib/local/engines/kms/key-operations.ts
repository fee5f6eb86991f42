import { dayMilliseconds } from '../../../contract/durations.ts';
import type { JsonObject } from '../../../domain/message/json-object.ts';
import { integerOf, listOf, objectOf, textOf } from '../aws-json/json-input.ts';
import { localPlace } from '../local-place.ts';
import { kmsError, requiredMember } from './kms-error.ts';
import { type KmsKey, newKey, publicKeyOf, stateOf } from './kms-key.ts';
import { pageOf } from './kms-page.ts';
import { type KmsState, keyArn, keyById, keyOf, notPendingDeletion, usable } from './kms-state.ts';

export const keySpec = 'ECC_NIST_P256';
export const keyUsage = 'SIGN_VERIFY';
export const signingAlgorithm = 'ECDSA_SHA_256';

export function createKey(state: KmsState, input: JsonObject): JsonObject {
  const spec = textOf(input, 'KeySpec') ?? textOf(input, 'CustomerMasterKeySpec');
  if (spec !== keySpec || textOf(input, 'KeyUsage') !== keyUsage) {
    const advice = `set KeySpec to ${keySpec} and KeyUsage to ${keyUsage}`;
    throw kmsError('UnsupportedOperationException', `The local engine has signing keys only: ${advice}`);
  }
  const key = newKey({
    id: state.newId(),
    createdAt: state.clock.now(),
    description: textOf(input, 'Description') ?? '',
    tags: tagsOf(input),
  });
  state.store.put(key);
  return { KeyMetadata: metadataOf(key) };
}

function tagsOf(input: JsonObject): Readonly<Record<string, string>> {
  const tags = (listOf(input, 'Tags') ?? []).map(tag => objectOf(tag, 'Tags'));
  return Object.fromEntries(
    tags.map(tag => [
      requiredMember(textOf(tag, 'TagKey'), 'tagKey'),
      requiredMember(textOf(tag, 'TagValue'), 'tagValue'),
    ]),
  );
}

export const describeKey = (state: KmsState, input: JsonObject): JsonObject => ({
  KeyMetadata: metadataOf(keyOf(state, input)),
});

function metadataOf(key: KmsKey): JsonObject {
  const { id, createdAt, description, deletionAt } = key;
  return {
    AWSAccountId: localPlace.account,
    Arn: keyArn(id),
    CreationDate: createdAt / 1000,
    CustomerMasterKeySpec: keySpec,
    Description: description,
    Enabled: stateOf(key) === 'Enabled',
    KeyId: id,
    KeyManager: 'CUSTOMER',
    KeySpec: keySpec,
    KeyState: stateOf(key),
    KeyUsage: keyUsage,
    MultiRegion: false,
    Origin: 'AWS_KMS',
    SigningAlgorithms: [signingAlgorithm],
    ...(deletionAt === undefined ? {} : { DeletionDate: deletionAt / 1000 }),
  };
}

export function listKeys(state: KmsState, input: JsonObject): JsonObject {
  state.store.deleteDue(state.clock.now());
  const keys = state.store.keys.map(({ id }) => ({ KeyArn: keyArn(id), KeyId: id }));
  return pageOf('Keys', keys, input);
}

export function getPublicKey(state: KmsState, input: JsonObject): JsonObject {
  const key = usable(keyOf(state, input));
  return {
    CustomerMasterKeySpec: keySpec,
    KeyId: keyArn(key.id),
    KeySpec: keySpec,
    KeyUsage: keyUsage,
    PublicKey: publicKeyOf(key).toString('base64'),
    SigningAlgorithms: [signingAlgorithm],
  };
}

export const enableKey = (state: KmsState, input: JsonObject): JsonObject => setEnabled(state, input, true);

export const disableKey = (state: KmsState, input: JsonObject): JsonObject => setEnabled(state, input, false);

function setEnabled(state: KmsState, input: JsonObject, enabled: boolean): JsonObject {
  state.store.put({ ...notPendingDeletion(namedById(state, input)), enabled });
  return {};
}

const namedById = (state: KmsState, input: JsonObject) =>
  keyById(state, requiredMember(textOf(input, 'KeyId'), 'keyId'));

export function scheduleKeyDeletion(state: KmsState, input: JsonObject): JsonObject {
  const days = integerOf(input, 'PendingWindowInDays') ?? 30;
  if (days < 7 || days > 30)
    throw kmsError('ValidationException', 'PendingWindowInDays must be between 7 and 30');
  const key = notPendingDeletion(namedById(state, input));
  const deletionAt = state.clock.now() + days * dayMilliseconds;
  state.store.put({ ...key, deletionAt });
  const date = deletionAt / 1000;
  return {
    DeletionDate: date,
    KeyId: keyArn(key.id),
    KeyState: 'PendingDeletion',
    PendingWindowInDays: days,
  };
}

/** Leaves the key disabled, as AWS does. */
export function cancelKeyDeletion(state: KmsState, input: JsonObject): JsonObject {
  const { deletionAt, ...key } = namedById(state, input);
  if (deletionAt === undefined) {
    throw kmsError('KMSInvalidStateException', `${keyArn(key.id)} is not pending deletion.`);
  }
  state.store.put({ ...key, enabled: false });
  return { KeyId: keyArn(key.id) };
}
