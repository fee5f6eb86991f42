import { createHash } from 'node:crypto';
import { type JsonObject, textOf } from '../aws-json/json-input.ts';
import { signingAlgorithm } from './key-operations.ts';
import { kmsError, required } from './kms-error.ts';
import { type KmsKey, scalarOf } from './kms-key.ts';
import { type KmsState, keyArn, keyOf, usable } from './kms-state.ts';
import { signDigest, verifyDigest } from './p256-digest.ts';

/** AWS docs, Sign. */
const maxMessageBytes = 4096;
const digestBytes = 32;

export function sign(state: KmsState, input: JsonObject): JsonObject {
  const { key, digest } = requestOf(state, input);
  const signature = signDigest(scalarOf(key), digest);
  return {
    KeyId: keyArn(key.id),
    Signature: signature.toString('base64'),
    SigningAlgorithm: signingAlgorithm,
  };
}

export function verify(state: KmsState, input: JsonObject): JsonObject {
  const { key, digest } = requestOf(state, input);
  if (!verifyDigest(scalarOf(key), digest, bytesOf(input, 'Signature'))) {
    throw kmsError('KMSInvalidSignatureException', 'The signature is not one of this key over this message');
  }
  return { KeyId: keyArn(key.id), SignatureValid: true, SigningAlgorithm: signingAlgorithm };
}

function requestOf(state: KmsState, input: JsonObject): { key: KmsKey; digest: Buffer } {
  const message = bytesOf(input, 'Message');
  const algorithm = required(textOf(input, 'SigningAlgorithm'), 'signingAlgorithm');
  const key = usable(keyOf(state, input));
  if (algorithm !== signingAlgorithm) {
    const reason = `${keyArn(key.id)} signs with ${signingAlgorithm}, not with ${algorithm}.`;
    throw kmsError('InvalidKeyUsageException', reason);
  }
  return { key, digest: digestOf(message, textOf(input, 'MessageType') ?? 'RAW') };
}

function digestOf(message: Buffer, type: string): Buffer {
  if (type === 'RAW') return createHash('sha256').update(message).digest();
  if (type !== 'DIGEST')
    throw kmsError('ValidationException', `MessageType must be RAW or DIGEST, not ${type}`);
  if (message.length === digestBytes) return message;
  throw kmsError('ValidationException', `Digest is invalid length for algorithm ${signingAlgorithm}.`);
}

function bytesOf(input: JsonObject, member: 'Message' | 'Signature'): Buffer {
  const bytes = Buffer.from(required(textOf(input, member), member.toLowerCase()), 'base64');
  if (bytes.length > 0 && bytes.length <= maxMessageBytes) return bytes;
  throw kmsError(
    'ValidationException',
    `${member} must have 1 to ${maxMessageBytes} bytes, not ${bytes.length}`,
  );
}
