import * as crypto from 'node:crypto';
import type { JsonObject } from '../../../domain/message/json-object.ts';
import { textOf } from '../aws-json/json-input.ts';
import { signingAlgorithm } from './key-operations.ts';
import { kmsError, requiredMember } from './kms-error.ts';
import { type KmsKey, scalarOf } from './kms-key.ts';
import { type KmsState, keyArn, keyOf, usable } from './kms-state.ts';
import { signDigest, verifyDigest } from './p256-digest.ts';

/** AWS docs, Sign. */
const maxMessageBytes = 4096;
const digestBytes = 32;

export function sign(state: KmsState, input: JsonObject): JsonObject {
  const { key, message, isDigest } = requestOf(state, input);
  const signature = isDigest
    ? signDigest(scalarOf(key), message)
    : crypto.sign('sha256', message, key.privateKey);
  return {
    KeyId: keyArn(key.id),
    Signature: signature.toString('base64'),
    SigningAlgorithm: signingAlgorithm,
  };
}

export function verify(state: KmsState, input: JsonObject): JsonObject {
  const { key, message, isDigest } = requestOf(state, input);
  const signature = bytesOf(input, 'Signature');
  const isValid = isDigest
    ? verifyDigest(scalarOf(key), message, signature)
    : crypto.verify('sha256', message, crypto.createPublicKey(key.privateKey), signature);
  if (!isValid) {
    throw kmsError('KMSInvalidSignatureException', 'The signature is not one of this key over this message');
  }
  return { KeyId: keyArn(key.id), SignatureValid: true, SigningAlgorithm: signingAlgorithm };
}

interface SignatureRequest {
  readonly key: KmsKey;
  readonly message: Buffer;
  readonly isDigest: boolean;
}

function requestOf(state: KmsState, input: JsonObject): SignatureRequest {
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
}

function bytesOf(input: JsonObject, member: 'Message' | 'Signature'): Buffer {
  const bytes = Buffer.from(requiredMember(textOf(input, member), member.toLowerCase()), 'base64');
  if (bytes.length > 0 && bytes.length <= maxMessageBytes) return bytes;
  throw kmsError(
    'ValidationException',
    `${member} must have 1 to ${maxMessageBytes} bytes, not ${bytes.length}`,
  );
}
