import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign as signWith,
} from 'node:crypto';
import type { JsonObject } from '../../../platform/json/value.ts';
import {
  AwsError,
  bytesOf,
  type OperationRow,
  operationsOf,
  parameterCheck,
  requiredText,
  textInput,
} from '../aws-json/input.ts';
import type { Operations } from '../aws-json/server.ts';
import { type EngineClock, localAccount, systemClock } from '../machine.ts';
import type { Store } from '../store.ts';

interface KmsKey {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly description: string;
  readonly enabled: boolean;
  readonly privateKey: KeyObject;
}

interface KeyRow extends Omit<KmsKey, 'enabled' | 'privateKey'> {
  readonly enabled: number;
  readonly privateKey: string;
}

const tables = `
  CREATE TABLE IF NOT EXISTS kms_keys (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, description TEXT NOT NULL,
    enabled INTEGER NOT NULL, private_key TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS kms_aliases (
    name TEXT PRIMARY KEY, key_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;`;

/** Reading a private key takes as long as signing with it: the last few are kept at hand. */
const maxRead = 20;

class Keys {
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
        'SELECT id, created_at AS createdAt, description, enabled, private_key AS privateKey ' +
          'FROM kms_keys WHERE id = ?',
      )
      .get(id);
    if (row === undefined) return undefined;
    const key = {
      ...row,
      enabled: row.enabled === 1,
      privateKey: createPrivateKey(row.privateKey),
    };
    if (this.#read.size >= maxRead) this.#read.clear();
    this.#read.set(id, key);
    return key;
  }

  target(alias: string): string | undefined {
    const find = this.#store.sql<{ id: string }>(
      'SELECT key_id AS id FROM kms_aliases WHERE name = ?',
    );
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

/** KMS's errors as the AWS SDKs' service model names them; all are answered with 400. */
type KmsErrorName =
  | 'AlreadyExistsException'
  | 'DisabledException'
  | 'NotFoundException'
  | 'UnsupportedOperationException'
  | 'ValidationException';

const kmsError = (name: KmsErrorName, message: string): AwsError =>
  new AwsError({ type: name, status: 400 }, message);

const checkParameters = parameterCheck('KMS', message =>
  kmsError('UnsupportedOperationException', message),
);

const arnPrefix = `arn:aws:kms:${localAccount.region}:${localAccount.account}:`;
const keyArn = (id: string) => `${arnPrefix}key/${id}`;

const keySpec = 'ECC_NIST_P256';
const keyUsage = 'SIGN_VERIFY';
const signingAlgorithm = 'ECDSA_SHA_256';

interface KmsState {
  readonly keys: Keys;
  readonly clock: EngineClock;
  readonly newId: () => string;
}

/** The key that an id or ARN names: operations that change a key take no alias. */
const keyById = ({ keys }: KmsState, keyId: string): KmsKey => {
  const prefix = keyArn('');
  const id = keyId.startsWith(prefix) ? keyId.slice(prefix.length) : keyId;
  const key = keys.find(id);
  if (key !== undefined) return key;
  throw kmsError('NotFoundException', `Key '${keyArn(id)}' does not exist`);
};

const keyOf = (state: KmsState, input: JsonObject): KmsKey => {
  const keyId = requiredText(input, 'KeyId');
  const name = keyId.startsWith(arnPrefix) ? keyId.slice(arnPrefix.length) : keyId;
  if (!name.startsWith('alias/')) return keyById(state, keyId);
  const target = state.keys.target(name);
  if (target === undefined)
    throw kmsError('NotFoundException', `Alias ${arnPrefix}${name} is not found.`);
  return keyById(state, target);
};

const usable = (key: KmsKey): KmsKey => {
  if (key.enabled) return key;
  throw kmsError('DisabledException', `${keyArn(key.id)} is disabled.`);
};

const metadataOf = ({ id, createdAt, description, enabled }: KmsKey): JsonObject => ({
  AWSAccountId: localAccount.account,
  Arn: keyArn(id),
  CreationDate: new Date(createdAt),
  CustomerMasterKeySpec: keySpec,
  Description: description,
  Enabled: enabled,
  KeyId: id,
  KeyManager: 'CUSTOMER',
  KeySpec: keySpec,
  KeyState: enabled ? 'Enabled' : 'Disabled',
  KeyUsage: keyUsage,
  MultiRegion: false,
  Origin: 'AWS_KMS',
  SigningAlgorithms: [signingAlgorithm],
});

const createKey = ({ keys, clock, newId }: KmsState, input: JsonObject): JsonObject => {
  if (textInput(input, 'KeySpec') !== keySpec || textInput(input, 'KeyUsage') !== keyUsage) {
    const advice = `set KeySpec to ${keySpec} and KeyUsage to ${keyUsage}`;
    throw kmsError(
      'UnsupportedOperationException',
      `The local engine has signing keys only: ${advice}`,
    );
  }
  const description = textInput(input, 'Description') ?? '';
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { id: newId(), createdAt: clock.now(), description, enabled: true, privateKey };
  keys.put(key);
  return { KeyMetadata: metadataOf(key) };
};

const createAlias = (state: KmsState, input: JsonObject): JsonObject => {
  const name = requiredText(input, 'AliasName');
  const { id } = keyById(state, requiredText(input, 'TargetKeyId'));
  if (state.keys.target(name) !== undefined)
    throw kmsError(
      'AlreadyExistsException',
      `An alias with the name ${arnPrefix}${name} already exists`,
    );
  state.keys.point(name, id);
  return {};
};

const disableKey = (state: KmsState, input: JsonObject): JsonObject => {
  const key = keyById(state, requiredText(input, 'KeyId'));
  state.keys.put({ ...key, enabled: false });
  return {};
};

const getPublicKey = (state: KmsState, input: JsonObject): JsonObject => {
  const key = usable(keyOf(state, input));
  return {
    CustomerMasterKeySpec: keySpec,
    KeyId: keyArn(key.id),
    KeySpec: keySpec,
    KeyUsage: keyUsage,
    PublicKey: createPublicKey(key.privateKey).export({ type: 'spki', format: 'der' }),
    SigningAlgorithms: [signingAlgorithm],
  };
};

/** AWS docs, Sign. */
const maxMessageBytes = 4096;

const sign = (state: KmsState, input: JsonObject): JsonObject => {
  const message = bytesOf(input, 'Message');
  const key = usable(keyOf(state, input));
  const KeyId = keyArn(key.id);
  if (message.length === 0 || message.length > maxMessageBytes)
    throw kmsError('ValidationException', `Message must have 1 to ${maxMessageBytes} bytes`);
  if (input['SigningAlgorithm'] !== signingAlgorithm || (input['MessageType'] ?? 'RAW') !== 'RAW')
    throw kmsError(
      'UnsupportedOperationException',
      `The local KMS engine signs whole messages (MessageType RAW) with ${signingAlgorithm}.`,
    );
  const Signature = signWith('sha256', message, key.privateKey);
  return { KeyId, Signature, SigningAlgorithm: signingAlgorithm };
};

const operations: Readonly<Record<string, OperationRow<KmsState, [], JsonObject>>> = {
  CreateAlias: { run: createAlias, parameters: ['AliasName', 'TargetKeyId'] },
  // Whoever may call the engine may use its keys, whatever a policy says; nothing reads tags here.
  CreateKey: {
    run: createKey,
    parameters: ['KeySpec', 'KeyUsage', 'Description', 'Tags', 'Policy'],
  },
  DescribeKey: {
    run: (state, input) => ({ KeyMetadata: metadataOf(keyOf(state, input)) }),
    parameters: ['KeyId'],
  },
  DisableKey: { run: disableKey, parameters: ['KeyId'] },
  GetPublicKey: { run: getPublicKey, parameters: ['KeyId'] },
  Sign: { run: sign, parameters: ['KeyId', 'Message', 'MessageType', 'SigningAlgorithm'] },
};

/** `X-Amz-Target`, protocol version and size limit of KMS. */
export const kmsProtocol = {
  target: 'TrentService',
  version: '1.1',
  maxRequestBytes: 64 * 1024,
} as const;

interface KmsEdges {
  readonly clock?: EngineClock;
  readonly newId?: () => string;
}

/**
 * KMS with P-256 signing keys in a database: its operations take the SDK's inputs, with bytes as
 * such or as base64.
 */
export const kmsOperations = (
  store: Store,
  { clock = systemClock, newId = randomUUID }: KmsEdges = {},
): Operations => operationsOf({ keys: new Keys(store), clock, newId }, operations, checkParameters);
