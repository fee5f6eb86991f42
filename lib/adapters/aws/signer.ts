import { createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, type KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { calculateJwkThumbprint } from 'jose';
import { derToRaw } from '../../domain/token/ecdsa-signature.ts';
import type { Signer, SigningKey } from '../../ports.ts';

const publicKey = async (client: KMSClient, KeyId: string): Promise<SigningKey> => {
  const { PublicKey } = await client.send(new GetPublicKeyCommand({ KeyId }));
  if (!PublicKey) throw new Error('KMS returned no public key.');
  const { x, y } = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' }).export({
    format: 'jwk',
  });
  if (x === undefined || y === undefined) throw new Error('The signing key is not an elliptic curve key.');
  const jwk = { kty: 'EC', crv: 'P-256', x, y } as const;
  return { kid: await calculateJwkThumbprint(jwk), jwk };
};

/** The signing key in KMS. Its public half never changes and is fetched once. */
export const awsSigner = (client: KMSClient, keyId: string): Signer => {
  let known: Promise<readonly [SigningKey]> | undefined;
  return {
    keys() {
      known ??= publicKey(client, keyId).then(key => [key] as const);
      known.catch(() => {
        known = undefined;
      });
      return known;
    },
    async sign(input) {
      const command = new SignCommand({
        KeyId: keyId,
        Message: input,
        SigningAlgorithm: 'ECDSA_SHA_256',
        MessageType: 'RAW',
      });
      const { Signature } = await client.send(command);
      if (!Signature) throw new Error('KMS returned no signature.');
      return derToRaw(Signature);
    },
  };
};
