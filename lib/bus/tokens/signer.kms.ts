import { createPublicKey } from 'node:crypto';
import {
  CreateKeyCommand,
  DisableKeyCommand,
  GetPublicKeyCommand,
  type KMSClient,
  SignCommand,
} from '@aws-sdk/client-kms';
import { calculateJwkThumbprint } from 'jose';
import {
  type KeyPolicyFacts,
  signingKeyPolicy,
  signingKeyTag,
} from '../../contract/environments.ts';
import { limits } from '../../contract/limits.ts';
import { type Clock, defined } from '../../contract/outside.ts';
import { expr } from '../../platform/aws/expression.ts';
import { holds } from '../../platform/aws/many-items.ts';
import { getItem, itemReader, putItem, type Table, unlessError } from '../../platform/aws/table.ts';
import { derToRaw, withLowS } from './jws.ts';
import {
  emptyRing,
  firstRing,
  type KeyRing,
  type KeyRings,
  published,
  type RingKey,
  type ServiceKey,
  type Signer,
} from './key-ring.ts';

const key = { pk: 'KEYS', sk: 'RING' };

const storedKey = ({ kid, keyId, jwk, state, publishedAt, supersededAt }: RingKey) =>
  defined({
    kid,
    key_id: keyId,
    x: jwk.x,
    y: jwk.y,
    state,
    published_at: publishedAt,
    superseded_at: supersededAt,
  });

const readKey = (value: unknown): RingKey => {
  if (typeof value !== 'object' || value === null)
    throw new Error('The stored key ring holds something else than keys.');
  const read = itemReader({ ...key, ...value });
  return defined({
    kid: read.text('kid'),
    keyId: read.text('key_id'),
    jwk: { kty: 'EC', crv: 'P-256', x: read.text('x'), y: read.text('y') } as const,
    state: read.oneOf('state', ['next', 'active', 'previous']),
    publishedAt: read.number('published_at'),
    supersededAt: read.optionalNumber('superseded_at'),
  });
};

const readKeyRing = async (table: Table): Promise<KeyRing | undefined> => {
  const item = await getItem(table, { Key: key, ConsistentRead: true });
  if (!item) return undefined;
  const keys = item['keys'];
  if (!Array.isArray(keys)) throw new Error('The stored key ring has no list of keys.');
  return { version: itemReader(item).number('version'), keys: keys.map(readKey) };
};

const writeKeyRing = (table: Table, { version, keys }: KeyRing): Promise<boolean> => {
  const isFirst = version === 1;
  const put = putItem(table, {
    Item: { ...key, version, keys: keys.map(storedKey) },
    ConditionExpression: isFirst ? 'attribute_not_exists(pk)' : expr`version = ${version - 1}`,
  });
  return holds(put);
};

/** A signing key of KMS by its id, ARN or alias. */
const kmsKey = async (client: KMSClient, name: string): Promise<ServiceKey> => {
  const { PublicKey, KeyId } = await client.send(new GetPublicKeyCommand({ KeyId: name }));
  if (!PublicKey || !KeyId) throw new Error('KMS returned no public key.');
  const der = { key: Buffer.from(PublicKey), format: 'der', type: 'spki' } as const;
  const { x, y } = createPublicKey(der).export({ format: 'jwk' });
  if (x === undefined || y === undefined)
    throw new Error('The signing key is not an elliptic curve key.');
  const jwk = { kty: 'EC', crv: 'P-256', x, y } as const;
  return { kid: await calculateJwkThumbprint(jwk), keyId: KeyId, jwk };
};

interface NewKeys extends KeyPolicyFacts {
  readonly environment: string;
}

const createKmsKey = async (
  client: KMSClient,
  { environment, ...facts }: NewKeys,
): Promise<ServiceKey> => {
  const { KeyMetadata } = await client.send(
    new CreateKeyCommand({
      KeySpec: 'ECC_NIST_P256',
      KeyUsage: 'SIGN_VERIFY',
      Description: `Signs the access tokens of som-bus ${environment}`,
      Tags: [{ TagKey: signingKeyTag, TagValue: environment }],
      Policy: JSON.stringify(signingKeyPolicy(facts)),
    }),
  );
  if (!KeyMetadata?.KeyId) throw new Error('KMS made no key.');
  return kmsKey(client, KeyMetadata.KeyId);
};

const signWithKms = async (
  client: KMSClient,
  keyId: string,
  input: Uint8Array,
): Promise<Uint8Array> => {
  const { Signature } = await client.send(
    new SignCommand({
      KeyId: keyId,
      Message: input,
      SigningAlgorithm: 'ECDSA_SHA_256',
      MessageType: 'RAW',
    }),
  );
  if (!Signature) throw new Error('KMS returned no signature.');
  return withLowS(derToRaw(Signature));
};

interface KeyHome {
  readonly kms: KMSClient;
  readonly table: Table;
  readonly firstKey: string;
}

type Published = readonly [RingKey, ...RingKey[]];

/** The token service's keys: the ring in the registry says which key of KMS signs. */
export const awsSigner = ({ kms, table, firstKey }: KeyHome, clock: Clock): Signer => {
  let known: { version: number; keys: Published; until: number } | undefined;

  const latest = async (): Promise<{ version: number; keys: Published }> => {
    const stored = await readKeyRing(table);
    if (known && known.version === (stored?.version ?? 0)) return known;
    const ring = stored ?? firstRing(await kmsKey(kms, firstKey));
    const [first, ...rest] = published(ring);
    if (!first) throw new Error('The stored key ring has no key.');
    return { version: ring.version, keys: [first, ...rest] };
  };

  const refresh = async (): Promise<Published> => {
    const until = clock.now() + limits.registryCacheSeconds * 1000;
    const { version, keys } = await latest();
    known = { version, keys, until };
    return keys;
  };

  const keys = async (): Promise<Published> =>
    known && clock.now() < known.until ? known.keys : refresh();

  return {
    keys,
    async sign(kid, input) {
      const key = (await keys()).find(candidate => candidate.kid === kid);
      if (!key) throw new Error(`The key ${kid} left the ring while it was to sign.`);
      return signWithKms(kms, key.keyId, input);
    },
  };
};

/** Whether a key, by its ARN, is in the account and region of another ARN, such as a queue's. */
export const isKeyUnder = (arn: string) => {
  const [, partition, , region, account] = arn.split(':');
  const place = `arn:${partition}:kms:${region}:${account}:`;
  return (keyId: string): boolean => keyId.startsWith(place);
};

export const awsKeyRings = ({ kms, table, firstKey }: KeyHome, made: NewKeys): KeyRings => {
  const first = () => unlessError(kmsKey(kms, firstKey), 'NotFoundException');
  return {
    async find() {
      const stored = await readKeyRing(table);
      if (stored) return stored;
      const only = await first();
      if (only) return firstRing(only);
      return emptyRing;
    },
    replace: ring => writeKeyRing(table, ring),
    create: () => createKmsKey(kms, made),
    first,
    async disable(keyId) {
      await unlessError(kms.send(new DisableKeyCommand({ KeyId: keyId })), 'NotFoundException');
    },
  };
};
