import { randomBytes } from 'node:crypto';
import { verifyAccessToken } from '../../lib/bus/tokens/access-token.ts';
import { claims, header, keys, origin, token } from '../bus/tokens/tokens.ts';

const pick = <T>(list: readonly T[] | Buffer | string, random: number): number =>
  random % list.length;

/** A token changed in one bit or one byte of its text, or of the bytes that its text stands for. */
const mutate = (text: string, random: Buffer): string => {
  const [kind = 0, value = 0] = random;
  const where = random.readUInt32LE(2);
  if (kind % 2 === 0) {
    const bytes = Buffer.from(text, 'latin1');
    const at = pick(bytes, where);
    bytes[at] = kind % 4 === 0 ? (bytes[at] ?? 0) ^ (1 << (value & 7)) : value;
    return bytes.toString('latin1');
  }
  const parts = text.split('.');
  const part = value % 3;
  const bytes = Buffer.from(parts[part] ?? '', 'base64url');
  const at = pick(bytes, where);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (kind >> 5));
  parts[part] = bytes.toString('base64url');
  return parts.join('.');
};

/**
 * Tries `count` mutations of a valid token; responds with how many were tried and which were
 * accepted.
 */
export const tryMutatedTokens = (
  count: number,
): { readonly tried: number; readonly accepted: string[] } => {
  const valid = token(header, claims);
  const accepted: string[] = [];
  let tried = 0;
  while (tried < count) {
    const mutated = mutate(valid, randomBytes(6));
    if (mutated === valid) continue;
    tried += 1;
    if (verifyAccessToken(mutated, { keys, origin })) accepted.push(mutated);
  }
  return { tried, accepted };
};
