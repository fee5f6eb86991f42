import * as crypto from 'node:crypto';
import { dayMilliseconds } from '../../contract/limits.ts';
import type { JsonObject } from '../../json/value.ts';
import { base64Of, booleanOf, integerOf, listOf, objectOf, textOf } from '../aws-json/input.ts';
import { localPlace } from '../machine.ts';
import { type KmsKey, newKey, publicKeyOf, scalarOf, signDigest, stateOf, verifyDigest } from './key.ts';
import {
  aliasArn,
  type KmsState,
  keyArn,
  keyById,
  keyOf,
  kmsError,
  notPendingDeletion,
  pageOf,
  requiredMember,
  usable,
} from './state.ts';

export const keySpec = 'ECC_NIST_P256';
export const keyUsage = 'SIGN_VERIFY';
const signingAlgorithm = 'ECDSA_SHA_256';

export const createKey = (state: KmsState, input: JsonObject): JsonObject => {
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
  state.keys.put(key);
  return { KeyMetadata: metadataOf(key) };
};

const tagsOf = (input: JsonObject): Readonly<Record<string, string>> => {
  const tags = (listOf(input, 'Tags') ?? []).map(tag => objectOf(tag, 'Tags'));
  return Object.fromEntries(
    tags.map(tag => [
      requiredMember(textOf(tag, 'TagKey'), 'tagKey'),
      requiredMember(textOf(tag, 'TagValue'), 'tagValue'),
    ]),
  );
};

export const describeKey = (state: KmsState, input: JsonObject): JsonObject => ({
  KeyMetadata: metadataOf(keyOf(state, input)),
});

const metadataOf = (key: KmsKey): JsonObject => {
  const { id, createdAt, description, deletionAt } = key;
  return {
    AWSAccountId: localPlace.account,
    Arn: keyArn(id),
    CreationDate: new Date(createdAt),
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
    ...(deletionAt === undefined ? {} : { DeletionDate: new Date(deletionAt) }),
  };
};

export const listKeys = (state: KmsState, input: JsonObject): JsonObject => {
  state.keys.deleteDue(state.clock.now());
  const keys = state.keys.ids.map(id => ({ KeyArn: keyArn(id), KeyId: id }));
  return pageOf('Keys', keys, input);
};

export const getPublicKey = (state: KmsState, input: JsonObject): JsonObject => {
  const key = usable(keyOf(state, input));
  return {
    CustomerMasterKeySpec: keySpec,
    KeyId: keyArn(key.id),
    KeySpec: keySpec,
    KeyUsage: keyUsage,
    PublicKey: publicKeyOf(key),
    SigningAlgorithms: [signingAlgorithm],
  };
};

export const enableKey = (state: KmsState, input: JsonObject): JsonObject => setEnabled(state, input, true);

export const disableKey = (state: KmsState, input: JsonObject): JsonObject => setEnabled(state, input, false);

const setEnabled = (state: KmsState, input: JsonObject, enabled: boolean): JsonObject => {
  state.keys.put({ ...notPendingDeletion(namedById(state, input)), enabled });
  return {};
};

const namedById = (state: KmsState, input: JsonObject) =>
  keyById(state, requiredMember(textOf(input, 'KeyId'), 'keyId'));

export const scheduleKeyDeletion = (state: KmsState, input: JsonObject): JsonObject => {
  const days = integerOf(input, 'PendingWindowInDays') ?? 30;
  if (days < 7 || days > 30)
    throw kmsError('ValidationException', 'PendingWindowInDays must be between 7 and 30');
  const key = notPendingDeletion(namedById(state, input));
  const deletionAt = state.clock.now() + days * dayMilliseconds;
  state.keys.put({ ...key, deletionAt });
  return {
    DeletionDate: new Date(deletionAt),
    KeyId: keyArn(key.id),
    KeyState: 'PendingDeletion',
    PendingWindowInDays: days,
  };
};

/** Leaves the key disabled, as AWS does. */
export const cancelKeyDeletion = (state: KmsState, input: JsonObject): JsonObject => {
  const { deletionAt, ...key } = namedById(state, input);
  if (deletionAt === undefined) {
    throw kmsError('KMSInvalidStateException', `${keyArn(key.id)} is not pending deletion.`);
  }
  state.keys.put({ ...key, enabled: false });
  return { KeyId: keyArn(key.id) };
};

export const createAlias = (state: KmsState, input: JsonObject): JsonObject => {
  const name = newNameOf(input);
  const target = targetOf(state, input);
  if (state.keys.target(name) !== undefined) {
    throw kmsError('AlreadyExistsException', `An alias with the name ${aliasArn(name)} already exists`);
  }
  return point(state, name, target);
};

export const updateAlias = (state: KmsState, input: JsonObject): JsonObject => {
  const name = existingNameOf(state, input);
  return point(state, name, targetOf(state, input));
};

export const deleteAlias = (state: KmsState, input: JsonObject): JsonObject => {
  const name = existingNameOf(state, input);
  state.keys.deleteAlias(name);
  return {};
};

export const listAliases = (state: KmsState, input: JsonObject): JsonObject => {
  const only = textOf(input, 'KeyId') === undefined ? undefined : keyOf(state, input).id;
  const aliases = state.keys.aliases
    .filter(({ keyId }) => only === undefined || keyId === only)
    .map(({ name, keyId }) => ({ AliasArn: aliasArn(name), AliasName: name, TargetKeyId: keyId }));
  return pageOf('Aliases', aliases, input);
};

const point = (state: KmsState, name: string, keyId: string): JsonObject => {
  state.keys.point(name, keyId);
  return {};
};

const targetOf = (state: KmsState, input: JsonObject) =>
  notPendingDeletion(keyById(state, requiredMember(textOf(input, 'TargetKeyId'), 'targetKeyId'))).id;

const nameOf = (input: JsonObject) => requiredMember(textOf(input, 'AliasName'), 'aliasName');

const newNameOf = (input: JsonObject): string => {
  const name = nameOf(input);
  const fits = /^alias\/[\w/-]{1,250}$/.test(name) && !name.startsWith('alias/aws/');
  if (fits) return name;
  const form = 'alias/ and 1 to 250 letters, digits, slashes, underscores or hyphens, but not alias/aws/';
  throw kmsError('InvalidAliasNameException', `Alias name '${name}' is not allowed: it must be ${form}`);
};

const existingNameOf = (state: KmsState, input: JsonObject): string => {
  const name = nameOf(input);
  if (state.keys.target(name) !== undefined) return name;
  throw kmsError('NotFoundException', `Alias ${aliasArn(name)} is not found.`);
};

/** AWS docs, Sign. */
const maxMessageBytes = 4096;
const digestBytes = 32;

export const sign = (state: KmsState, input: JsonObject): JsonObject => {
  const { key, message, isDigest } = requestOf(state, input);
  refuseDryRun(input);
  const signature = isDigest
    ? signDigest(scalarOf(key), message)
    : crypto.sign('sha256', message, key.privateKey);
  return {
    KeyId: keyArn(key.id),
    Signature: signature,
    SigningAlgorithm: signingAlgorithm,
  };
};

export const verify = (state: KmsState, input: JsonObject): JsonObject => {
  const { key, message, isDigest } = requestOf(state, input);
  const signature = bytesOf(input, 'Signature');
  const isValid = isDigest
    ? verifyDigest(scalarOf(key), message, signature)
    : crypto.verify('sha256', message, crypto.createPublicKey(key.privateKey), signature);
  if (!isValid) {
    throw kmsError('KMSInvalidSignatureException', 'The signature is not one of this key over this message');
  }
  refuseDryRun(input);
  return { KeyId: keyArn(key.id), SignatureValid: true, SigningAlgorithm: signingAlgorithm };
};

/** A dry run that would have succeeded is answered with an error, too (AWS docs, "Testing your permissions"). */
const refuseDryRun = (input: JsonObject): void => {
  if (booleanOf(input, 'DryRun') === true)
    throw kmsError(
      'DryRunOperationException',
      'The request would have succeeded, but the DryRun option is set.',
    );
};

interface SignatureRequest {
  readonly key: KmsKey;
  readonly message: Buffer;
  readonly isDigest: boolean;
}

const requestOf = (state: KmsState, input: JsonObject): SignatureRequest => {
  const message = bytesOf(input, 'Message');
  const algorithm = requiredMember(textOf(input, 'SigningAlgorithm'), 'signingAlgorithm');
  const key = usable(keyOf(state, input));
  if (algorithm !== signingAlgorithm) {
    const reason = `${keyArn(key.id)} signs with ${signingAlgorithm}, not with ${algorithm}.`;
    throw kmsError('InvalidKeyUsageException', reason);
  }
  const type = textOf(input, 'MessageType') ?? 'RAW';
  if (type !== 'RAW' && type !== 'DIGEST') {
    throw kmsError('ValidationException', `MessageType must be RAW or DIGEST, not ${type}`);
  }
  if (type === 'DIGEST' && message.length !== digestBytes) {
    throw kmsError('ValidationException', `Digest is invalid length for algorithm ${signingAlgorithm}.`);
  }
  return { key, message, isDigest: type === 'DIGEST' };
};

const bytesOf = (input: JsonObject, member: 'Message' | 'Signature'): Buffer => {
  const bytes = Buffer.from(requiredMember(base64Of(input, member), member.toLowerCase()), 'base64');
  if (bytes.length > 0 && bytes.length <= maxMessageBytes) return bytes;
  throw kmsError(
    'ValidationException',
    `${member} must have 1 to ${maxMessageBytes} bytes, not ${bytes.length}`,
  );
};
