import { createPublicKey } from 'node:crypto';
import {
  CreateKeyCommand,
  DisableKeyCommand,
  GetPublicKeyCommand,
  type KMSClient,
  SignCommand,
} from '@aws-sdk/client-kms';
import { calculateJwkThumbprint } from 'jose';
import { signingKeyTag } from '../../contract/resource-names.ts';
import { derToRaw } from '../../domain/token/ecdsa-signature.ts';
import type { RingKey } from '../../domain/token/key-ring.ts';

export type KmsKey = Pick<RingKey, 'kid' | 'keyId' | 'jwk'>;

/** A signing key of KMS by its id, ARN or alias. */
export const kmsKey = async (client: KMSClient, name: string): Promise<KmsKey> => {
  const { PublicKey, KeyId } = await client.send(new GetPublicKeyCommand({ KeyId: name }));
  if (!PublicKey || !KeyId) throw new Error('KMS returned no public key.');
  const { x, y } = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' }).export({
    format: 'jwk',
  });
  if (x === undefined || y === undefined) throw new Error('The signing key is not an elliptic curve key.');
  const jwk = { kty: 'EC', crv: 'P-256', x, y } as const;
  return { kid: await calculateJwkThumbprint(jwk), keyId: KeyId, jwk };
};

/** A new signing key in KMS, tagged for its environment. */
export const createKmsKey = async (client: KMSClient, environment: string): Promise<KmsKey> => {
  const { KeyMetadata } = await client.send(
    new CreateKeyCommand({
      KeySpec: 'ECC_NIST_P256',
      KeyUsage: 'SIGN_VERIFY',
      Description: `Signs the access tokens of som-bus ${environment}`,
      Tags: [{ TagKey: signingKeyTag, TagValue: environment }],
    }),
  );
  if (!KeyMetadata?.KeyId) throw new Error('KMS made no key.');
  return kmsKey(client, KeyMetadata.KeyId);
};

export const disableKmsKey = async (client: KMSClient, keyId: string): Promise<void> => {
  await client.send(new DisableKeyCommand({ KeyId: keyId }));
};

/** ES256 over `input`: r ‖ s, 64 bytes. */
export const signWithKms = async (
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
  return derToRaw(Signature);
};
