import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { booleanOf, integerOf, objectOf, textMapOf, textOf } from '../aws-json/input.ts';
import { isUnchanged, withChecksum } from '../durable-files.ts';

/** A P-256 signing key. Times are epoch milliseconds. */
export interface KmsKey {
  readonly id: string;
  readonly createdAt: number;
  readonly description: string;
  readonly enabled: boolean;
  /** When it is deleted, if that is scheduled. */
  readonly deletionAt?: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly privateKey: KeyObject;
}

export const newKey = (facts: Omit<KmsKey, 'privateKey' | 'enabled'>): KmsKey => ({
  ...facts,
  enabled: true,
  privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
});

type KmsKeyState = 'Enabled' | 'Disabled' | 'PendingDeletion';

export const stateOf = ({ enabled, deletionAt }: KmsKey): KmsKeyState => {
  if (deletionAt !== undefined) return 'PendingDeletion';
  return enabled ? 'Enabled' : 'Disabled';
};

/** DER-encoded SubjectPublicKeyInfo. */
export const publicKeyOf = (key: KmsKey): Buffer =>
  createPublicKey(key.privateKey).export({ type: 'spki', format: 'der' });

/** The private number, 32 bytes. */
export const scalarOf = (key: KmsKey): Buffer =>
  Buffer.from(key.privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');

export const encodeKey = ({ privateKey, ...facts }: KmsKey): string => {
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  return `${JSON.stringify(withChecksum({ ...facts, privateKey: pem }), null, 2)}\n`;
};

/** Reads what `encodeKey` wrote; throws when it is anything else. */
export const decodeKey = (text: string): KmsKey => {
  const input = objectOf(JSON.parse(text), 'the file');
  if (!isUnchanged(input)) throw new Error('it does not match its checksum');
  const id = textOf(input, 'id');
  const createdAt = integerOf(input, 'createdAt');
  const pem = textOf(input, 'privateKey');
  if (id === undefined || createdAt === undefined || pem === undefined)
    throw new Error('a member is missing');
  const deletionAt = integerOf(input, 'deletionAt');
  return {
    id,
    createdAt,
    description: textOf(input, 'description') ?? '',
    enabled: booleanOf(input, 'enabled') ?? true,
    tags: textMapOf(input, 'tags') ?? {},
    privateKey: createPrivateKey(pem),
    ...(deletionAt === undefined ? {} : { deletionAt }),
  };
};
